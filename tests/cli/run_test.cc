// A command that is run and watched: status, signals, and what is kept of its standard error.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "probes/watched_process.h"

namespace whyfail::probes {
namespace {

WatchedRun shell(const std::string& script, std::string& passed, std::size_t keep = 1000) {
  return run_watched({"sh", "-c", script}, keep, [&](std::string_view piece) { passed += piece; });
}

TEST(RunWatched, StatusAndWordsOfACommand) {
  std::string passed;
  const WatchedRun run = shell("echo one >&2; echo two >&2; exit 3", passed);
  EXPECT_TRUE(run.started);
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.signal, 0);
  EXPECT_EQ(passed, "one\ntwo\n");
  EXPECT_EQ(run.last_words, passed);
}

TEST(RunWatched, SignalGivesTheStatusOfAShell) {
  std::string passed;
  const WatchedRun run = shell("kill -KILL $$", passed);
  EXPECT_EQ(run.signal, SIGKILL);
  EXPECT_EQ(run.status, 137);
}

TEST(RunWatched, OnlyTheEndIsKept) {
  std::string passed;
  const WatchedRun run = shell("i=0; while [ $i -lt 3000 ]; do echo $i >&2; i=$((i+1)); done", passed, 64);
  EXPECT_GT(passed.size(), 10000U);
  EXPECT_EQ(run.last_words, passed.substr(passed.size() - 64));
}

TEST(RunWatched, CommandThatCannotStart) {
  std::string passed;
  const auto ignore = [](std::string_view) {};
  const WatchedRun missing = run_watched({"/no/such/command"}, 10, ignore);
  EXPECT_FALSE(missing.started);
  EXPECT_EQ(missing.start_error, ENOENT);
  const WatchedRun not_executable = run_watched({"/dev/null"}, 10, ignore);
  EXPECT_FALSE(not_executable.started);
  EXPECT_EQ(not_executable.start_error, EACCES);
}

TEST(RunWatched, SignalsAreHandedOn) {
  std::string passed;
  const WatchedRun run = shell("trap 'exit 7' TERM; kill -TERM $PPID; while :; do sleep 0.02; done", passed);
  EXPECT_EQ(run.status, 7);
}

TEST(RunWatched, ReturnsWhenTheCommandEndsThoughAnotherHoldsItsError) {
  std::string passed;
  const WatchedRun run = shell("sleep 30 >/dev/null & echo $! >&2; exit 4", passed);
  EXPECT_EQ(run.status, 4);
  const int other = std::atoi(passed.c_str());
  ASSERT_GT(other, 1) << passed;
  EXPECT_EQ(::kill(other, 0), 0) << "it returned only when the other process had ended";
  ::kill(other, SIGKILL);
}

}  // namespace
}  // namespace whyfail::probes
