// Looks frames, arguments and release lists up in the image.
#include "kb/releases.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kb/database.h"
#include "kb/frame_rows.h"
#include "kb/pattern_rows.h"
#include "kb/source_hash.h"

namespace whyfail::kb {
namespace {

// By position in the package's list of releases: does it fit?
using Fitting = std::vector<bool>;

// What one frame says.
struct FrameAnswer {
  Fitting by_text;  // line and text fit
  Fitting by_line;  // the line fits, whatever stands there
  bool text_known = false;
};

std::string_view bare_function(std::string_view function) {
  function = function.substr(0, function.find('('));
  const std::size_t dot = function.rfind('.');
  return dot == std::string_view::npos ? function : function.substr(dot + 1);
}

bool is_cut(std::string_view text) { return text.ends_with("...") || text.ends_with("…"); }

void read_rows(std::string_view coded, int line, std::uint32_t hash, FrameAnswer& answer) {
  FrameRowReader reader(coded, answer.by_line.size());
  FrameRow row;
  while (reader.next(row)) {
    const bool same_text = row.hash == hash;
    answer.text_known = answer.text_known || same_text;
    for (const FrameRun& run : row.runs) {
      for (std::size_t i = run.first; i <= run.last; ++i) {
        if (line != 0 && reader.line(i) != line) continue;
        answer.by_line[i] = true;
        if (same_text) answer.by_text[i] = true;
      }
    }
  }
}

std::optional<std::int64_t> file_id(const KnowledgeBase& kb, std::string_view path, std::string_view package) {
  Statement query(kb.database(), "SELECT id FROM frame_file WHERE path = ? AND (package = ? OR ? = '')");
  query.bind(path).bind(package).bind(package);
  if (!query.step()) return std::nullopt;
  return query.number(0);
}

FrameAnswer ask(const KnowledgeBase& kb, std::int64_t file, const FrameSeen& frame, std::size_t releases) {
  FrameAnswer answer{Fitting(releases), Fitting(releases), false};
  const std::uint32_t hash = source_hash(frame.text);
  Statement one(kb.database(), "SELECT lines FROM frame_lines WHERE file = ? AND function = ?");
  one.bind(file).bind(bare_function(frame.function));
  if (one.step()) {
    read_rows(one.view(0), frame.line, hash, answer);
    return answer;
  }
  Statement all(kb.database(), "SELECT lines FROM frame_lines WHERE file = ?");
  all.bind(file);
  while (all.step()) read_rows(all.view(0), frame.line, hash, answer);
  return answer;
}

Fitting both(Fitting left, const Fitting& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = left[i] && right[i];
  return left;
}

bool is_any(const Fitting& fitting) { return std::find(fitting.begin(), fitting.end(), true) != fitting.end(); }

std::vector<Release> select(const std::vector<Release>& releases, const Fitting& fitting) {
  std::vector<Release> fit;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (fitting[i] && (fit.empty() || fit.back() != releases[i])) fit.push_back(releases[i]);
  }
  return fit;
}

std::vector<Release> listed_releases(const KnowledgeBase& kb, std::string_view package) {
  std::vector<Release> releases;
  Statement query(kb.database(), "SELECT release FROM package_release WHERE package = ? ORDER BY position");
  query.bind(package);
  while (query.step()) releases.push_back(Release::parse(query.view(0)).value_or(Release{}));
  return releases;
}

// "4.20.0-4.57.6 5.1.0-5.24.0". A release beyond the newest that is known behaves as the newest.
bool within(std::string_view ranges, const Release& release) {
  while (!ranges.empty()) {
    const std::size_t end = std::min(ranges.find(' '), ranges.size());
    const std::string_view range = ranges.substr(0, end);
    ranges.remove_prefix(std::min(end + 1, ranges.size()));
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto first = Release::parse(range.substr(0, dash));
    const auto last = Release::parse(range.substr(std::min(dash + 1, range.size())));
    if (first && last && *first <= release && release <= *last) return true;
  }
  return false;
}

std::optional<std::string> argument_ranges(const KnowledgeBase& kb, std::string_view package, std::string_view function,
                                           std::string_view argument) {
  Statement query(kb.database(), "SELECT releases FROM argument WHERE package = ? AND function = ? AND argument = ?");
  query.bind(package).bind(function).bind(argument);
  if (!query.step()) return std::nullopt;
  return query.text(0);
}

constexpr std::array<std::string_view, 8> packages = {
    "transformers", "accelerate", "peft", "diffusers", "bitsandbytes", "safetensors", "huggingface_hub", "torch"};

}  // namespace

std::string library_file(const KnowledgeBase& kb, std::string_view path) {
  if (!path.ends_with(".py")) return {};
  std::string forward(path);
  std::replace(forward.begin(), forward.end(), '\\', '/');
  for (std::size_t at = forward.find("//"); at != std::string::npos; at = forward.find("//", at)) forward.erase(at, 1);
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const std::size_t at = forward.rfind(folder);
    if (at != std::string::npos) forward.erase(0, at + folder.size());
  }
  // "…/src/transformers/models/x.py", "/libs/4.44.2/transformers/x.py": from the left, so that the longest end wins.
  for (std::size_t at = 0; at < forward.size();) {
    const std::string_view end = std::string_view(forward).substr(at);
    const std::string_view first = end.substr(0, end.find('/'));
    if (std::find(packages.begin(), packages.end(), first) != packages.end() && file_id(kb, end, {})) {
      return std::string(end);
    }
    at = forward.find('/', at);
    if (at != std::string::npos) ++at;
  }
  return {};
}

FrameVerdict judge_frames(const KnowledgeBase& kb, std::string_view package, const std::vector<FrameSeen>& frames) {
  FrameVerdict verdict;
  // Nothing of the package is seen: the database need not even be opened.
  const std::string folder = std::string(package) + "/";
  const auto of_package = [&](const FrameSeen& frame) { return frame.file.starts_with(folder); };
  if (std::none_of(frames.begin(), frames.end(), of_package)) return verdict;
  const std::vector<Release> releases = listed_releases(kb, package);
  Fitting fitting(releases.size(), true);
  std::vector<Fitting> unsure;  // of frames whose text is in no release: damaged, or from outside the data
  bool text_confirmed = false;
  for (const FrameSeen& frame : frames) {
    if (!of_package(frame)) continue;
    const auto file = file_id(kb, frame.file, package);
    if (!file || (frame.line == 0 && frame.text.empty())) continue;
    verdict.judged = true;
    const FrameAnswer answer = ask(kb, *file, frame, releases.size());
    const bool has_text = !frame.text.empty() && !is_cut(frame.text);
    if (has_text && !answer.text_known) {
      if (frame.line != 0) unsure.push_back(answer.by_line);
      continue;
    }
    text_confirmed = text_confirmed || has_text;
    fitting = both(fitting, has_text ? answer.by_text : answer.by_line);
  }
  if (!text_confirmed && !unsure.empty()) return verdict;
  for (const Fitting& by_line : unsure) {
    const Fitting narrowed = both(fitting, by_line);
    if (is_any(narrowed)) fitting = narrowed;
  }
  if (verdict.judged) verdict.releases = select(releases, fitting);
  return verdict;
}

std::vector<Release> releases_with(const KnowledgeBase& kb, std::string_view package,
                                   const std::vector<FrameSeen>& frames) {
  return judge_frames(kb, package, frames).releases;
}

std::vector<Release> releases_of(const KnowledgeBase& kb, std::string_view package) {
  const std::vector<Release> releases = listed_releases(kb, package);
  return select(releases, Fitting(releases.size(), true));
}

bool WordingReleases::contains(const Release& release) const {
  return std::any_of(ranges.begin(), ranges.end(), [&](const ReleaseRange& range) { return range.contains(release); });
}

std::optional<WordingReleases> releases_of_wording(const KnowledgeBase& kb, std::int64_t pattern) {
  Statement query(kb.database(), "SELECT package, releases FROM pattern WHERE id = ?");
  if (!query.bind(pattern).step() || query.view(0).empty()) return std::nullopt;
  WordingReleases wording{query.text(0), {}};
  for (const std::string& range : split_lines(query.view(1))) {
    const std::size_t dots = range.find("..");
    const auto first = Release::parse(range.substr(0, dots));
    const auto last = dots == std::string::npos ? first : Release::parse(range.substr(dots + 2));
    if (first && last) wording.ranges.push_back({*first, *last});
  }
  if (wording.ranges.empty()) return std::nullopt;
  return wording;
}

std::vector<Release> twins_of(const KnowledgeBase& kb, std::string_view package, const Release& release) {
  std::vector<Release> twins;
  Statement query(kb.database(),
                  "SELECT release FROM package_release WHERE package = ?1 AND twin > 0 AND twin IN "
                  "(SELECT twin FROM package_release WHERE package = ?1 AND release = ?2) ORDER BY position");
  query.bind(package).bind(release.text());
  while (query.step()) twins.push_back(Release::parse(query.view(0)).value_or(release));
  if (twins.empty()) twins.push_back(release);
  return twins;
}

std::optional<Release> accelerate_of(const KnowledgeBase& kb, const Release& transformers) {
  Statement query(kb.database(), "SELECT transformers, accelerate FROM current_accelerate");
  std::vector<std::pair<Release, Release>> recorded;
  while (query.step()) {
    const auto with = Release::parse(query.view(0));
    const auto current = Release::parse(query.view(1));
    if (with && current) recorded.emplace_back(*with, *current);
  }
  std::sort(recorded.begin(), recorded.end());
  if (recorded.empty()) return std::nullopt;
  Release found = recorded.front().second;
  for (const auto& [with, current] : recorded) {
    if (with <= transformers) found = current;
  }
  return found;
}

std::optional<bool> has_argument(const KnowledgeBase& kb, std::string_view package, std::string_view function,
                                 std::string_view argument, const Release& release) {
  const auto known = argument_ranges(kb, package, function, {});
  if (!known) return std::nullopt;
  const std::vector<Release> releases = listed_releases(kb, package);
  const Release asked = releases.empty() ? release : std::min(release, releases.back());
  if (!within(*known, asked)) return false;
  const auto ranges = argument_ranges(kb, package, function, argument);
  return ranges && within(*ranges, asked);
}

std::string dtype_argument(const KnowledgeBase& kb, std::string_view package, std::string_view function,
                           const Release& release) {
  for (const char* name : {"dtype", "torch_dtype"}) {
    if (has_argument(kb, package, function, name, release).value_or(false)) return name;
  }
  return {};
}

}  // namespace whyfail::kb
