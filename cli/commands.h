// The commands, one file each. Each prints its answer and returns the exit status; what ends the run is thrown as a
// Failure, which main() turns into one line on standard error and status 2.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "cli/options.h"

namespace whyfail::cli {

class Failure : public std::exception {  // what, where, what to do; one line
 public:
  explicit Failure(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

int explain_command(const Options& options);
int fix_command(const Options& options);
int plan_command(const Options& options);
int check_command(const Options& options);
int run_command(const Options& options);
int probe_command(const Options& options);
int kb_command(const Options& options);  // options.words: "list", "show ID", "search WORDS", "check DIR" …

}  // namespace whyfail::cli
