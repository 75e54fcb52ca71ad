// Prints what the matchers read out of pastes: one JSON object a file given, for looking at and for scripts.
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "matchers/clean.h"
#include "matchers/islands.h"
#include "matchers/traceback.h"

namespace {

using nlohmann::json;
using namespace whyfail::matchers;

json frame_json(const Frame& frame) {
  json source = json::array();
  for (const SourceLine& line : frame.source) source.push_back({line.number, line.text, line.current});
  return {{"file", frame.file},
          {"line", frame.line},
          {"function", frame.function},
          {"source", source},
          {"where", {frame.where.begin, frame.where.end}}};
}

json raised_json(const Raised& raised) {
  json frames = json::array();
  for (const Frame& frame : raised.frames) frames.push_back(frame_json(frame));
  return {{"type", raised.type},
          {"message", raised.message},
          {"frames", frames},
          {"link", static_cast<int>(raised.link)},
          {"line", raised.line},
          {"message_begin", raised.message_begin},
          {"where", {raised.where.begin, raised.where.end}}};
}

}  // namespace

int main(int count, char** names) {
  for (int index = 1; index < count; ++index) {
    std::ifstream file(names[index], std::ios::binary);
    const std::string paste{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    TextSource source(paste);
    json chains = json::array(), texts = json::array();
    for (const Island& island : find_islands(source)) {
      const CleanText cleaned = clean(island);
      texts.push_back(cleaned.text());
      for (const Chain& chain : read_tracebacks(cleaned)) {
        json raised = json::array();
        for (const Raised& one : chain.raised) raised.push_back(raised_json(one));
        chains.push_back(raised);
      }
    }
    const json all = {{"file", names[index]}, {"texts", texts}, {"chains", chains}};
    std::cout << all.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  }
}
