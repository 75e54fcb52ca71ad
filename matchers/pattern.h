// What a pattern is, and the door through which the matchers get patterns. The knowledge base implements the door.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whyfail::matchers {

enum class Severity { error, warning };

inline constexpr char kAlternative = '\x1f';

// What a capture may hold, and how it is cut out of the text (data/README.md).
enum class CaptureKind { word, quoted, path, number, size, list, rest };

// One wording of one failure, ready to be confirmed. Made by compile_wording() (wording.h) when the knowledge base is
// built, stored in its image, read back when an anchor of it was seen.
struct Pattern {
  std::int64_t id = 0;
  std::string failure;  // "offload-folder-required"
  Severity severity = Severity::error;
  // Class names that may stand before the message, without module path; empty: any, also none.
  std::vector<std::string> exceptions;
  std::string expression;             // RE2 over the squeezed form (squeezed.h); named groups are captures
  std::string anchor;                 // literal that must be in that form if the expression matches; never empty
  std::vector<std::string> literals;  // all texts that must be there, in this order (squeezed); cheap to test first
  // Of each, one alternative must be there, too (squeezed; alternatives are joined by kAlternative).
  std::vector<std::string> choices;
  std::vector<std::pair<std::string, CaptureKind>> captures;  // kinds of the named groups
  // Captures that stand outside of the message: name and RE2 (one group) over the plain text (nearby.h).
  std::vector<std::pair<std::string, std::string>> nearby;
  bool needs_context = false;  // message too common to be believed without a library frame or an exception of a chain
  std::vector<std::string> frames;  // path or function fragments, one of which must be in a frame; empty: no demand
};

// Hands out patterns by what was seen in the text, so that nothing is loaded that is not needed.
class PatternSource {
 public:
  virtual ~PatternSource() = default;
  // A bit set of fixed size over hashes of anchor beginnings (anchors.h); lives as long as the source.
  virtual std::string_view anchor_filter() const = 0;
  // Patterns whose anchor begins with text of this hash; empty for a false alarm of the filter.
  virtual std::vector<Pattern> patterns_with(std::uint64_t anchor_hash) const = 0;
};

}  // namespace whyfail::matchers
