// Which releases of a package a text can come from, and what each release accepts. Data read from 593 releases.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kb/knowledge_base.h"
#include "kb/release.h"

namespace whyfail::kb {

// A frame of a traceback as far as it tells a release.
struct FrameSeen {
  std::string file;  // path below site-packages with forward slashes: "transformers/modeling_utils.py"
  int line = 0;
  std::string function;  // empty: not shown
  std::string text;      // the source line shown; empty: not shown
};

// All releases of `package` that fit every frame, oldest first. Empty: no frame of the package, or none fits all.
std::vector<Release> releases_with(const KnowledgeBase& kb, std::string_view package,
                                   const std::vector<FrameSeen>& frames);

// All known releases of a package, oldest first.
std::vector<Release> releases_of(const KnowledgeBase& kb, std::string_view package);
// The accelerate release that was current with a transformers release (used when only one is known).
std::optional<Release> accelerate_of(const KnowledgeBase& kb, const Release& transformers);

// Whether `argument` exists in `function` of `package` in that release: function "PreTrainedModel.from_pretrained",
// "BitsAndBytesConfig.__init__", "pipeline", "load_checkpoint_and_dispatch" … Unknown functions give nullopt.
std::optional<bool> has_argument(const KnowledgeBase& kb, std::string_view package, std::string_view function,
                                 std::string_view argument, const Release& release);

}  // namespace whyfail::kb
