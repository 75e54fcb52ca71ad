// Which releases of a package a text can come from, and what each release accepts. Data read from 593 releases
// (data/releases): transformers 4.20.0–5.24.0, accelerate 0.10.0–1.15.0, peft, diffusers, bitsandbytes, safetensors,
// huggingface_hub, and torch 2.5.1 and 2.15.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kb/knowledge_base.h"
#include "kb/release.h"

namespace whyfail::kb {

// A frame of a traceback as far as it tells a release.
struct FrameSeen {
  std::string file;      // path below site-packages with forward slashes: "transformers/modeling_utils.py"
  int line = 0;          // 0: not shown
  std::string function;  // empty: not shown
  std::string text;      // the source line shown; empty: not shown
};

// The file of a package that a frame's path names, as FrameSeen::file has it: what stands below site-packages or
// dist-packages, else the longest end of the path that is a known file. Backslashes and "~" are understood. Empty: no
// known file.
std::string library_file(const KnowledgeBase& kb, std::string_view path);

// All releases of `package` that fit every frame, oldest first. Frames of other packages and of files that are not in
// the data are passed over. A frame whose text is missing or cut is judged by function and line. A text that is in no
// release (damaged) only narrows what another frame's text confirms. Empty: no frame tells anything, or none fits all
// (edited or unreleased source).
std::vector<Release> releases_with(const KnowledgeBase& kb, std::string_view package,
                                   const std::vector<FrameSeen>& frames);
// The same with the reason told apart.
struct FrameVerdict {
  bool judged = false;  // at least one frame is of a known file of the package
  std::vector<Release> releases;
};
FrameVerdict judge_frames(const KnowledgeBase& kb, std::string_view package, const std::vector<FrameSeen>& frames);

// All known releases of a package, oldest first.
std::vector<Release> releases_of(const KnowledgeBase& kb, std::string_view package);
// The releases that say exactly the wording behind a pattern, and of which package; nullopt: not known.
struct WordingReleases {
  std::string package;
  std::vector<ReleaseRange> ranges;

  bool contains(const Release& release) const;
};
std::optional<WordingReleases> releases_of_wording(const KnowledgeBase& kb, std::int64_t pattern);
// Releases whose files are the same as those of `release`, itself included: no traceback tells them apart.
std::vector<Release> twins_of(const KnowledgeBase& kb, std::string_view package, const Release& release);
// The accelerate release that was current with a transformers release (used when only one is known): recorded for some
// releases, else that of the nearest earlier one; before the first, that of the first.
std::optional<Release> accelerate_of(const KnowledgeBase& kb, const Release& transformers);

// Whether `argument` exists in `function` of `package` in that release: function "PreTrainedModel.from_pretrained",
// "BitsAndBytesConfig.__init__", "pipeline", "load_checkpoint_and_dispatch" … Unknown functions give nullopt. A release
// newer than the data is taken as the newest known.
std::optional<bool> has_argument(const KnowledgeBase& kb, std::string_view package, std::string_view function,
                                 std::string_view argument, const Release& release);
// The name under which a function takes the weights' type in a release: "dtype" where it exists (transformers 4.56,
// diffusers 0.40), else "torch_dtype"; empty: neither is known there.
std::string dtype_argument(const KnowledgeBase& kb, std::string_view package, std::string_view function,
                           const Release& release);

}  // namespace whyfail::kb
