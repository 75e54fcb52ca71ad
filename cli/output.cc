// Writes to the standard streams.
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "cli/commands.h"
#include "cli/mask.h"
#include "probes/real_system.h"

namespace whyfail::cli {
namespace {

// False where nobody reads any more.
bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool colors_wanted_on(int file, Color color) {
  if (color != Color::automatic) return color == Color::always;
  if (::isatty(file) != 1) return false;
  const auto system = probes::real_system();
  return !system->variable("NO_COLOR") && system->variable("TERM") != "dumb";
}

}  // namespace

void print(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text) && errno != EPIPE) {
    throw Failure(std::string("standard output cannot be written: ") + std::strerror(errno));
  }
}

void print_error(std::string_view message) {
  std::string line = "whyfail: " + masked(message);
  for (char& c : line) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  write_all(STDERR_FILENO, line + "\n");
}

void pass_to_standard_error(std::string_view bytes) { write_all(STDERR_FILENO, bytes); }

bool colors_wanted(Color color) { return colors_wanted_on(STDOUT_FILENO, color); }
bool error_colors_wanted(Color color) { return colors_wanted_on(STDERR_FILENO, color); }

}  // namespace whyfail::cli
