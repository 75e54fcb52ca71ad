// The loop over lines; a line that can't be understood is answered with BadRequest.
#include "cli/place_command.h"

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/place_answer.h"
#include "cli/place_library.h"
#include "cli/place_request.h"

namespace whyfail::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = std::size_t{16} << 20;

enum class Line { read, too_long, end };

// The next line, without keeping more than kLongestLine of it.
Line next_line(std::istream& in, std::string& line) {
  line.clear();
  std::streambuf* buffer = in.rdbuf();
  bool any = false;
  bool too_long = false;
  for (int c = buffer->sbumpc(); c != std::char_traits<char>::eof(); c = buffer->sbumpc()) {
    any = true;
    if (c == '\n') return too_long ? Line::too_long : Line::read;
    if (line.size() < kLongestLine) {
      line += static_cast<char>(c);
    } else {
      too_long = true;
    }
  }
  if (!any) return Line::end;
  return too_long ? Line::too_long : Line::read;
}

json bad_request(const std::string& message) { return {{"error", "BadRequest"}, {"message", message}}; }

json answered(const std::string& line, PlaceLibrary& library) {
  json request = json::parse(line, nullptr, false);
  json id;
  if (request.is_object()) {
    const auto found = request.find("id");
    if (found != request.end()) id = *found;
  }
  if (request.is_discarded()) return {{"id", id}, {"result", bad_request("the line is no JSON")}};
  std::variant<PlaceRequest, std::string> read = read_place_request(request, library);
  if (const std::string* problem = std::get_if<std::string>(&read)) {
    return {{"id", id}, {"result", bad_request(*problem)}};
  }
  PlaceRequest& ready = std::get<PlaceRequest>(read);
  if (ready.inline_tree) ready.tree = &*ready.inline_tree;
  return {{"id", id}, {"result", answer(ready, request.value("argument", json()))}};
}

}  // namespace

int place(std::istream& in, std::ostream& out, std::ostream& errors, const std::filesystem::path& trees) {
  PlaceLibrary library;
  const std::optional<std::string> problem = trees.empty() ? std::nullopt : library.load(trees);
  if (problem) {
    errors << "whyfail place: " << *problem << '\n';
    return 2;
  }
  std::string line;
  for (Line state = next_line(in, line); state != Line::end; state = next_line(in, line)) {
    if (state == Line::read && line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json reply = state == Line::too_long
                           ? json{{"id", nullptr}, {"result", bad_request("a line of more than 16 MiB")}}
                           : answered(line, library);
    out << reply.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
    if (!out) return 2;
  }
  return 0;
}

}  // namespace whyfail::cli
