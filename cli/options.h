// What the command line says. Read by CLI11 in options.cc alone, from one table that the man page is made of too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whyfail::cli {

enum class Format { text, json, markdown, sarif };
enum class Color { automatic, always, never };

struct Options {
  std::string command;  // "" (explain), "run", "check", "fix", "plan", "place", "probe", "kb"
  std::vector<std::string>
      words;  // what the command is given: files, the command to run, the model, kb's own command and its arguments

  Format format = Format::text;  // --json is --format json
  Color color = Color::automatic;
  bool quiet = false;
  std::vector<std::string> kb_files;  // --kb, in order: later ones win

  std::string machine;  // --machine FILE|DIR|SPEC; empty: measure
  bool no_probe = false;
  std::string transformers;
  std::string accelerate;
  std::string model;
  std::uint64_t context = 0;
  std::uint64_t batch = 1;
  std::vector<std::string> reserve;  // "0=2GiB"
  std::string prefer;  // "exact", "speed", "fit"; empty: exact, but a plan that changes results may be applied

  std::string trace;  // fix: empty is standard input
  bool apply = false;
  bool backup = false;
  bool explain = false;  // plan: why each device ends where it does
  std::string trees;     // place
  std::string output;    // kb build -o FILE
};

// Either options, or what is to be printed instead and the exit status that goes with it.
struct CommandLine {
  std::optional<Options> options;
  std::string text;  // --help, --version (status 0, standard output); what was used wrongly (status 2, standard error)
  int status = 0;
};

CommandLine read_command_line(int argument_count, const char* const* arguments);

// The manual page (roff), from the same table.
std::string manual_page();

}  // namespace whyfail::cli
