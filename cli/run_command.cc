// whyfail run -- CMD ARG...: the command as it is, then, if it failed, why.
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"
#include "probes/watched_process.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t kept_bytes = std::size_t{4} << 20U;
constexpr int status_not_found = 127;
constexpr int status_not_executable = 126;
constexpr int status_killed = 128 + SIGKILL;

int not_started(const std::string& command, int error) {
  print_error(command + ": cannot be started: " + std::strerror(error));
  return error == ENOENT || error == ENOTDIR ? status_not_found : status_not_executable;
}

std::string printed(const Diagnosis& diagnosis, const Options& options) {
  if (options.format == Format::json) return report_json(diagnosis);
  if (options.quiet) return report_call(diagnosis);
  if (options.format == Format::markdown) return report_markdown(diagnosis);
  return report_text(diagnosis, error_colors_wanted(options.color));
}

Diagnosis diagnosed(const std::string& text, const Knowledge& knowledge, const Options& options) {
  matchers::TextSource source(text);
  return diagnose(source, knowledge, options,
                  [&](const std::string& file) { return options.no_probe ? std::nullopt : read_text_file(file); });
}

// Ctrl-C is what the person wanted.
bool is_error(const matchers::Reading& reading) {
  return reading.last_error && reading.last_error->type != "KeyboardInterrupt";
}

// Nothing is said about a command that failed without an error that could be read.
void explain(const probes::WatchedRun& run, const Options& options) {
  const Knowledge knowledge(options.kb_files);
  Diagnosis diagnosis = diagnosed(run.last_words, knowledge, options);
  if (diagnosis.failures.empty() && run.status == status_killed) {
    // The kernel gives no words to a process that it kills; a shell would say this.
    diagnosis = diagnosed(run.last_words + "\nKilled\n", knowledge, options);
  }
  if (diagnosis.status != Status::explained && (!is_error(diagnosis.reading) || run.signal != 0)) return;
  pass_to_standard_error("\n");
  pass_to_standard_error(printed(diagnosis, options));
}

}  // namespace

int run_command(const Options& options) {
  const probes::WatchedRun run = probes::run_watched(options.words, kept_bytes, pass_to_standard_error);
  if (!run.started) return not_started(options.words.front(), run.start_error);
  if (run.status == 0) return 0;
  try {
    explain(run, options);
  } catch (const std::exception& error) {
    print_error(error.what());  // the status stays the command's
  }
  return run.status;
}

}  // namespace whyfail::cli
