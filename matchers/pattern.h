// What a pattern is, and the door through which the matchers get patterns. The knowledge base implements the door.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::matchers {

enum class Severity { error, warning };

// One wording of one failure, ready to be confirmed. Made by compile_wording() (wording.h) when the knowledge base is
// built, stored in its image, read back when an anchor of it was seen.
struct Pattern {
  std::int64_t id = 0;
  std::string failure;  // "offload-folder-required"
  Severity severity = Severity::error;
  std::vector<std::string>
      exceptions;              // class names that may stand before the message, without module path; empty: any
  std::string expression;      // RE2, over the text form that confirmation.h describes; named groups are captures
  std::string anchor;          // literal that must be in that text form if the expression matches; never empty
  bool needs_context = false;  // message too common to be believed without a library frame or an exception of a chain
  std::vector<std::string> frames;  // if needs_context: path or function fragments, one of which must be in a frame
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
