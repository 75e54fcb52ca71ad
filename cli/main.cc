// Entry point: hands the command line over, and catches what ends the run.
#include <exception>
#include <iostream>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/place_command.h"

namespace {

int run(const whyfail::cli::Options& options) {
  using namespace whyfail::cli;
  if (options.command == "check") return check_command(options);
  if (options.command == "fix") return fix_command(options);
  if (options.command == "plan") return plan_command(options);
  if (options.command == "kb") return kb_command(options);
  if (options.command == "run") return run_command(options);
  if (options.command == "probe") return probe_command(options);
  if (options.command == "place") return place(std::cin, std::cout, std::cerr, options.trees);
  return explain_command(options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    const whyfail::cli::CommandLine line = whyfail::cli::read_command_line(argument_count, arguments);
    if (line.options) return run(*line.options);
    if (line.status == 0) {
      whyfail::cli::print(line.text);
    } else {
      whyfail::cli::print_error(line.text);
    }
    return line.status;
  } catch (const std::exception& error) {
    whyfail::cli::print_error(error.what());
    return 2;
  }
}
