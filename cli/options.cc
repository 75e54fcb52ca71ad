// The table of commands and options, and the three things made of it: the parser (CLI11), --help, the manual page.
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>
#include <variant>

#include "cli/version.h"

namespace whyfail::cli {
namespace {

// What is filled while parsing: options as they are written.
struct Written : Options {
  bool json = false;
  std::string format_name = "text";
  std::string color_name = "auto";
  bool version = false;
  bool help = false;
  bool manual = false;
};

using Target = std::variant<bool Written::*, std::string Written::*, std::uint64_t Written::*,
                            std::vector<std::string> Written::*>;

struct CommandRow {
  std::string_view name;
  std::string_view given;  // what stands behind the name
  std::string_view does;
};

constexpr std::array<CommandRow, 8> commands = {{
    {"", "[FILE...]", "explains pasted text from files (also notebooks) or from standard input"},
    {"run", "-- CMD ARG...", "runs a command, passes its output through and explains when it failed"},
    {"check", "FILE.py...", "finds loading calls and predicts which will fail, and why"},
    {"fix", "FILE",
     "rewrites the call that failed in a script, a notebook or the scripts of a folder; the traceback comes from "
     "--trace, a notebook's own outputs or standard input"},
    {"plan", "MODEL", "says what fits MODEL (folder, config.json or known id) on this machine, best call first"},
    {"place", "", "answers placement requests from standard input, one JSON object a line"},
    {"probe", "", "shows what machine it sees and where each figure comes from"},
    {"kb", "list|show|search|check|build|try|export", "the knowledge base: reads, searches, checks and makes one"},
}};

constexpr std::array<CommandRow, 7> kb_commands = {{
    {"list", "", "all entries with their titles"},
    {"show", "ID", "all of one entry: causes, advice, wordings with their releases and samples, sources"},
    {"search", "WORDS", "entries that have the words, best first"},
    {"try", "FILE", "which wordings match a paste, where, what the others lack, and which one won"},
    {"check", "DIR", "what is wrong in a data folder, with file and line"},
    {"build", "DIR -o FILE", "a knowledge base of a data folder, for --kb"},
    {"export", "FILE", "the knowledge base as an SQLite file for any SQL tool"},
}};

struct OptionRow {
  std::string_view command;  // "*": any command
  const char* names;
  const char* value;  // what the value stands for; with "|" the only ones allowed; nullptr: none
  const char* help;
  Target target;
};

const std::array<OptionRow, 25> option_rows = {{
    {"*", "--json", nullptr, "print the report as JSON (the same as --format json)", &Written::json},
    {"*", "--format", "text|json|markdown|sarif",
     "how to print; markdown is an answer to paste into a ticket, sarif is for check", &Written::format_name},
    {"*", "--machine", "FILE|DIR|SPEC",
     "use this machine instead of measuring: a description (JSON), a recorded machine (folder), or "
     "\"gpu=24GiB:22.5GiB free,ram=64GiB,os=windows\"",
     &Written::machine},
    {"*", "--no-probe", nullptr, "touch nothing on this machine", &Written::no_probe},
    {"*", "--transformers", "VERSION", "the transformers release that failed", &Written::transformers},
    {"*", "--accelerate", "VERSION", "the accelerate release that failed", &Written::accelerate},
    {"*", "--model", "PATH|ID", "the model that was loaded", &Written::model},
    {"*", "--context", "TOKENS", "leave room for the cache of this many tokens", &Written::context},
    {"*", "--batch", "N", "sequences at once, for --context (1)", &Written::batch},
    {"*", "--reserve", "DEVICE=SIZE", "leave this much free on a device: 0=2GiB (repeatable)", &Written::reserve},
    {"*", "--prefer", "exact|speed|fit",
     "which corrected call comes first: the one that keeps results, the fastest, or the surest to fit (exact)",
     &Written::prefer},
    {"*", "--color", "auto|always|never", "colours; NO_COLOR is honoured (auto)", &Written::color_name},
    {"*", "--quiet", nullptr, "only the corrected call", &Written::quiet},
    {"*", "--kb", "FILE", "a further knowledge base; its entries win (repeatable)", &Written::kb_files},
    {"*", "--version", nullptr, "print the version", &Written::version},
    {"*", "--man", nullptr, "print the manual page", &Written::manual},
    {"*", "-h,--help", nullptr, "print this", &Written::help},
    {"fix", "--trace", "FILE", "the traceback; otherwise the notebook's own or standard input", &Written::trace},
    {"fix", "--apply", nullptr, "write the change into the file; otherwise it is only printed", &Written::apply},
    {"fix", "--backup", nullptr, "with --apply: keep the old file beside it as FILE.bak", &Written::backup},
    {"plan", "--explain", nullptr, "say why each device ends where it does, and how its budget came about",
     &Written::explain},
    {"place", "--trees", "DIR", "folder with module trees and contexts", &Written::trees},
    {"kb", "-o,--output", "FILE", "where kb build and kb export write", &Written::output},

    {"plan", "--trace", "FILE", "a traceback whose machine and releases to plan for", &Written::trace},
    {"probe", "--explain", nullptr, "with the reason for everything that is not known", &Written::explain},
}};

bool belongs(const OptionRow& row, std::string_view command) { return row.command == "*" || row.command == command; }

bool names_option(const OptionRow& row, std::string_view argument) {
  argument = argument.substr(0, argument.find('='));
  for (const std::string& name : CLI::detail::split(row.names, ',')) {
    if (argument == name) return true;
  }
  return false;
}

const CommandRow* command_named(std::string_view name) {
  for (const CommandRow& row : commands) {
    if (!row.name.empty() && row.name == name) return &row;
  }
  return nullptr;
}

// Takes the command's name out of the arguments: the first word that is no option and no option's value.
const CommandRow& take_command(std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") break;
    if (arguments[i].size() > 1 && arguments[i][0] == '-') {
      for (const OptionRow& row : option_rows) {
        if (row.value != nullptr && names_option(row, arguments[i]) && arguments[i].find('=') == std::string::npos) {
          ++i;
          break;
        }
      }
      continue;
    }
    const CommandRow* row = command_named(arguments[i]);
    if (row == nullptr) break;
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
    return *row;
  }
  return commands[0];
}

// run: what stands behind "--" is another program's and is not read here.
std::vector<std::string> take_command_to_run(const CommandRow& command, std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (command.name != "run" || dashes == arguments.end()) return {};
  std::vector<std::string> words(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return words;
}

std::vector<std::string> choices(const char* value) { return CLI::detail::split(value, '|'); }
bool is_choice(const char* value) { return value != nullptr && value[0] >= 'a' && value[0] <= 'z'; }

void add_option(CLI::App& app, Written& written, const OptionRow& row) {
  CLI::Option* option = std::visit(
      [&](auto member) -> CLI::Option* {
        if constexpr (std::is_same_v<decltype(member), bool Written::*>) {
          return app.add_flag(row.names, written.*member, row.help);
        } else {
          return app.add_option(row.names, written.*member, row.help)->type_name(row.value);
        }
      },
      row.target);
  if (std::holds_alternative<std::vector<std::string> Written::*>(row.target)) {
    option->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  if (is_choice(row.value)) option->check(CLI::IsMember(choices(row.value)));
}

std::string synopsis(const CommandRow& command) {
  std::string text = "whyfail";
  for (const std::string_view part : {command.name, std::string_view("[OPTION...]"), command.given}) {
    if (!part.empty()) text.append(" ").append(part);
  }
  return text;
}

std::string option_text(const OptionRow& row) {
  std::string text = row.names;
  if (const auto comma = text.find(','); comma != std::string::npos) text.insert(comma + 1, " ");
  return row.value != nullptr ? text + " " + row.value : text;
}

void append_row(std::string& text, const std::string& name, std::string_view does) {
  constexpr std::size_t column = 30;
  text.append("  ").append(name);
  if (name.size() + 4 > column) {
    text.append("\n").append(column, ' ');
  } else {
    text.append(column - name.size() - 2, ' ');
  }
  text.append(does).append("\n");
}

std::string help_text(const CommandRow& command) {
  std::string text = synopsis(command) + "\n" + std::string(command.does) + ".\n";
  if (command.name.empty()) {
    text += "\nCommands:\n";
    for (const CommandRow& row : commands) {
      if (!row.name.empty()) append_row(text, std::string(row.name) + " " + std::string(row.given), row.does);
    }
  }
  if (command.name == "kb") {
    text += "\nCommands:\n";
    for (const CommandRow& row : kb_commands) {
      append_row(text, std::string(row.name) + (row.given.empty() ? "" : " ") + std::string(row.given), row.does);
    }
  }
  text += "\nOptions:\n";
  for (const OptionRow& row : option_rows) {
    if (belongs(row, command.name)) append_row(text, option_text(row), row.help);
  }
  return text + "\nExit status: 0 explained (or done), 1 not known (or nothing to do), 2 used wrongly or failed.\n";
}

Format format_of(const Written& written) {
  if (written.json || written.format_name == "json") return Format::json;
  if (written.format_name == "sarif") return Format::sarif;
  return written.format_name == "markdown" ? Format::markdown : Format::text;
}

Color color_of(const std::string& name) {
  if (name == "always") return Color::always;
  return name == "never" ? Color::never : Color::automatic;
}

CommandLine used_wrongly(const std::string& what) { return {std::nullopt, what + " (see whyfail --help)", 2}; }

// Only options that are written need a parser: building one for all costs more than explaining a short paste.
bool is_written(const OptionRow& row, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (names_option(row, argument)) return true;
    if (argument.size() > 1 && argument[0] == '-' && argument[1] != '-' && row.names[0] == '-' && row.names[1] != '-') {
      return true;
    }
  }
  return false;
}

}  // namespace

CommandLine read_command_line(int argument_count, const char* const* argument_list) {
  std::vector<std::string> arguments(argument_list + std::min(argument_count, 1), argument_list + argument_count);
  const CommandRow& command = take_command(arguments);
  const std::vector<std::string> command_to_run = take_command_to_run(command, arguments);
  Written written;
  if (!arguments.empty()) {
    CLI::App app("", "whyfail");
    app.set_help_flag();
    for (const OptionRow& row : option_rows) {
      if (belongs(row, command.name) && is_written(row, arguments)) add_option(app, written, row);
    }
    app.add_option("words", written.words);
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(arguments);
    } catch (const CLI::ParseError& refused) {
      return used_wrongly(refused.what());
    }
  }
  if (written.help) return {std::nullopt, help_text(command), 0};
  if (written.manual) return {std::nullopt, manual_page(), 0};
  if (written.version) return {std::nullopt, std::string("whyfail ") + version + "\n", 0};
  if (command.name == "run") written.words.insert(written.words.end(), command_to_run.begin(), command_to_run.end());
  written.command = command.name;
  written.format = format_of(written);
  written.color = color_of(written.color_name);
  if (written.batch == 0) return used_wrongly("--batch must be at least 1");
  if (command.name == "fix" && written.words.size() != 1)
    return used_wrongly("fix needs one script, notebook or folder");
  if (command.name == "run" && written.words.empty()) return used_wrongly("run needs -- CMD ARG...");
  if (command.name == "check" && written.words.empty()) return used_wrongly("check needs FILE.py...");
  if (written.format == Format::sarif && command.name != "check") return used_wrongly("--format sarif is for check");
  if (written.format == Format::markdown && command.name == "check")
    return used_wrongly("check prints text, json or sarif");
  if (command.name == "plan" && written.words.size() != 1) return used_wrongly("plan needs one MODEL");
  if (command.name == "place" && written.trees.empty()) return used_wrongly("place needs --trees DIR");
  return {static_cast<const Options&>(written), {}, 0};
}

std::string manual_page() {
  std::string page =
      ".TH WHYFAIL 1\n.SH NAME\nwhyfail \\- why a Hugging Face model load failed, and the call that works\n";
  page += ".SH SYNOPSIS\n";
  for (const CommandRow& command : commands) page += ".B " + synopsis(command) + "\n.br\n";
  page += ".SH COMMANDS\n";
  for (const CommandRow& command : commands) {
    page += ".TP\n.B " + (command.name.empty() ? std::string("whyfail") : std::string(command.name)) + "\n" +
            std::string(command.does) + "\n";
  }
  for (const CommandRow& command : kb_commands) {
    page += ".TP\n.B kb " + std::string(command.name) + " " + std::string(command.given) + "\n" +
            std::string(command.does) + "\n";
  }
  page += ".SH OPTIONS\n";
  for (const OptionRow& row : option_rows) {
    page += ".TP\n.B " + option_text(row) + "\n" + row.help +
            (row.command == "*" ? std::string() : " (" + std::string(row.command) + ")") + "\n";
  }
  page += ".SH EXIT STATUS\n0 explained (or done), 1 not known (or nothing to do), 2 used wrongly or failed.\n";
  std::string escaped;
  for (const char c : page)
    escaped += c == '-' && !escaped.empty() && escaped.back() != '\\' ? "\\-" : std::string(1, c);
  return escaped;
}

}  // namespace whyfail::cli
