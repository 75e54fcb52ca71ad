// fork, a pipe, and a clock.
#include "probes/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace whyfail::probes {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t largest_answer = 16U << 20U;
constexpr char whole = '\n';  // after the text: the child came to its end

void write_all(int pipe, std::string text) {
  text += whole;
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(pipe, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    done += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void run_child(const std::function<std::string()>& work, int pipe) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (int signal_number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT}) {
    signal(signal_number, SIG_DFL);
  }
  if (const int nowhere = open("/dev/null", O_RDWR); nowhere >= 0) {
    for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  }
  write_all(pipe, work());
  _exit(0);
}

// Reads until the child closes the pipe; false when the time is over.
bool read_until_closed(int pipe, Clock::time_point deadline, std::string& text) {
  char block[4096];
  while (text.size() < largest_answer) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{pipe, POLLIN, 0};
    const int count = poll(&ready, 1, static_cast<int>(left));
    if (count < 0 && errno != EINTR) return true;
    if (count <= 0) continue;
    const ssize_t length = read(pipe, block, sizeof block);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return true;
    text.append(block, static_cast<std::size_t>(length));
  }
  return true;
}

// A process stuck in a driver call cannot even be killed; it is not waited for longer than this.
void reap(pid_t child) {
  for (int i = 0; i < 50; ++i) {
    if (waitpid(child, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

ChildAnswer ask_child(const std::function<std::string()>& work, std::chrono::milliseconds limit) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  for (int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  const auto deadline = Clock::now() + limit;
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {};
  }
  if (child == 0) {
    close(ends[0]);
    run_child(work, ends[1]);
  }
  close(ends[1]);
  ChildAnswer answer;
  const bool ended = read_until_closed(ends[0], deadline, answer.text);
  close(ends[0]);
  if (!ended) kill(child, SIGKILL);
  reap(child);
  const bool complete = answer.text.ends_with(whole);
  answer.end = complete ? ChildAnswer::End::answered : ended ? ChildAnswer::End::crashes : ChildAnswer::End::hangs;
  return answer;
}

}  // namespace whyfail::probes
