// Picks library frames out of tracebacks and warnings.
#include "cli/frames_seen.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace whyfail::cli {
namespace {

constexpr std::size_t most_frames = 200;  // of a recursion, more tell nothing new

// Carets that stand behind the line where line ends were lost are no part of it.
std::string without_carets(std::string text) {
  const std::size_t last = text.find_last_not_of("^~ \t");
  const std::size_t end = last == std::string::npos ? 0 : last + 1;
  if (text.find_first_of("^~", end) != std::string::npos && end < text.size() && text[end] == ' ') text.resize(end);
  return text;
}

std::string shown_text(const matchers::Frame& frame) {
  for (const matchers::SourceLine& line : frame.source) {
    if (line.current || (line.number != 0 && line.number == frame.line)) return without_carets(line.text);
  }
  return frame.source.empty() ? std::string() : without_carets(frame.source.front().text);
}

// Tracebacks go through the same files again and again.
using KnownFiles = std::map<std::string, std::string>;  // path as shown → file of a library, or empty

void add_frame(const kb::KnowledgeBase& kb, const matchers::Frame& frame, KnownFiles& known,
               std::vector<kb::FrameSeen>& seen) {
  if (seen.size() >= most_frames) return;
  const auto [entry, is_new] = known.try_emplace(frame.file);
  if (is_new) entry->second = kb::library_file(kb, frame.file);
  std::string file = entry->second;
  if (file.empty()) return;
  seen.push_back({std::move(file), frame.line, frame.function, shown_text(frame)});
}

// "/…/transformers/utils/hub.py:123: FutureWarning: …" → a frame without its text.
std::optional<kb::FrameSeen> warning_place(const kb::KnowledgeBase& kb, std::string_view line) {
  constexpr std::string_view mark = ".py:";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos || line.find("Warning: ", at) == std::string_view::npos) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t");
  const std::size_t digits = at + mark.size();
  int number = 0;
  const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), number);
  if (error != std::errc() || number <= 0) return std::nullopt;
  std::string file = kb::library_file(kb, line.substr(begin, digits - 1 - begin));
  if (file.empty()) return std::nullopt;
  return kb::FrameSeen{std::move(file), number, {}, {}};
}

// The line below a warning shows the source line that it stands on.
void add_warning_places(const kb::KnowledgeBase& kb, std::string_view text, std::vector<kb::FrameSeen>& seen) {
  bool above_is_warning = false;
  while (!text.empty() && seen.size() < most_frames) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (above_is_warning && line.substr(0, 2) == "  ") seen.back().text = line;
    std::optional<kb::FrameSeen> place = warning_place(kb, line);
    above_is_warning = place.has_value();
    if (place) seen.push_back(std::move(*place));
  }
}

}  // namespace

LibraryFrames library_frames(const kb::KnowledgeBase& kb, const matchers::Reading& reading) {
  LibraryFrames frames;
  KnownFiles known;
  const std::size_t cause = reading.cause_chain.value_or(reading.chains.empty() ? 0 : reading.chains.size() - 1);
  for (std::size_t chain = 0; chain < reading.chains.size(); ++chain) {
    for (const matchers::Raised& raised : reading.chains[chain].raised) {
      for (const matchers::Frame& frame : raised.frames) {
        add_frame(kb, frame, known, chain == cause ? frames.cause : frames.others);
      }
    }
  }
  for (const matchers::CleanText& island : reading.islands) add_warning_places(kb, island.text(), frames.others);
  return frames;
}

std::vector<std::string> package_folders(const matchers::Reading& reading) {
  std::vector<std::string> folders;
  for (const matchers::Chain& chain : reading.chains) {
    for (const matchers::Raised& raised : chain.raised) {
      for (const matchers::Frame& frame : raised.frames) {
        for (const std::string_view name : {"site-packages", "dist-packages"}) {
          const std::size_t at = frame.file.rfind(name);
          if (at == std::string::npos) continue;
          std::string folder = frame.file.substr(0, at + name.size());
          if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(std::move(folder));
        }
      }
    }
  }
  return folders;
}

}  // namespace whyfail::cli
