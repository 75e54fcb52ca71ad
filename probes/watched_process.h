// Runs a command as if it had been started directly, and keeps the last part of what it says on standard error.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::probes {

struct WatchedRun {
  bool started = false;
  int start_error = 0;     // errno where it could not be started
  int status = 0;          // what a shell would give: the exit status, or 128 + the signal's number
  int signal = 0;          // the signal that ended it; 0: it exited
  std::string last_words;  // the end of its standard error, at most `keep` bytes
};

// The command's standard input and output are this process's own. Its standard error is a terminal if this process's is
// one, else a pipe; every piece is handed to `pass_on` as soon as it comes. Signals sent to this process are passed on;
// those of the terminal reach the command directly, which stays in the same process group. Returns when the command has
// ended and what it had written was read; what processes that it leaves behind write later is lost.
WatchedRun run_watched(const std::vector<std::string>& command, std::size_t keep,
                       const std::function<void(std::string_view)>& pass_on);

}  // namespace whyfail::probes
