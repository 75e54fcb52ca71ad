// What stands before the lines of a log, learnt from one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matchers/text_lines.h"

namespace whyfail::matchers {

// A prefix with its numbers left open: "[rank0]: " stands for "[rank1]: " too.
class Prefix {
 public:
  explicit Prefix(std::string_view shown) {
    std::size_t at = 0;
    while (at < shown.size()) {
      const std::size_t begin = at;
      const bool number = is_digit(shown[at]), blank = is_blank(shown[at]);
      while (at < shown.size() && is_digit(shown[at]) == number && is_blank(shown[at]) == blank) ++at;
      Piece piece{number  ? Kind::number
                  : blank ? Kind::blanks
                          : Kind::letters,
                  std::string(shown.substr(begin, at - begin))};
      if (piece.kind == Kind::number) piece.text = "0";
      pieces_.push_back(std::move(piece));
    }
  }

  bool operator==(const Prefix& other) const { return pieces_ == other.pieces_; }

  // Length of this prefix at the start of `line`; nullopt: the line doesn't have it. A line that ends within the
  // blanks that close the prefix had nothing after it.
  std::optional<std::size_t> length_in(std::string_view line) const {
    std::size_t at = 0;
    for (std::size_t index = 0; index < pieces_.size(); ++index) {
      const Piece& piece = pieces_[index];
      const bool last = index + 1 == pieces_.size();
      if (piece.kind == Kind::number) {
        const std::size_t begin = at;
        while (at < line.size() && is_digit(line[at])) ++at;
        if (at == begin) return std::nullopt;
      } else if (piece.kind == Kind::blanks && !last) {
        const std::size_t begin = at;
        while (at < line.size() && is_blank(line[at])) ++at;
        if (at == begin && index > 0) return std::nullopt;
      } else if (piece.kind == Kind::blanks) {
        std::size_t left = piece.text.size();
        while (left > 0 && at < line.size() && is_blank(line[at])) ++at, --left;
        if (left > 0 && at < line.size()) return std::nullopt;
      } else {
        if (!line.substr(at).starts_with(piece.text)) return std::nullopt;
        at += piece.text.size();
      }
    }
    return at;
  }

 private:
  enum class Kind { letters, number, blanks };
  struct Piece {
    Kind kind;
    std::string text;
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> pieces_;
};

}  // namespace whyfail::matchers
