// A knowledge base file that is damaged in any way gives a KnowledgeBaseError or empty answers, never a crash.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "kb/image_layout.h"
#include "kb/knowledge_base.h"
#include "matchers/anchors.h"
#include "matchers/reading.h"

namespace {

// The file that each input is written to; one a process.
const std::string& file_name() {
  static const std::string name = [] {
    std::string made = (std::filesystem::temp_directory_path() / "whyfail-fuzz-XXXXXX").string();
    if (::mkstemp(made.data()) < 0) std::abort();
    return made;
  }();
  return name;
}

void ask_everything(const whyfail::kb::KnowledgeBase& base) {
  whyfail::matchers::read_paste("ValueError: The disk a is full of weights", base);
  for (const whyfail::kb::FailureSummary& failure : base.failures()) {
    base.failure(failure.id);
    base.wordings(failure.id);
  }
  base.versions_of(1);
  base.size_template("llama", 4);
  base.catalogue("gpt2");
  base.search("disk full");
  base.similar("the disk is full of weights today");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The first byte says whether the input is a whole file or a database that gets a sound filter.
  const bool whole = size > 0 && (bytes[0] & 1) != 0;
  const std::string image =
      whole || size == 0 ? std::string(bytes.substr(size > 0 ? 1 : 0))
                         : whyfail::kb::assemble_image(bytes.substr(1), whyfail::matchers::make_anchor_filter({}));
  std::ofstream(file_name(), std::ios::binary | std::ios::trunc) << image;
  try {
    ask_everything(whyfail::kb::KnowledgeBase::open(file_name()));
  } catch (const whyfail::kb::KnowledgeBaseError&) {
  }
  return 0;
}
