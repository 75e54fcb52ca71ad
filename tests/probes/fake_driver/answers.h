// What the fake drivers answer: the recording (nvidia.json) that WHYFAIL_FAKE_NVIDIA names.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "probes/answers_json.h"

namespace whyfail::fake_driver {

inline const probes::NvidiaAnswer& answers() {
  static const probes::NvidiaAnswer all = [] {
    const char* file = std::getenv("WHYFAIL_FAKE_NVIDIA");
    std::ifstream stream(file == nullptr ? "" : file);
    return probes::nvidia_from(std::string(std::istreambuf_iterator<char>(stream), {}));
  }();
  return all;
}

// Does what a library in this state does when it is called first; true if it works.
inline bool works(const probes::LibraryState& state) {
  using Outcome = probes::LibraryState::Outcome;
  if (state.outcome == Outcome::hangs) {
    for (;;) pause();
  }
  if (state.outcome == Outcome::crashes) std::abort();
  return state.outcome == Outcome::ok || state.outcome == Outcome::missing_symbol;
}

template <typename Text>
void copy_text(const std::string& from, char* to, Text size) {
  const std::size_t length = from.copy(to, static_cast<std::size_t>(size) - 1);
  to[length] = '\0';
}

}  // namespace whyfail::fake_driver
