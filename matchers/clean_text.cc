// The map from cleaned text back to the paste: runs of bytes, looked up by binary search.
#include "matchers/clean_text.h"

#include <algorithm>

namespace whyfail::matchers {

void CleanText::append(std::string_view piece, std::uint64_t origin, bool verbatim, std::uint64_t origin_length) {
  if (piece.empty()) return;
  const std::uint64_t length = verbatim ? piece.size() : origin_length;
  if (verbatim && !runs_.empty() && runs_.back().verbatim && runs_.back().paste + runs_.back().paste_length == origin) {
    runs_.back().paste_length += length;
  } else {
    runs_.push_back({text_.size(), origin, length, verbatim});
  }
  text_ += piece;
}

const CleanText::Run* CleanText::run_at(std::size_t clean) const {
  auto after = std::upper_bound(runs_.begin(), runs_.end(), clean,
                                [](std::size_t position, const Run& run) { return position < run.clean; });
  return after == runs_.begin() ? nullptr : &*(after - 1);
}

Span CleanText::origin(std::size_t begin, std::size_t end) const {
  const Run* first = run_at(begin);
  const Run* last = run_at(end > begin ? end - 1 : begin);
  if (first == nullptr || last == nullptr) return {};
  Span span;
  span.begin = first->paste + (first->verbatim ? begin - first->clean : 0);
  span.end = last->verbatim ? last->paste + (end > begin ? end - last->clean : begin - last->clean)
                            : last->paste + last->paste_length;
  return span;
}

}  // namespace whyfail::matchers
