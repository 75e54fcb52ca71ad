// Imports data/releases: where the lines of the libraries stand in which release (frames.txt), which arguments their
// functions take (arguments.txt), which accelerate was current with which transformers (current.txt).
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kb/build/building.h"
#include "kb/frame_rows.h"
#include "kb/release.h"

namespace whyfail::kb {
namespace {

constexpr const char* frames_file = "releases/frames.txt";
constexpr const char* arguments_file = "releases/arguments.txt";
constexpr const char* current_file = "releases/current.txt";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// Calls `take(words, line number)` for every line that is neither empty nor a comment.
template <typename Take>
void each_line(Building& building, const char* file, Take take) {
  std::error_code error;
  if (!std::filesystem::exists(building.folder / file, error)) return;
  const std::string text = read_data_file(building, file);
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.empty() && line.front() != '#') take(words_of(line), number);
  }
}

bool are_ranges(const std::vector<std::string_view>& words, std::size_t from) {
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::size_t dash = words[i].find('-');
    if (dash == std::string_view::npos || !Release::parse(words[i].substr(0, dash)) ||
        !Release::parse(words[i].substr(dash + 1))) {
      return false;
    }
  }
  return words.size() > from;
}

std::string joined(const std::vector<std::string_view>& words, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < words.size(); ++i) text.append(i == from ? "" : " ").append(words[i]);
  return text;
}

class FrameImport {
 public:
  explicit FrameImport(Building& building)
      : building_(building),
        add_release_(building.database, "INSERT INTO package_release VALUES (?, ?, ?, 0)"),
        set_twin_(building.database, "UPDATE package_release SET twin = ? WHERE package = ? AND release = ?"),
        add_file_(building.database, "INSERT INTO frame_file VALUES (?, ?, ?)"),
        add_lines_(building.database, "INSERT INTO frame_lines VALUES (?, ?, ?)") {}

  void take(const std::vector<std::string_view>& words, int number) {
    if (words.size() == 2 && words[0] == "@package") {
      package_ = words[1];
      releases_ = 0;
    } else if (words[0] == "@releases") {
      take_releases(words, number);
    } else if (words[0] == "@identical") {
      ++twin_;
      for (std::size_t i = 1; i < words.size(); ++i) set_twin_.bind(twin_).bind(package_).bind(words[i]).run();
    } else if (words.size() == 2 && words[0] == "@file") {
      add_file_.bind(++file_).bind(words[1]).bind(package_).run();
    } else if (words.size() == 2 && file_ > 0) {
      take_function(words[0], words[1], number);
    } else {
      building_.complain(frames_file, number, "neither @package, @releases, @identical, @file nor FUNCTION LINES");
    }
  }

 private:
  void take_releases(const std::vector<std::string_view>& words, int number) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!Release::parse(words[i])) building_.complain(frames_file, number, "not a release: " + std::string(words[i]));
      add_release_.bind(package_).bind(static_cast<std::int64_t>(releases_++)).bind(words[i]).run();
    }
  }

  void take_function(std::string_view function, std::string_view lines, int number) {
    FrameRowReader reader(lines, releases_);
    FrameRow row;
    while (reader.next(row)) {
    }
    if (reader.damaged()) building_.complain(frames_file, number, "lines of " + std::string(function) + " are damaged");
    add_lines_.bind(file_).bind(function).bind(lines).run();
  }

  Building& building_;
  Statement add_release_;
  Statement set_twin_;
  Statement add_file_;
  Statement add_lines_;
  std::string package_;
  std::size_t releases_ = 0;
  std::int64_t file_ = 0;
  std::int64_t twin_ = 0;
};

void import_arguments(Building& building) {
  Statement add(building.database, "INSERT INTO argument VALUES (?, ?, ?, ?)");
  std::string package;
  std::string function;
  each_line(building, arguments_file, [&](const std::vector<std::string_view>& words, int number) {
    const bool heads = words[0] == "function" && words.size() > 3;
    if (!are_ranges(words, heads ? 3 : 1)) {
      building.complain(arguments_file, number, "no ranges of releases (4.20.0-4.57.6) at the end of the line");
      return;
    }
    if (heads) {
      package = words[1];
      function = words[2];
    }
    add.bind(package).bind(function).bind(heads ? std::string_view() : words[0]).bind(joined(words, heads ? 3 : 1));
    add.run();
  });
}

void import_current(Building& building) {
  Statement add(building.database, "INSERT INTO current_accelerate VALUES (?, ?)");
  each_line(building, current_file, [&](const std::vector<std::string_view>& words, int number) {
    if (words.size() != 2 || !Release::parse(words[0]) || !Release::parse(words[1])) {
      building.complain(current_file, number, "not TRANSFORMERS ACCELERATE");
      return;
    }
    add.bind(words[0]).bind(words[1]).run();
  });
}

}  // namespace

void import_releases(Building& building) {
  FrameImport frames(building);
  each_line(building, frames_file,
            [&](const std::vector<std::string_view>& words, int number) { frames.take(words, number); });
  import_arguments(building);
  import_current(building);
}

}  // namespace whyfail::kb
