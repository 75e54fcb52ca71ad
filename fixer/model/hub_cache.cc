// Looks up folders and snapshots; reads at most a commit name, never weights.
#include "fixer/model/hub_cache.h"

#include <algorithm>

#include "fixer/model/checkpoint.h"

namespace whyfail::fixer {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 4096;
constexpr int most_snapshots = 1000;

bool is_folder(const fs::path& path) {
  std::error_code problem;
  return fs::is_directory(path, problem);
}

// "org/name" or "name": what the hub allows as an id, so that no part of it leads out of the cache.
bool is_model_id(std::string_view id) {
  if (id.empty() || id.size() > 200 || std::count(id.begin(), id.end(), '/') > 1) return false;
  if (id.front() == '/' || id.back() == '/' || id.find("..") != std::string_view::npos) return false;
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '/';
  });
}

std::string cache_name(std::string_view id) {
  std::string name = "models--";
  for (const char c : id) {
    if (c == '/') {
      name += "--";
    } else {
      name += c;
    }
  }
  return name;
}

bool is_revision(std::string_view text) {
  return !text.empty() && text.size() < 200 && text.front() != '/' && text.find("..") == std::string_view::npos &&
         text.find('\\') == std::string_view::npos && text.find('\0') == std::string_view::npos;
}

std::string without_blanks(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text;
}

// Without a ref (a download by commit): the only snapshot there is.
std::optional<fs::path> only_snapshot(const fs::path& snapshots) {
  std::optional<fs::path> found;
  std::error_code problem;
  int seen = 0;
  for (fs::directory_iterator at(snapshots, problem), end; !problem && at != end && ++seen <= most_snapshots;
       at.increment(problem)) {
    if (!is_folder(at->path())) continue;
    if (found) return std::nullopt;
    found = at->path();
  }
  return found;
}

std::optional<fs::path> snapshot_in(const fs::path& model, std::string_view revision) {
  const fs::path snapshots = model / "snapshots";
  if (!is_folder(snapshots)) return std::nullopt;
  const std::string wanted = revision.empty() ? "main" : std::string(revision);
  if (!is_revision(wanted)) return std::nullopt;
  if (is_folder(snapshots / wanted)) return snapshots / wanted;
  const auto commit = read_bounded(model / "refs" / wanted, 1000);
  if (commit) {
    const std::string name = without_blanks(*commit);
    if (is_revision(name) && name.find('/') == std::string::npos && is_folder(snapshots / name)) {
      return snapshots / name;
    }
  }
  return revision.empty() ? only_snapshot(snapshots) : std::nullopt;
}

}  // namespace

std::optional<fs::path> local_folder(std::string_view name, const fs::path& working_folder) {
  if (name.empty() || name.size() > longest_name || name.find('\0') != std::string_view::npos) return std::nullopt;
  std::string text(name);
  const fs::path plain = working_folder / fs::path(text);
  std::replace(text.begin(), text.end(), '\\', '/');
  for (const fs::path& path : {plain, working_folder / fs::path(text)}) {
    if (is_folder(path)) return path;
    std::error_code problem;
    if (fs::is_regular_file(path, problem)) return path.has_parent_path() ? path.parent_path() : fs::path(".");
  }
  return std::nullopt;
}

std::optional<fs::path> cached_snapshot(std::string_view model_id, std::string_view revision,
                                        const std::vector<fs::path>& cache_folders) {
  if (!is_model_id(model_id)) return std::nullopt;
  for (const fs::path& cache : cache_folders) {
    if (cache.empty()) continue;
    if (auto snapshot = snapshot_in(cache / cache_name(model_id), revision)) return snapshot;
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
