// Looks at one chain of exceptions.
#include "matchers/cause.h"

#include <algorithm>
#include <string>

#include "matchers/cut_message.h"
#include "matchers/typed_off.h"

namespace whyfail::matchers {
namespace {

std::string_view class_name(std::string_view exception) {
  const std::size_t dot = exception.rfind('.');
  return dot == std::string_view::npos ? exception : exception.substr(dot + 1);
}

std::string with_slashes(std::string_view path) {
  std::string text(path);
  std::replace(text.begin(), text.end(), '\\', '/');
  return text;
}

bool has_fragment(const Frame& frame, std::string_view fragment) {
  return with_slashes(frame.file).find(fragment) != std::string::npos ||
         frame.function.find(fragment) != std::string::npos;
}

bool has_frame(const Raised& raised, const std::vector<std::string>& fragments) {
  return std::any_of(raised.frames.begin(), raised.frames.end(), [&](const Frame& frame) {
    return std::any_of(fragments.begin(), fragments.end(),
                       [&](const std::string& fragment) { return has_fragment(frame, fragment); });
  });
}

// Packages that place weights; a message of theirs comes with a frame of theirs.
const std::vector<std::string>& library_folders() {
  static const std::vector<std::string> folders = {"transformers/", "accelerate/",  "diffusers/",      "peft/",
                                                   "torch/",        "safetensors/", "huggingface_hub/"};
  return folders;
}

// Where the message begins in the clean text: behind "Type: ".
std::size_t message_begin(std::string_view clean, const Raised& raised) {
  std::size_t position = raised.clean_begin;
  const std::string_view block = clean.substr(0, raised.clean_end);
  if (!raised.type.empty()) {
    const std::size_t type = block.find(raised.type, position);
    if (type == std::string_view::npos) return position;
    position = type + raised.type.size();
    while (position < block.size() && (block[position] == ' ' || block[position] == ':')) ++position;
  }
  return std::min(position, raised.clean_end);
}

// A message may hold blank lines, where reading its traceback ends; so far behind them it is looked for.
constexpr std::size_t longest_rest = 4096;

// The message of `raised`, taken to reach from its type to clean byte `end`.
std::optional<Confirmed> confirm_message(Confirmation& confirmation, const CleanText& clean, const Chain& chain,
                                         const Raised& raised, std::size_t end) {
  const std::string_view text = clean.text();
  const std::size_t begin = std::min(raised.clean_begin, end);
  const Piece piece{text, Squeezed(text, begin, end)};
  const std::size_t size = piece.squeezed.text().size();
  const std::size_t start = message_start(piece, raised);
  for (const Confirmation::Candidate& candidate : confirmation.candidates(piece.squeezed.text(), 0, size)) {
    const Pattern& pattern = *candidate.pattern;
    if (pattern.severity == Severity::warning || !may_carry(pattern, raised.type)) continue;
    if (!believed(pattern, chain, raised)) continue;
    if (auto confirmed = confirmation.confirm(pattern, piece, {start, size, false})) return confirmed;
  }
  return std::nullopt;
}

std::optional<Confirmed> confirm_swapped(Confirmation& confirmation, const CleanText& clean, const Raised& raised,
                                         std::size_t end) {
  const Piece piece{clean.text(), Squeezed(clean.text(), std::min(raised.clean_begin, end), end)};
  const Stretch stretch{message_start(piece, raised), piece.squeezed.text().size(), true};
  if (stretch.begin >= stretch.end) return std::nullopt;
  return confirm_typed_off(confirmation, piece, stretch, raised.type);
}

// `begins`: where the exceptions of the chain begin, sorted.
std::optional<Confirmed> confirm_exception(Confirmation& confirmation, const CleanText& clean, const Chain& chain,
                                           std::size_t index, const std::vector<std::size_t>& begins) {
  const Raised& raised = chain.raised[index];
  const std::size_t end = std::min(raised.clean_end, clean.text().size());
  if (auto confirmed = confirm_message(confirmation, clean, chain, raised, end)) return confirmed;
  if (raised.type.empty()) return std::nullopt;
  if (auto confirmed = confirm_swapped(confirmation, clean, raised, end)) return confirmed;
  std::size_t further = std::min(end + longest_rest, clean.text().size());
  const auto next = std::upper_bound(begins.begin(), begins.end(), end);
  if (next != begins.end()) further = std::min(further, *next);
  if (further == end) return std::nullopt;
  auto confirmed = confirm_message(confirmation, clean, chain, raised, further);
  return confirmed && !confirmed->pattern.exceptions.empty() ? std::move(confirmed) : std::nullopt;
}

// Signs that may stand behind a message that was cut off: what somebody pasted after it.
constexpr std::size_t most_behind_cut = 200;

// A library raised it itself; what Python says about a wrong call of the user's own may begin like many things.
bool raised_by_library(const Raised& raised) {
  if (raised.frames.empty()) return false;
  const Frame& last = raised.frames.back();
  return std::any_of(library_folders().begin(), library_folders().end(),
                     [&](const std::string& folder) { return has_fragment(last, folder); });
}

// "NAME=value": a line that is no part of a message.
bool is_setting(std::string_view line) {
  const std::size_t sign = line.find('=');
  return sign != std::string_view::npos && sign > 0 &&
         line.substr(0, sign).find_first_of(" '\"`(") == std::string_view::npos;
}

// The last exception's message, if the paste ends within it.
std::optional<Confirmed> confirm_cut(Confirmation& confirmation, const CleanText& clean, const Chain& chain) {
  const Raised& raised = chain.raised.back();
  const std::string_view text = clean.text();
  if (raised.type.empty() || !raised_by_library(raised) || raised.clean_end + most_behind_cut < text.size()) {
    return std::nullopt;
  }
  const std::size_t begin = message_begin(text, raised);
  std::size_t end = std::min(raised.clean_end, text.size());
  const std::size_t line_end = text.find('\n', begin);
  if (line_end < end && is_setting(text.substr(line_end + 1, end - line_end - 1))) end = line_end;
  if (end <= begin) return std::nullopt;
  const std::string message = Squeezed(text, begin, end).text();
  std::optional<Pattern> pattern = find_cut_message(confirmation.source(), message, raised.type);
  if (!pattern || !believed(*pattern, chain, raised)) return std::nullopt;
  return Confirmed{std::move(*pattern), {}, begin, end};
}

}  // namespace

bool believed(const Pattern& pattern, const Chain& chain, const Raised& raised) {
  if (!pattern.frames.empty() && !has_frame(raised, pattern.frames)) return false;
  if (!pattern.needs_context) return true;
  return chain.raised.size() > 1 || has_frame(raised, library_folders());
}

std::size_t message_start(const Piece& piece, const Raised& raised) {
  const std::size_t message = message_begin(piece.clean, raised);
  std::size_t start = 0;
  while (start < piece.squeezed.text().size() && piece.squeezed.origin(start) < message) ++start;
  return start;
}

bool may_carry(const Pattern& pattern, std::string_view exception) {
  if (pattern.exceptions.empty() || exception.empty()) return true;
  const std::string_view name = class_name(exception);
  return std::any_of(pattern.exceptions.begin(), pattern.exceptions.end(),
                     [&](const std::string& known) { return known == exception || class_name(known) == name; });
}

std::optional<Cause> find_cause(Confirmation& confirmation, const CleanText& clean, const Chain& chain) {
  std::vector<std::size_t> begins;
  for (const Raised& raised : chain.raised) begins.push_back(raised.clean_begin);
  std::sort(begins.begin(), begins.end());
  for (std::size_t i = chain.raised.size(); i-- > 0;) {
    auto confirmed = confirm_exception(confirmation, clean, chain, i, begins);
    // Only the last message can have been cut off by the end of the paste, and it goes before those that led to it.
    if (!confirmed && i + 1 == chain.raised.size()) confirmed = confirm_cut(confirmation, clean, chain);
    if (confirmed) return Cause{i, std::move(*confirmed)};
  }
  return std::nullopt;
}

bool is_launcher_trailer(const Chain& chain) {
  if (chain.raised.empty()) return true;
  const std::string_view name = class_name(chain.raised.back().type);
  for (const std::string_view trailer :
       {"ChildFailedError", "CalledProcessError", "ProcessExitedException", "RemoteTraceback", "_RemoteTraceback"}) {
    if (name == trailer) return true;
  }
  return false;
}

}  // namespace whyfail::matchers
