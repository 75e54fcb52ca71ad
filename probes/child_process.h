// Runs a function in a child process and takes its text, within a time limit: a driver that hangs, crashes or writes to
// the terminal must not take this process along.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace whyfail::probes {

struct ChildAnswer {
  enum class End { answered, hangs, crashes };
  End end = End::crashes;
  std::string text;
};

// `work` runs in the child, whose standard streams lead nowhere; what it returns comes back (at most 16 MiB).
ChildAnswer ask_child(const std::function<std::string()>& work, std::chrono::milliseconds limit);

}  // namespace whyfail::probes
