// The map from cleaned text back to the paste: runs of bytes, looked up by binary search.
#include "matchers/clean_text.h"

#include <algorithm>
#include <utility>

namespace whyfail::matchers {
namespace {

constexpr std::uint32_t kLongestRun = 0x7FFFFFFF;

}  // namespace

void CleanText::append(std::string_view piece, std::uint64_t origin, bool verbatim, std::uint64_t origin_length) {
  if (piece.empty()) return;
  const std::uint64_t whole = verbatim ? piece.size() : origin_length;
  const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, kLongestRun));
  Run* last = runs_.empty() ? nullptr : &runs_.back();
  const bool follows = last != nullptr && verbatim && last->verbatim != 0 && last->paste + last->paste_length == origin;
  if (follows && last->paste_length + whole <= kLongestRun) {
    last->paste_length = (last->paste_length + length) & kLongestRun;
  } else {
    runs_.push_back({origin, static_cast<std::uint32_t>(text_.size()), verbatim, length & kLongestRun});
  }
  text_ += piece;
}

void CleanText::take(const CleanText& earlier, std::size_t begin, std::size_t end) {
  end = std::min(end, earlier.text_.size());
  const std::string_view text = earlier.text_;
  for (std::size_t index = earlier.run_at(begin); begin < end && index < earlier.runs_.size(); ++index) {
    const Run& run = earlier.runs_[index];
    const std::size_t run_end = index + 1 < earlier.runs_.size() ? earlier.runs_[index + 1].clean : text.size();
    const std::size_t stop = std::min(end, run_end);
    const std::uint64_t origin = run.verbatim != 0 ? run.paste + (begin - run.clean) : run.paste;
    append(text.substr(begin, stop - begin), origin, run.verbatim != 0, run.paste_length);
    begin = stop;
  }
}

void CleanText::replace(std::string_view piece, const CleanText& earlier, std::size_t begin, std::size_t end) {
  const Span place = earlier.origin(begin, end);
  append(piece, place.begin, false, place.end > place.begin ? place.end - place.begin : 0);
}

std::size_t CleanText::run_at(std::size_t clean) const {
  auto after = std::upper_bound(runs_.begin(), runs_.end(), clean,
                                [](std::size_t position, const Run& run) { return position < run.clean; });
  return after == runs_.begin() ? runs_.size() : static_cast<std::size_t>(after - runs_.begin()) - 1;
}

Span CleanText::origin(std::size_t begin, std::size_t end) const {
  const std::size_t first_index = run_at(begin);
  const std::size_t last_index = run_at(end > begin ? end - 1 : begin);
  if (first_index >= runs_.size() || last_index >= runs_.size()) return {};
  const Run& first = runs_[first_index];
  const Run& last = runs_[last_index];
  Span span;
  span.begin = first.paste + (first.verbatim != 0 ? begin - first.clean : 0);
  span.end = last.verbatim != 0 ? last.paste + (end - last.clean) : last.paste + last.paste_length;
  return span;
}

void CleanText::set_lines(int first, std::vector<std::uint64_t> starts) {
  lines_ = std::make_shared<const Lines>(Lines{first, std::move(starts)});
}

void CleanText::take_lines(const CleanText& earlier) { lines_ = earlier.lines_; }

int CleanText::line_of(std::size_t clean) const { return paste_line(origin(clean, clean + 1).begin); }

int CleanText::paste_line(std::uint64_t paste) const {
  if (lines_ == nullptr) return 0;
  const auto after = std::upper_bound(lines_->starts.begin(), lines_->starts.end(), paste);
  return lines_->first + static_cast<int>(after - lines_->starts.begin());
}

}  // namespace whyfail::matchers
