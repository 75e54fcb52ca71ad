// Paths as text.
#include "probes/paths.h"

#include <algorithm>
#include <cctype>

namespace whyfail::probes {
namespace {

char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

bool has_drive(std::string_view path) {
  return path.size() >= 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0;
}

bool is_separator(char letter, SystemKind kind) {
  return letter == '/' || (kind == SystemKind::windows && letter == '\\');
}

bool same_name(std::string_view left, std::string_view right, SystemKind kind) {
  if (kind != SystemKind::windows) return left == right;
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char one, char other) { return upper(one) == upper(other); });
}

}  // namespace

std::vector<std::string> components(std::string_view path, SystemKind kind) {
  std::vector<std::string> parts;
  std::size_t fixed = 0;
  if (kind == SystemKind::windows && has_drive(path)) {
    parts.emplace_back(1, upper(path[0]));
    path.remove_prefix(2);
    fixed = 1;
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = begin;
    while (end < path.size() && !is_separator(path[end], kind)) ++end;
    const std::string_view part = path.substr(begin, end - begin);
    if (part == "..") {
      if (parts.size() > fixed) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
    begin = end + 1;
  }
  return parts;
}

bool is_absolute(std::string_view path, SystemKind kind) {
  if (kind == SystemKind::windows && has_drive(path)) return true;
  return !path.empty() && is_separator(path[0], kind);
}

bool is_below(std::string_view path, std::string_view folder, SystemKind kind) {
  const auto deep = components(path, kind);
  const auto high = components(folder, kind);
  if (high.size() > deep.size()) return false;
  return std::equal(high.begin(), high.end(), deep.begin(),
                    [&](const auto& one, const auto& other) { return same_name(one, other, kind); });
}

bool same_path(std::string_view left, std::string_view right, SystemKind kind) {
  return is_below(left, right, kind) && is_below(right, left, kind);
}

std::string parent_of(std::string_view path, SystemKind kind) {
  auto parts = components(path, kind);
  if (!parts.empty()) parts.pop_back();
  std::string parent;
  const bool drive = kind == SystemKind::windows && has_drive(path);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 0 && drive) {
      parent = parts[0] + ":";
    } else {
      parent += (kind == SystemKind::windows ? "\\" : "/") + parts[i];
    }
  }
  if (parent.empty() || (drive && parts.size() == 1)) parent += kind == SystemKind::windows ? "\\" : "/";
  return parent;
}

std::string name_of(std::string_view path, SystemKind kind) {
  const auto parts = components(path, kind);
  return parts.empty() ? std::string() : parts.back();
}

std::string joined(std::string_view folder, std::string_view name, SystemKind kind) {
  if (is_absolute(name, kind) || folder.empty()) return std::string(name);
  std::string path(folder);
  if (!is_separator(path.back(), kind)) path += kind == SystemKind::windows ? '\\' : '/';
  return path + std::string(name);
}

}  // namespace whyfail::probes
