// fork and exec; a pipe or pseudo-terminal for standard error; handlers that hand signals on.
#include "probes/watched_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace whyfail::probes {
namespace {

// Signals that a person or a supervisor sends to end, reload or tell something.
constexpr std::array<int, 7> passed_signals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH};

volatile sig_atomic_t command_process = 0;
volatile sig_atomic_t error_terminal = -1;  // the master's number, where standard error is a pseudo-terminal

void copy_window_size(int terminal) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) ioctl(terminal, TIOCSWINSZ, &size);
}

// What the kernel sends (Ctrl-C, a closed or resized terminal) has reached the whole process group already.
void pass_signal(int number, siginfo_t* info, void*) {
  const int saved = errno;
  if (number == SIGWINCH && error_terminal >= 0) copy_window_size(error_terminal);
  const bool by_process = info != nullptr && info->si_code <= 0;
  if (by_process && command_process > 0) kill(command_process, number);
  errno = saved;
}

// Handlers for as long as it lives; signals that were ignored stay so.
class PassedSignals {
 public:
  PassedSignals() {
    struct sigaction action {};
    action.sa_sigaction = pass_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < passed_signals.size(); ++i) {
      sigaction(passed_signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(passed_signals[i], &action, nullptr);
    }
  }
  PassedSignals(const PassedSignals&) = delete;
  PassedSignals& operator=(const PassedSignals&) = delete;
  ~PassedSignals() { restore(); }
  void restore() const {
    for (std::size_t i = 0; i < passed_signals.size(); ++i) sigaction(passed_signals[i], &before_[i], nullptr);
  }

 private:
  std::array<struct sigaction, passed_signals.size()> before_{};
};

struct Stream {
  int here = -1;   // is read
  int there = -1;  // becomes the command's standard error
  bool terminal = false;
};

void close_on_exec(int file) { fcntl(file, F_SETFD, FD_CLOEXEC); }

// A terminal that changes no byte on its way.
bool open_terminal(Stream& stream) {
  const int here = posix_openpt(O_RDWR | O_NOCTTY);
  if (here < 0) return false;
  const char* name = grantpt(here) == 0 && unlockpt(here) == 0 ? ptsname(here) : nullptr;
  const int there = name == nullptr ? -1 : open(name, O_RDWR | O_NOCTTY);
  if (there < 0) {
    close(here);
    return false;
  }
  termios settings{};
  if (tcgetattr(there, &settings) == 0) {
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    tcsetattr(there, TCSANOW, &settings);
  }
  copy_window_size(here);
  stream = {here, there, true};
  return true;
}

bool open_pipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  for (int end : ends) close_on_exec(end);
  return true;
}

bool open_stream(Stream& stream) {
  if (isatty(STDERR_FILENO) == 1 && open_terminal(stream)) {
    close_on_exec(stream.here);
    close_on_exec(stream.there);
    return true;
  }
  int ends[2];
  if (!open_pipe(ends)) return false;
  stream = {ends[0], ends[1], false};
  return true;
}

[[noreturn]] void become(const std::vector<std::string>& command, const Stream& stream, int report) {
  dup2(stream.there, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  const ssize_t written = write(report, &error, sizeof error);
  _exit(written == static_cast<ssize_t>(sizeof error) ? 127 : 126);
}

class LastWords {
 public:
  explicit LastWords(std::size_t keep) : keep_(keep) {}
  void add(std::string_view piece) {
    text_.append(piece);
    if (text_.size() > 2 * keep_) text_.erase(0, text_.size() - keep_);
  }
  std::string take() {
    if (text_.size() > keep_) text_.erase(0, text_.size() - keep_);
    return std::move(text_);
  }

 private:
  std::size_t keep_;
  std::string text_;
};

bool has_ended(pid_t process, int& status) {
  pid_t ended;
  do {
    ended = waitpid(process, &status, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  return ended != 0;
}

// Reads until nobody can write any more, or the command has ended and nothing is left to read.
void listen(const Stream& stream, pid_t process, int& status, LastWords& words,
            const std::function<void(std::string_view)>& pass_on) {
  constexpr int look_after_ms = 100;
  bool ended = false;
  char block[16384];
  for (;;) {
    if (!ended) ended = has_ended(process, status);
    pollfd ready{stream.here, POLLIN, 0};
    const int count = poll(&ready, 1, ended ? 0 : look_after_ms);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 && ended) return;
    if (count == 0) continue;
    const ssize_t length = read(stream.here, block, sizeof block);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;  // a terminal whose other side is closed answers EIO
    const std::string_view piece(block, static_cast<std::size_t>(length));
    words.add(piece);
    pass_on(piece);
  }
  while (!ended && waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
}

int start_error(int report) {
  int error = 0;
  ssize_t length;
  do {
    length = read(report, &error, sizeof error);
  } while (length < 0 && errno == EINTR);
  return length == static_cast<ssize_t>(sizeof error) ? error : 0;
}

void close_both(int (&ends)[2]) {
  for (int end : ends) close(end);
}

}  // namespace

WatchedRun run_watched(const std::vector<std::string>& command, std::size_t keep,
                       const std::function<void(std::string_view)>& pass_on) {
  WatchedRun run;
  Stream stream;
  int report[2];
  if (command.empty() || !open_pipe(report)) {
    run.start_error = command.empty() ? EINVAL : errno;
    return run;
  }
  if (!open_stream(stream)) {
    run.start_error = errno;
    close_both(report);
    return run;
  }
  error_terminal = stream.terminal ? stream.here : -1;
  const PassedSignals signals;
  const pid_t process = fork();
  if (process == 0) {
    signals.restore();
    become(command, stream, report[1]);
  }
  run.start_error = process < 0 ? errno : 0;
  command_process = process;
  close(stream.there);
  close(report[1]);
  LastWords words(keep);
  int status = 0;
  if (process > 0) {
    run.start_error = start_error(report[0]);
    listen(stream, process, status, words, pass_on);
  }
  command_process = 0;
  error_terminal = -1;
  close(stream.here);
  close(report[0]);
  run.started = process > 0 && run.start_error == 0;
  run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  run.status = run.signal != 0 ? 128 + run.signal : WEXITSTATUS(status);
  run.last_words = words.take();
  return run;
}

}  // namespace whyfail::probes
