// pip list (columns, old "name (version)" form), pip freeze, pip show and conda list.
#include <algorithm>

#include "probes/package_name.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

struct Named {
  std::string_view name;
  std::string_view version;
};

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > 80) return false;
  const bool letters = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
  return letters && text.find_first_not_of("0123456789.-_") != std::string_view::npos;
}

bool is_version(std::string_view text) { return looks_like_version(text) && text.find('.') != std::string_view::npos; }

// A row of columns: name, version, and perhaps a build and a channel (conda) or a folder (editable installs).
std::optional<Named> column_row(std::string_view line) {
  const auto words = fields_of(line);
  if (words.size() < 2 || words.size() > 4 || !is_name(words[0])) return std::nullopt;
  if (!looks_like_version(words[1])) return std::nullopt;
  const auto gap = words[1].data() - words[0].data() - static_cast<std::ptrdiff_t>(words[0].size());
  if (gap < 2 && words[0].size() < 16) return std::nullopt;  // columns are at least two apart, but for the longest name
  return Named{words[0], words[1]};
}

std::optional<Named> frozen_row(std::string_view line) {
  line = trimmed(line);
  const std::size_t equals = line.find("==");
  if (equals == std::string_view::npos) return std::nullopt;
  const Named row{line.substr(0, equals), line.substr(equals + 2)};
  if (!is_name(row.name) || !looks_like_version(row.version)) return std::nullopt;
  return row;
}

std::optional<Named> old_row(std::string_view line) {
  const auto words = fields_of(line);
  if (words.size() != 2 || !words[1].starts_with('(') || !words[1].ends_with(')')) return std::nullopt;
  const Named row{words[0], words[1].substr(1, words[1].size() - 2)};
  if (!is_name(row.name) || !is_version(row.version)) return std::nullopt;
  return row;
}

// Rows that follow each other. A single row is believed only after a heading or a command.
class Run {
 public:
  explicit Run(Stated& stated) : stated_(stated) {}
  ~Run() { close(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void announce(std::string_view line) {
    close();
    announced_ = true;
    described_ = line.find("poetry show") != std::string_view::npos;
  }
  bool described() const { return described_ && open(); }
  void add(const Named& row, std::string_view line) {
    if (rows_.empty()) first_line_ = line;
    rows_.push_back(row);
  }
  void close() {
    if (rows_.size() >= (announced_ ? 1U : 3U)) {
      if (stated_.versions.empty()) stated_.versions_line = first_line_;
      for (const Named& row : rows_) stated_.versions.emplace(row.name, row.version);
    }
    rows_.clear();
    announced_ = false;
    described_ = false;
  }
  bool open() const { return announced_ || !rows_.empty(); }
  bool waiting() const { return announced_ && rows_.empty(); }

 private:
  Stated& stated_;
  std::vector<Named> rows_;
  std::string_view first_line_;
  bool announced_ = false;
  bool described_ = false;  // the rows go on with a description
};

bool announces(std::string_view line) {
  const auto words = fields_of(line);
  if (words.size() >= 2 && words.size() <= 4 && words[0] == "Package" && words[1] == "Version") return true;
  for (std::string_view command : {"pip list", "pip freeze", "pip3 list", "pip3 freeze", "conda list", "uv pip list",
                                   "poetry show", "# packages in environment"}) {
    if (line.find(command) != std::string_view::npos && line.size() < 300) return true;
  }
  return false;
}

bool is_rule(std::string_view line) {
  return line.find('-') != std::string_view::npos && line.find_first_not_of("- \t") == std::string_view::npos;
}

// "torch      2.5.1    Tensors and Dynamic neural networks in Python" of poetry show.
std::optional<Named> described_row(std::string_view line) {
  const auto words = fields_of(line);
  if (words.size() < 3 || !is_name(words[0]) || !is_version(words[1])) return std::nullopt;
  const auto gap = [](std::string_view one, std::string_view other) {
    return other.data() - one.data() - static_cast<std::ptrdiff_t>(one.size());
  };
  if (gap(words[0], words[1]) < 1 || words[2].empty()) return std::nullopt;
  return Named{words[0], words[1]};
}

// "transformers.__version__" of a session or a command, and what it printed on the next line.
void read_printed(const Lines& lines, Stated& stated) {
  constexpr std::string_view mark = ".__version__";
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::size_t at = lines[i].size() > 300 ? std::string_view::npos : lines[i].find(mark);
    if (at == std::string_view::npos || lines[i].find(mark, at + 1) != std::string_view::npos) continue;
    std::size_t begin = at;
    while (begin > 0 && is_name(lines[i].substr(begin - 1, at - begin + 1))) --begin;
    std::string_view version = trimmed(lines[i + 1]);
    if (version.size() > 2 && (version.front() == '\'' || version.front() == '"') &&
        version.back() == version.front()) {
      version = version.substr(1, version.size() - 2);
    }
    if (begin == at || !is_version(version)) continue;
    if (stated.versions.empty()) stated.versions_line = lines[i + 1];
    stated.versions.emplace(lines[i].substr(begin, at - begin), version);
  }
}

// "Name: torch" followed within a line or two by "Version: 2.5.1".
void read_shown(const Lines& lines, Stated& stated) {
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    Scanner name(lines[i]);
    Scanner version(lines[i + 1]);
    if (!name.take("Name: ") || !version.take("Version: ")) continue;
    const std::string_view package = trimmed(name.rest());
    const std::string_view number = trimmed(version.rest());
    if (!is_name(package) || !looks_like_version(number)) continue;
    if (stated.versions.empty()) stated.versions_line = lines[i];
    stated.versions.emplace(package, number);
  }
}

}  // namespace

Stated package_list(const Lines& lines) {
  Stated stated;
  read_shown(lines, stated);
  read_printed(lines, stated);
  Run run(stated);
  for (std::string_view line : lines) {
    auto row = column_row(line);
    if (!row) row = frozen_row(line);
    if (!row && run.open()) row = old_row(line);
    if (!row && run.described()) row = described_row(line);
    if (row) {
      run.add(*row, line);
    } else if (announces(line)) {
      run.announce(line);
    } else if (!(run.waiting() && (is_rule(line) || line.starts_with('#')))) {
      run.close();
    }
  }
  run.close();
  // conda calls torch "pytorch".
  const auto conda = stated.versions.find("pytorch");
  if (conda != stated.versions.end()) stated.versions.emplace("torch", conda->second);
  return stated;
}

}  // namespace whyfail::probes::paste
