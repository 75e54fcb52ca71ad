// A knowledge base file that is damaged in any way gives a KnowledgeBaseError or empty answers, never a crash. An input
// is a list of changes (three bytes of place, one byte of value) to a small sound image; one that begins with 0xff is
// taken as a whole file.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "kb/build/build.h"
#include "kb/knowledge_base.h"
#include "matchers/reading.h"

namespace {

const char* const entry = R"(id = "one"
title = "The disk is full of weights"
severity = "error"
what = "What."
why = "Why."
advice = "Advice."
[[source]]
title = "library 1.0"
[[recipe]]
strategy = "offload-folder"
folder = "offload"
[[wording]]
text = "The disk {name} is full of weights"
exceptions = ["ValueError"]
package = "library"
releases = ["1.0.0..2.0.0"]
samples = ["ValueError: The disk a is full of weights"]
)";

std::string temporary(const char* pattern, char* (*make)(char*)) {
  std::string name = (std::filesystem::temp_directory_path() / pattern).string();
  if (make(name.data()) == nullptr) std::abort();
  return name;
}

const std::string& sound_image() {
  static const std::string image = [] {
    const std::string folder = temporary("whyfail-fuzz-XXXXXX", ::mkdtemp);
    std::filesystem::create_directories(folder + "/failures");
    std::ofstream(folder + "/failures/one.toml") << entry;
    std::string bytes = whyfail::kb::build_image(folder).image;
    std::filesystem::remove_all(folder);
    return bytes;
  }();
  return image;
}

// The file that each input is written to; one a process.
const std::string& file_name() {
  static const std::string name =
      temporary("whyfail-fuzz-XXXXXX", [](char* pattern) { return ::mkstemp(pattern) < 0 ? nullptr : pattern; });
  return name;
}

std::string damaged(const std::uint8_t* data, std::size_t size) {
  std::string image = sound_image();
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t place = data[i] | std::size_t{data[i + 1]} << 8U | std::size_t{data[i + 2]} << 16U;
    image[place % image.size()] = static_cast<char>(data[i + 3]);
  }
  return image;
}

void ask_everything(const whyfail::kb::KnowledgeBase& base) {
  whyfail::matchers::read_paste("ValueError: The disk a is full of weights", base);
  for (const whyfail::kb::FailureSummary& failure : base.failures()) {
    base.failure(failure.id);
    base.wordings(failure.id);
  }
  base.failure("one");
  base.versions_of(1);
  base.size_template("llama", 4);
  base.catalogue("gpt2");
  base.search("disk full");
  base.similar("the disk is full of weights today");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool whole = size > 0 && data[0] == 0xff;
  const std::string image =
      whole ? std::string(reinterpret_cast<const char*>(data) + 1, size - 1) : damaged(data, size);
  std::ofstream(file_name(), std::ios::binary | std::ios::trunc) << image;
  try {
    ask_everything(whyfail::kb::KnowledgeBase::open(file_name()));
  } catch (const whyfail::kb::KnowledgeBaseError&) {
  }
  return 0;
}
