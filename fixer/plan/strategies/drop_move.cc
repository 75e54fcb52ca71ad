// A dispatched or quantized model is in its place already: .to("cuda"), .cuda() or pipeline(device=…) behind it goes.
#include "fixer/plan/strategy.h"

namespace whyfail::fixer {
namespace {

bool blank(const std::string& text, std::size_t begin, std::size_t end) {
  return text.find_first_not_of(" \t\r\n", begin) >= end;
}

// The lines of a statement that stands alone on them; nullopt if something else stands beside it, or if it is the only
// statement of its block.
std::optional<TextRange> own_lines(const std::string& text, TextRange statement) {
  const auto before = statement.begin == 0 ? std::string::npos : text.rfind('\n', statement.begin - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  std::size_t end = text.find('\n', statement.end);
  end = end == std::string::npos ? text.size() : end + 1;
  if (!blank(text, begin, statement.begin) || !blank(text, statement.end, end)) return std::nullopt;
  // The only statement behind a colon must stay.
  std::size_t last = begin;
  while (last > 0 &&
         (text[last - 1] == '\n' || text[last - 1] == '\r' || text[last - 1] == ' ' || text[last - 1] == '\t'))
    --last;
  if (last > 0 && text[last - 1] == ':') return std::nullopt;
  return TextRange{begin, end};
}

std::vector<Edit> removal(const Stage& stage, const Move& move) {
  if (move.pipeline) return remove_argument(stage.script, move.call, "device");
  if (move.chained) return {{move.call.range, ""}};
  const std::string& text = stage.script.text();
  const std::string target = target_of(stage.script, stage.call);
  const TextRange statement = stage.script.statement_at(move.call.range.begin);
  const std::string head = stage.source({statement.begin, move.call.range.begin});
  const bool whole =
      statement.end == move.call.range.end && (head.empty() || head == target + " = " || head == target + "=");
  if (whole) {
    if (const auto lines = own_lines(text, statement)) return {{*lines, ""}};
  }
  return {{move.call.range, target}};
}

// pipeline(model=model, device=0) where the failing call is the pipeline itself: the model it is given is an object
// that lies where its own loading call put it.
std::vector<Step> drop_device(const Stage& stage, const Parameter& device) {
  Step step;
  step.edits = drop_parameter(stage, device);
  if (step.edits.empty()) return {};
  step.changes = {{"device", written_value(stage, "device"), "",
                   "the model lies where its device_map put it; the pipeline finds it there", Safety::same_results}};
  return {step};
}

}  // namespace

std::vector<Step> drop_move(const Stage& stage, const kb::Recipe&) {
  if (stage.load.loader == Loader::pipeline) {
    const Parameter* device = stage.load.find("device");
    const Parameter* model = stage.load.find("model");
    const bool placed =
        stage.load.find("device_map") != nullptr || (model != nullptr && model->value.kind != Value::Kind::text);
    return device != nullptr && placed ? drop_device(stage, *device) : std::vector<Step>{};
  }
  Step step;
  for (const Move& move : stage.moves) {
    if (!move.device && !move.casts) continue;
    std::vector<Edit> edits = removal(stage, move);
    if (edits.empty()) continue;
    step.edits.insert(step.edits.end(), edits.begin(), edits.end());
    const std::string written = move.pipeline ? "device" : stage.source(move.call.range);
    step.changes.push_back({written, move.pipeline ? stage.source(move.call.argument("device")->value) : written, "",
                            "the loading call has put the weights where they belong; moving them again is refused",
                            Safety::same_results});
  }
  if (step.edits.empty()) return {};
  return {step};
}

}  // namespace whyfail::fixer
