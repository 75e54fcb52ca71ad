// One pass over the raw bytes that keeps what is worth reading. Memory does not grow with the input: a window of it is
// held, and what is kept is bounded.
#include "matchers/islands.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>

#include "matchers/landmarks.h"

namespace whyfail::matchers {
namespace {

constexpr std::size_t kChunk = 1024 * 1024;
constexpr std::size_t kBefore = 16 * 1024;   // kept before a landmark: the frames above an exception line
constexpr std::size_t kAfter = 32 * 1024;    // and after it: the frames below a head
constexpr std::size_t kOpening = 16 * 1024;  // the beginning of the input is kept: commands, versions
constexpr std::size_t kEnding = 64 * 1024;   // and its end, which tells how the run ended
constexpr std::size_t kReach = std::max(kEnding, kBefore + 4 * kLongestLandmark);
constexpr std::size_t kHeadOfIsland = kLongestIsland / 4;
constexpr std::size_t kTailOfIsland = kLongestIsland - kHeadOfIsland;

std::size_t read_fully(ByteSource& source, char* buffer, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t count = source.read(buffer + filled, size - filled);
    if (count == 0) break;
    filled += std::min(count, size - filled);
  }
  return filled;
}

Encoding encoding_of(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE")) return Encoding::utf16_little;
  if (bytes.starts_with("\xFE\xFF")) return Encoding::utf16_big;
  // Without a mark: half of the bytes of Latin text in UTF-16 are zero.
  const std::string_view head = bytes.substr(0, 4096);
  std::size_t even = 0, odd = 0;
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (head[at] == '\0') ++(at % 2 == 0 ? even : odd);
  }
  if (odd * 10 > head.size() * 3 && even * 10 < head.size()) return Encoding::utf16_little;
  if (even * 10 > head.size() * 3 && odd * 10 < head.size()) return Encoding::utf16_big;
  return Encoding::utf8;
}

// An island while it grows. Of a long one the middle is dropped.
class Growing {
 public:
  Growing(std::uint64_t begin, int line, Encoding encoding) : head_{{}, begin, line, encoding} {}

  std::uint64_t end() const { return head_.begin + head_.bytes.size() + dropped_ + tail_.size(); }

  void append(std::string_view bytes) {
    const std::size_t room = kHeadOfIsland - std::min(kHeadOfIsland, head_.bytes.size());
    head_.bytes += bytes.substr(0, room);
    bytes.remove_prefix(std::min(room, bytes.size()));
    tail_ += bytes;
    if (tail_.size() <= 2 * kTailOfIsland) return;
    const std::size_t drop = (tail_.size() - kTailOfIsland) & ~std::size_t{1};
    dropped_lines_ += count_line_ends(std::string_view(tail_).substr(0, drop));
    dropped_ += drop;
    tail_.erase(0, drop);
  }

  void finish(std::vector<Island>& islands) {
    if (dropped_ == 0) {
      head_.bytes += tail_;
      islands.push_back(std::move(head_));
      return;
    }
    Island tail{std::move(tail_), head_.begin + head_.bytes.size() + dropped_, head_.line, head_.encoding};
    tail.line += static_cast<int>(count_line_ends(head_.bytes) + dropped_lines_);
    islands.push_back(std::move(head_));
    islands.push_back(std::move(tail));
  }

 private:
  Island head_;
  std::string tail_;
  std::uint64_t dropped_ = 0;
  std::size_t dropped_lines_ = 0;
};

// What is kept of all islands: the first ones, then the last ones.
class Kept {
 public:
  void add(Island island) {
    if (first_bytes_ + island.bytes.size() <= kAllIslands / 4 && last_.empty()) {
      first_bytes_ += island.bytes.size();
      first_.push_back(std::move(island));
      return;
    }
    last_bytes_ += island.bytes.size();
    last_.push_back(std::move(island));
    while (last_bytes_ > kAllIslands - kAllIslands / 4 && last_.size() > 1) {
      last_bytes_ -= last_.front().bytes.size();
      last_.pop_front();
    }
  }

  std::vector<Island> all() {
    std::move(last_.begin(), last_.end(), std::back_inserter(first_));
    return std::move(first_);
  }

 private:
  std::vector<Island> first_;
  std::deque<Island> last_;
  std::size_t first_bytes_ = 0;
  std::size_t last_bytes_ = 0;
};

class Collector {
 public:
  Collector(ByteSource& source, std::string beginning)
      : source_(source), buffer_(std::move(beginning)), filled_(buffer_.size()), encoding_(encoding_of(buffer_)) {
    buffer_.resize(std::max(kReach, filled_) + kChunk);
  }

  std::vector<Island> collect() {
    keep(0, kOpening);
    scan(false);
    while (true) {
      slide();
      const std::size_t count = read_fully(source_, buffer_.data() + filled_, kChunk);
      if (count == 0) break;
      filled_ += count;
      scan(false);
    }
    scan(true);
    const std::uint64_t end = window_end();
    keep(end - std::min<std::uint64_t>(end, kEnding), end);
    emit();
    close();
    return kept_.all();
  }

 private:
  // Drops what no landmark to come can reach back to.
  void slide() {
    if (filled_ <= kReach) return;
    const std::size_t drop = (filled_ - kReach) & ~std::size_t{1};
    lines_before_window_ += count_line_ends(window().substr(0, drop));
    std::memmove(buffer_.data(), buffer_.data() + drop, filled_ - drop);
    filled_ -= drop;
    window_begin_ += drop;
  }

  std::string_view window() const { return std::string_view(buffer_).substr(0, filled_); }
  std::uint64_t window_end() const { return window_begin_ + filled_; }

  void scan(bool all) {
    const std::size_t from = static_cast<std::size_t>(scanned_ - window_begin_);
    const std::string_view fresh = window().substr(from);
    positions_.clear();
    if (encoding_ == Encoding::utf8) {
      find_landmarks(fresh, positions_);
    } else {
      find_in_utf16(fresh);
    }
    for (const std::size_t position : positions_) {
      const std::uint64_t at = scanned_ + position;
      keep(at - std::min<std::uint64_t>(at, kBefore), at + kAfter);
    }
    emit();
    // A landmark cut by the end of the window is seen whole with the next chunk.
    const std::size_t again = all ? 0 : std::min(fresh.size(), 2 * kLongestLandmark);
    scanned_ += (fresh.size() - again) & ~std::size_t{1};
  }

  // Landmarks are plain ASCII: the other half of each unit is zero.
  void find_in_utf16(std::string_view fresh) {
    narrow_.clear();
    const std::size_t low = encoding_ == Encoding::utf16_little ? 0 : 1;
    for (std::size_t at = 0; at + 1 < fresh.size(); at += 2) {
      narrow_ += fresh[at + 1 - low] == '\0' ? fresh[at + low] : '\x80';
    }
    find_landmarks(narrow_, positions_);
    for (std::size_t& position : positions_) position *= 2;
  }

  // Bytes [begin, end) of the paste are worth reading; `end` may lie ahead.
  void keep(std::uint64_t begin, std::uint64_t end) {
    if (open_ && begin <= std::max(keep_until_, open_->end())) {
      keep_until_ = std::max(keep_until_, end);
      return;
    }
    emit();
    close();
    begin = line_start(std::max(begin, window_begin_));
    const std::size_t skipped = static_cast<std::size_t>(begin - window_begin_);
    const std::size_t lines = lines_before_window_ + count_line_ends(window().substr(0, skipped));
    open_ = std::make_unique<Growing>(begin, static_cast<int>(std::min<std::size_t>(lines, 0x7FFFFFF0)) + 1, encoding_);
    keep_until_ = end;
  }

  // The next beginning of a line, if there is one nearby; an even byte in UTF-16.
  std::uint64_t line_start(std::uint64_t begin) const {
    if (begin == 0 || encoding_ != Encoding::utf8) return begin & ~std::uint64_t{1};
    const std::size_t at = static_cast<std::size_t>(begin - window_begin_);
    const std::size_t newline = window().find('\n', at == 0 ? 0 : at - 1);
    return newline == std::string_view::npos || newline > at + kBefore / 2 ? begin : window_begin_ + newline + 1;
  }

  void emit() {
    if (!open_) return;
    const std::uint64_t from = open_->end(), to = std::min<std::uint64_t>(keep_until_, window_end());
    if (to <= from) return;
    open_->append(window().substr(static_cast<std::size_t>(from - window_begin_), static_cast<std::size_t>(to - from)));
  }

  void close() {
    if (!open_) return;
    std::vector<Island> islands;
    open_->finish(islands);
    open_.reset();
    for (Island& island : islands) kept_.add(std::move(island));
  }

  ByteSource& source_;
  std::string buffer_;  // the window is its first part
  std::size_t filled_;
  Encoding encoding_;
  std::uint64_t window_begin_ = 0;  // where the window stands in the paste
  std::uint64_t scanned_ = 0;       // landmarks before this byte of the paste are known
  std::size_t lines_before_window_ = 0;
  std::string narrow_;
  std::vector<std::size_t> positions_;
  std::unique_ptr<Growing> open_;
  std::uint64_t keep_until_ = 0;
  Kept kept_;
};

}  // namespace

std::vector<Island> find_islands(ByteSource& source) {
  // Most pastes are small: no large buffer is touched for them.
  std::string beginning;
  for (const std::size_t wanted : {kOpening, kWholeInput + 1}) {
    const std::size_t before = beginning.size();
    beginning.resize(wanted);
    beginning.resize(before + read_fully(source, beginning.data() + before, wanted - before));
    if (beginning.size() < wanted) break;
  }
  if (beginning.empty()) return {};
  if (beginning.size() > kWholeInput) return Collector(source, std::move(beginning)).collect();
  const Encoding encoding = encoding_of(beginning);
  std::vector<Island> islands;
  islands.push_back({std::move(beginning), 0, 1, encoding});
  return islands;
}

}  // namespace whyfail::matchers
