// Requests are answered one by one: ten times as many take no more memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <istream>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>

#include "cli/place_command.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

namespace whyfail::cli {
namespace {

#ifdef UNDER_SANITIZER
constexpr int kRequests = 100;
constexpr long kMostGrowthKib = 400 * 1024;  // freed memory is kept aside by the sanitizer
#else
constexpr int kRequests = 1000;
constexpr long kMostGrowthKib = 4 * 1024;
#endif

// A different tree, budget and class name each time, so that nothing can be answered from what was kept.
std::string request(int number) {
  const std::string id = std::to_string(number);
  const bool whole_call = number % 20 == 0;
  const std::string entry =
      whole_call ? "transformers.from_pretrained(device_map)" : "accelerate.infer_auto_device_map";
  return R"({"id":)" + id + R"(,"entry":")" + entry +
         R"(","lib":{"transformers":"4.44.2","accelerate":"0.33.0"},"argument":"auto","max_memory":[[0,)" +
         std::to_string(1000 + number) +
         R"(],["cpu",100000]],"faked":{"gpus":[{"free":90000}],"cpu_available":100000},)" + R"("no_split":["B)" + id +
         R"("],"model":{"class":"Model)" + id + R"(","tree":{"c":"Model)" + id + R"(","k":[[[0,40],{"c":"B)" + id +
         R"(","p":[["weight",[)" + std::to_string(1 + number % 50) + R"(],"f16"]]}]]}}})" + "\n";
}

// Lines made when they are read.
class Requests : public std::streambuf {
 public:
  explicit Requests(int count) : count_(count) {}

 protected:
  int_type underflow() override {
    if (next_ == count_) return traits_type::eof();
    line_ = request(next_++);
    setg(line_.data(), line_.data(), line_.data() + line_.size());
    return traits_type::to_int_type(line_.front());
  }

 private:
  int count_;
  int next_ = 0;
  std::string line_;
};

// Counts lines, keeps nothing.
class Answers : public std::streambuf {
 public:
  int lines = 0;

 protected:
  int_type overflow(int_type c) override {
    if (c == '\n') ++lines;
    return traits_type::not_eof(c);
  }
};

long peak_kib_after(int requests) {
  Requests source(requests);
  Answers sink;
  std::istream in(&source);
  std::ostream out(&sink);
  std::ostringstream errors;
  EXPECT_EQ(place(in, out, errors, {}), 0) << errors.str();
  EXPECT_EQ(sink.lines, requests);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Streaming, TenTimesAsManyRequestsTakeNoMoreMemory) {
  const long few = peak_kib_after(kRequests);
  const long many = peak_kib_after(10 * kRequests);
  EXPECT_LE(many - few, kMostGrowthKib);
}

TEST(Streaming, EveryRequestOfTheStreamIsAnsweredWithAMap) {
  std::stringstream in(request(1) + request(20));
  std::stringstream out;
  std::ostringstream errors;
  ASSERT_EQ(place(in, out, errors, {}), 0);
  std::string line;
  while (std::getline(out, line)) EXPECT_NE(line.find("\"device_map\""), std::string::npos) << line;
}

}  // namespace
}  // namespace whyfail::cli
