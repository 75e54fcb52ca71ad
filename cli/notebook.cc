// Finds the sources of cells in the file's own bytes: written anew as JSON, the whole file would change.
#include "cli/notebook.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

namespace whyfail::cli {
namespace {

using Json = nlohmann::json;

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Walks over JSON that is known to be valid.
class Walk {
 public:
  explicit Walk(const std::string& text) : text_(text) {}

  // The members' values of an object, by name; of two of one name the last.
  std::map<std::string, Range> members(Range object) const {
    std::map<std::string, Range> found;
    std::size_t at = past_blanks(object.begin + 1);
    while (at < object.end && text_[at] == '"') {
      const std::size_t name_end = past_value(at);
      const std::string name = Json::parse(text_.substr(at, name_end - at)).get<std::string>();
      const std::size_t value = past_blanks(past_blanks(name_end) + 1);
      const std::size_t value_end = past_value(value);
      found[name] = {value, value_end};
      at = past_comma(value_end);
    }
    return found;
  }

  std::vector<Range> elements(Range array) const {
    std::vector<Range> found;
    std::size_t at = past_blanks(array.begin + 1);
    while (at + 1 < array.end) {
      const std::size_t value_end = past_value(at);
      found.push_back({at, value_end});
      at = past_comma(value_end);
    }
    return found;
  }

  std::size_t past_blanks(std::size_t at) const {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at);
    return next == std::string::npos ? text_.size() : next;
  }

  std::size_t past_value(std::size_t at) const {
    std::size_t depth = 0;
    do {
      const char c = at < text_.size() ? text_[at] : '\0';
      if (c == '"') {
        at = past_string(at);
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at;
      } else if (depth == 0) {
        return std::min(text_.find_first_of(",]} \t\r\n", at), text_.size());
      } else {
        ++at;
      }
    } while (depth != 0 && at < text_.size());
    return at;
  }

 private:
  std::size_t past_string(std::size_t at) const {
    for (++at; at < text_.size() && text_[at] != '"'; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return at + 1;
  }
  std::size_t past_comma(std::size_t at) const {
    at = past_blanks(at);
    return at < text_.size() && text_[at] == ',' ? past_blanks(at + 1) : at;
  }

  const std::string& text_;
};

// A source is one text or a list of lines.
std::string joined_source(const Json& source) {
  if (source.is_string()) return source.get<std::string>();
  std::string text;
  if (!source.is_array()) return text;
  for (const Json& line : source) {
    if (line.is_string()) text += line.get_ref<const std::string&>();
  }
  return text;
}

bool holds_error(const Json& cell) {
  const auto outputs = cell.find("outputs");
  if (outputs == cell.end() || !outputs->is_array()) return false;
  return std::any_of(outputs->begin(), outputs->end(), [](const Json& output) {
    return output.is_object() && output.value("output_type", Json()) == Json("error");
  });
}

std::optional<NotebookCell> code_cell(const std::string& text, const std::map<std::string, Range>& members,
                                      Range range) {
  const auto source = members.find("source");
  const Json cell = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                text.begin() + static_cast<std::ptrdiff_t>(range.end));
  if (source == members.end() || cell.value("cell_type", Json()) != Json("code")) return std::nullopt;
  NotebookCell found;
  found.source = joined_source(cell["source"]);
  if (const Json count = cell.value("execution_count", Json()); count.is_number_integer()) {
    found.execution_count = count.get<int>();
  }
  found.failed = holds_error(cell);
  found.begin = source->second.begin;
  found.end = source->second.end;
  return found;
}

// Lines with their ends, as notebooks list them.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// The number behind a mark: 2 of "Cell In[2]".
std::optional<int> number_after(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  int number = 0;
  const char* begin = text.data() + at + mark.size();
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc() && end != begin ? std::optional<int>(number) : std::nullopt;
}

}  // namespace

std::optional<Notebook> Notebook::read(const std::string& text) {
  const Json whole = Json::parse(text, nullptr, false);
  if (!whole.is_object() || !whole.contains("cells") || !whole["cells"].is_array()) return std::nullopt;
  Notebook notebook;
  notebook.text_ = text;
  const Walk walk(text);
  const std::size_t begin = text.find('{');
  const Range cells = walk.members({begin, walk.past_value(begin)}).at("cells");
  for (const Range& range : walk.elements(cells)) {
    if (text[range.begin] != '{') continue;
    if (auto cell = code_cell(text, walk.members(range), range)) notebook.cells_.push_back(std::move(*cell));
  }
  return notebook;
}

std::optional<std::size_t> Notebook::cell_named(const std::string& frame_file) const {
  std::optional<int> number;
  for (const char* mark : {"Cell In[", "Cell In [", "Input In [", "Input In[", "<ipython-input-"}) {
    if (!number) number = number_after(frame_file, mark);
  }
  if (!number && frame_file.find("ipykernel_") == std::string::npos) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const bool named = number ? cells_[i].execution_count == number : cells_[i].failed;
    if (!named) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::string Notebook::with_source(std::size_t cell, const std::string& source) const {
  const NotebookCell& old = cells_.at(cell);
  if (text_[old.begin] != '[') return text_.substr(0, old.begin) + Json(source).dump() + text_.substr(old.end);
  const Walk walk(text_);
  std::map<std::string, std::string> as_written;
  const std::vector<Range> elements = walk.elements({old.begin, old.end});
  for (const Range& range : elements) {
    const std::string written = text_.substr(range.begin, range.end - range.begin);
    as_written[Json::parse(written).get<std::string>()] = written;
  }
  const std::string before =
      elements.empty() ? "" : text_.substr(old.begin + 1, elements.front().begin - old.begin - 1);
  const std::string behind =
      elements.empty() ? "" : text_.substr(elements.back().end, old.end - 1 - elements.back().end);
  std::string list;
  for (const std::string& line : lines_of(source)) {
    const auto written = as_written.find(line);
    list += (list.empty() ? before : "," + (before.empty() ? " " : before)) +
            (written == as_written.end() ? Json(line).dump() : written->second);
  }
  return text_.substr(0, old.begin + 1) + list + behind + text_.substr(old.end - 1);
}

}  // namespace whyfail::cli
