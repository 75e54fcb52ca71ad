// Templates and raw expressions → patterns.
#include "matchers/wording.h"

#include <algorithm>
#include <array>

#include "matchers/expression.h"
#include "matchers/squeezed.h"

namespace whyfail::matchers {
namespace {

struct KindName {
  CaptureKind kind;
  const char* name;
};
constexpr std::array<KindName, 7> kind_names = {{{CaptureKind::word, "word"},
                                                 {CaptureKind::quoted, "quoted"},
                                                 {CaptureKind::path, "path"},
                                                 {CaptureKind::number, "number"},
                                                 {CaptureKind::size, "size"},
                                                 {CaptureKind::list, "list"},
                                                 {CaptureKind::rest, "rest"}}};

constexpr std::string_view anything = "\xe2\x80\xa6";  // …

// What a capture may be in the squeezed form. What it may not hold there (blanks) is tested on the text itself.
const char* hole_expression(CaptureKind kind) {
  switch (kind) {
    case CaptureKind::number:
      return "[-+]?[0-9][0-9.,]*?";
    case CaptureKind::size:
      return "[0-9][0-9.,]*(?:[KMGTPkmgtp]i?)?(?:[Bb]ytes|B|b)";
    case CaptureKind::quoted:
      return ".*?";
    case CaptureKind::rest:
      return ".*";
    default:
      return ".+?";
  }
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char sign) {
    return (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9') || sign == '_';
  });
}

// Reads a template from left to right.
class TemplateReader {
 public:
  TemplateReader(const Wording& wording, Pattern& pattern) : wording_(wording), pattern_(pattern) {}

  // Empty: done; else what is wrong.
  std::string read() {
    std::string_view rest = wording_.text;
    while (!rest.empty()) {
      if (rest.substr(0, 2) == "{{" || rest.substr(0, 2) == "}}") {
        literal_.push_back(rest.front());
        rest.remove_prefix(2);
      } else if (rest.substr(0, anything.size()) == anything) {
        finish_literal();
        add_anything(rest.size() == anything.size());
        rest.remove_prefix(anything.size());
      } else if (rest.front() == '{') {
        const std::size_t end = rest.find('}');
        if (end == std::string_view::npos) return "has a '{' without '}' (write '{{' for the sign itself)";
        finish_literal();
        if (std::string wrong = add_hole(rest.substr(1, end - 1)); !wrong.empty()) return wrong;
        rest.remove_prefix(end + 1);
      } else if (rest.front() == '}') {
        return "has a '}' without '{' (write '}}' for the sign itself)";
      } else {
        const SqueezedSign sign = squeeze_sign(rest, 0);
        literal_.append(sign.becomes);
        rest.remove_prefix(sign.length);
      }
    }
    finish_literal();
    return {};
  }

 private:
  void finish_literal() {
    if (literal_.empty()) return;
    pattern_.expression += RE2::QuoteMeta(literal_);
    pattern_.literals.push_back(std::move(literal_));
    literal_.clear();
  }

  void add_anything(bool last) { pattern_.expression += last ? ".*" : ".*?"; }

  std::string add_hole(std::string_view name) {
    if (name.empty()) {
      pattern_.expression += "(?:.+?)";
      return {};
    }
    if (!is_name(name)) return "has the capture {" + std::string(name) + "}; use small letters, digits and _";
    const auto given = wording_.captures.find(std::string(name));
    const CaptureKind kind = given == wording_.captures.end() ? CaptureKind::word : given->second;
    for (const auto& [known, its_kind] : pattern_.captures) {
      if (known == name) return "has the capture {" + std::string(name) + "} twice; leave one as {}";
    }
    pattern_.expression += "(?P<" + std::string(name) + ">" + hole_expression(kind) + ")";
    pattern_.captures.emplace_back(name, kind);
    return {};
  }

  const Wording& wording_;
  Pattern& pattern_;
  std::string literal_;
};

std::string read_expression(const Wording& wording, Pattern& pattern) {
  if (std::string wrong = expression_error(wording.expression); !wrong.empty()) return "is no RE2 expression: " + wrong;
  pattern.expression = squeeze_expression(wording.expression);
  pattern.literals = literals_of(pattern.expression);
  pattern.choices = choices_of(pattern.expression);
  const RE2 compiled(pattern.expression, expression_options());
  for (const auto& [name, group] : compiled.NamedCapturingGroups()) {
    const auto given = wording.captures.find(name);
    pattern.captures.emplace_back(name, given == wording.captures.end() ? CaptureKind::word : given->second);
  }
  return {};
}

std::string nearby_error(const std::string& expression) {
  if (std::string error = expression_error(expression); !error.empty()) return "is none: " + error;
  return RE2(expression, expression_options()).NumberOfCapturingGroups() == 1 ? "" : "has not exactly one group";
}

bool has_capture(const Pattern& pattern, const std::string& name) {
  return std::any_of(pattern.captures.begin(), pattern.captures.end(),
                     [&](const auto& capture) { return capture.first == name; });
}

}  // namespace

bool parse_capture_kind(std::string_view name, CaptureKind& kind) {
  for (const KindName& known : kind_names) {
    if (name != known.name) continue;
    kind = known.kind;
    return true;
  }
  return false;
}

const char* capture_kind_name(CaptureKind kind) { return kind_names[static_cast<std::size_t>(kind)].name; }

std::size_t expression_cost(std::string_view expression) {
  const RE2 compiled(re2::StringPiece(expression.data(), expression.size()), expression_options());
  return compiled.ok() ? static_cast<std::size_t>(compiled.ProgramSize()) : 0;
}

std::string expression_error(std::string_view expression) {
  const RE2 compiled(re2::StringPiece(expression.data(), expression.size()), expression_options());
  return compiled.ok() ? std::string() : compiled.error();
}

std::variant<Pattern, WordingError> compile_wording(const Wording& wording) {
  if (!wording.text.empty() && !wording.expression.empty()) return WordingError{"has both text and pattern; keep one"};
  Pattern pattern;
  pattern.exceptions = wording.exceptions;
  pattern.frames = wording.frames;
  pattern.needs_context = wording.needs_context;
  pattern.nearby = wording.nearby;
  std::string wrong =
      wording.expression.empty() ? TemplateReader(wording, pattern).read() : read_expression(wording, pattern);
  if (!wrong.empty()) return WordingError{std::move(wrong)};
  for (const auto& [name, expression] : wording.nearby) {
    if (std::string error = nearby_error(expression); !error.empty()) {
      return WordingError{"looks for '" + name + "' nearby with an expression that " + error};
    }
  }
  for (const auto& [name, kind] : wording.captures) {
    if (!has_capture(pattern, name)) return WordingError{"names the capture '" + name + "', which it does not have"};
  }
  return pattern;
}

}  // namespace whyfail::matchers
