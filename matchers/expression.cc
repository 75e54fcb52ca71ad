// Reads the source of regular expressions atom by atom.
#include "matchers/expression.h"

#include <algorithm>
#include <utility>

#include "matchers/pattern.h"
#include "matchers/squeezed.h"

namespace whyfail::matchers {
namespace {

enum class AtomKind { literal, blank, set, group_begin, group_end, bar, other };

struct Atom {
  AtomKind kind = AtomKind::other;
  std::string_view source;
  std::string literal;  // what a literal atom stands for
};

std::string_view group_head(std::string_view source) {
  if (source.substr(0, 2) != "(?") return source.substr(0, 1);
  const std::size_t end = source.find_first_of(":>)", 2);
  // (?P<name> ends at '>', (?: and (?i: at ':', (?i) at ')'.
  return end == std::string_view::npos ? source : source.substr(0, end + 1);
}

Atom escaped(std::string_view source) {
  if (source.size() < 2) return {AtomKind::other, source, {}};
  const char sign = source[1];
  if (sign == 's') return {AtomKind::blank, source.substr(0, 2), {}};
  if (sign == 'n' || sign == 't' || sign == 'r') return {AtomKind::blank, source.substr(0, 2), {}};
  const bool letter = (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') || (sign >= '0' && sign <= '9');
  if (letter) return {AtomKind::other, source.substr(0, 2), {}};
  return {AtomKind::literal, source.substr(0, 2), std::string(1, sign)};
}

std::string_view set_source(std::string_view source) {
  std::size_t position = 1;
  if (position < source.size() && source[position] == '^') ++position;
  if (position < source.size() && source[position] == ']') ++position;
  while (position < source.size() && source[position] != ']') {
    if (source[position] == '\\') ++position;
    if (source.substr(position, 2) == "[:") position = std::min(source.find(":]", position), source.size() - 1) + 1;
    ++position;
  }
  return source.substr(0, position + 1);
}

Atom next_atom(std::string_view source) {
  switch (source.front()) {
    case '\\':
      return escaped(source);
    case '[':
      return {AtomKind::set, set_source(source), {}};
    case '(': {
      const std::string_view head = group_head(source);
      return {head.back() == ')' && head.size() > 1 ? AtomKind::other : AtomKind::group_begin, head, {}};
    }
    case ')':
      return {AtomKind::group_end, source.substr(0, 1), {}};
    case '|':
      return {AtomKind::bar, source.substr(0, 1), {}};
    case '.':
    case '^':
    case '$':
      return {AtomKind::other, source.substr(0, 1), {}};
    default: {
      const SqueezedSign sign = squeeze_sign(source, 0);
      const std::string_view text = source.substr(0, sign.length);
      if (sign.becomes.empty()) return {AtomKind::blank, text, {}};
      return {AtomKind::literal, text, std::string(sign.becomes)};
    }
  }
}

std::string_view quantifier_of(std::string_view source) {
  if (source.empty()) return {};
  std::size_t length = 0;
  if (source[0] == '*' || source[0] == '+' || source[0] == '?') {
    length = 1;
  } else if (source[0] == '{') {
    const std::size_t end = source.find('}');
    const bool counts = end != std::string_view::npos && end > 1 &&
                        source.substr(1, end - 1).find_first_not_of("0123456789,") == std::string_view::npos;
    if (!counts) return {};
    length = end + 1;
  } else {
    return {};
  }
  if (length < source.size() && source[length] == '?') ++length;
  return source.substr(0, length);
}

// A set without white space and quotes; empty if it held nothing else. A negated set stays negated.
std::string squeeze_set(std::string_view set) {
  const bool negated = set.substr(0, 2) == "[^";
  std::string kept;
  for (std::size_t position = negated ? 2 : 1; position + 1 < set.size();) {
    if (set[position] == '\\') {
      const char sign = set[position + 1];
      if (sign != 's' && sign != 'n' && sign != 't' && sign != 'r' && sign != '"' && sign != '\'') {
        kept.append(set.substr(position, 2));
      }
      position += 2;
      continue;
    }
    const SqueezedSign sign = squeeze_sign(set, position);
    if (!sign.becomes.empty()) kept.append(set.substr(position, sign.length));
    position += sign.length;
  }
  if (kept.empty()) return negated ? "." : "";
  return (negated ? "[^" : "[") + kept + "]";
}

bool optional(std::string_view quantifier) {
  return !quantifier.empty() && (quantifier[0] == '*' || quantifier[0] == '?' || quantifier.substr(0, 2) == "{0");
}

std::string quoted(const std::string& literal) { return RE2::QuoteMeta(literal); }

// Reads an expression part by part and writes one in which the text may end within, and behind, every part of it once
// enough literal signs have gone by: a(?:b(?:c)?)?
class Beginnings {
 public:
  Beginnings(std::string_view expression, std::size_t least, CutIn cut) : rest_(expression), due_(least), cut_(cut) {}

  std::string read() {
    const Read read = alternatives(0);
    return rest_.empty() ? read.beginnings : std::string();
  }

 private:
  struct Read {
    std::string whole;       // as it was, without names of groups
    std::string beginnings;  // what it can begin with
  };
  struct Part {
    Read read;
    bool may_end;  // the text may end within and behind it
  };
  static constexpr int kDeepest = 16;

  Read alternatives(int depth) {
    Read all = branch(depth);
    while (!rest_.empty() && rest_.front() == '|') {
      rest_.remove_prefix(1);
      const Read next = branch(depth);
      all.whole += "|" + next.whole;
      all.beginnings += "|" + next.beginnings;
    }
    return all;
  }

  Read branch(int depth) {
    std::vector<Part> parts;
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') parts.push_back(part(depth));
    Read read;
    for (std::size_t index = parts.size(); index-- > 0;) {
      const Part& part = parts[index];
      std::string from_here = part.read.whole;
      if (!read.beginnings.empty()) from_here += part.may_end ? "(?:" + read.beginnings + ")?" : read.beginnings;
      if (part.may_end && !part.read.beginnings.empty()) {
        from_here = "(?:" + part.read.beginnings + "|" + from_here + ")";
      }
      read.beginnings = std::move(from_here);
      read.whole = part.read.whole + read.whole;
    }
    return read;
  }

  Part part(int depth) {
    const Atom atom = next_atom(rest_);
    rest_.remove_prefix(atom.source.size());
    Part part;
    if (atom.kind == AtomKind::group_begin && depth < kDeepest) {
      const Read inside = alternatives(depth + 1);
      if (!rest_.empty()) rest_.remove_prefix(1);
      part.read.whole = "(?:" + inside.whole + ")";
      part.read.beginnings = inside.beginnings;
    } else {
      part.read.whole = atom.source;
      if (depth == 0) due_ -= std::min(due_, atom.literal.size());
    }
    const std::string_view quantifier = quantifier_of(rest_);
    rest_.remove_prefix(quantifier.size());
    part.read.whole += quantifier;
    const bool hole = part.read.whole.find_first_of(".[") != std::string::npos && atom.kind != AtomKind::literal;
    part.may_end = (due_ == 0 || depth > 0) && (!hole || cut_ == CutIn::anything);
    return part;
  }

  std::string_view rest_;
  std::size_t due_;
  CutIn cut_;
};

}  // namespace

RE2::Options expression_options() {
  RE2::Options options(RE2::Latin1);
  options.set_dot_nl(true);
  options.set_log_errors(false);
  options.set_max_mem(1 << 21);
  return options;
}

std::string squeeze_expression(std::string_view expression) {
  std::string squeezed;
  while (!expression.empty()) {
    const Atom atom = next_atom(expression);
    expression.remove_prefix(atom.source.size());
    const std::string_view quantifier = quantifier_of(expression);
    expression.remove_prefix(quantifier.size());
    std::string kept(atom.source);
    if (atom.kind == AtomKind::blank) kept.clear();
    if (atom.kind == AtomKind::literal) kept = atom.literal == atom.source ? kept : quoted(atom.literal);
    if (atom.kind == AtomKind::set) kept = squeeze_set(atom.source);
    if (kept.empty()) continue;
    squeezed.append(kept).append(quantifier);
  }
  return squeezed;
}

std::string beginnings_of(std::string_view expression, std::size_t least, CutIn cut) {
  return Beginnings(expression, least, cut).read();
}

std::vector<std::string> literals_of(std::string_view expression) {
  // A group that is open: how many literals stood before it, and whether it holds alternatives.
  struct Group {
    std::size_t literals_before;
    bool alternatives;
  };
  std::vector<Group> groups = {{0, false}};
  std::vector<std::string> literals;
  std::string run;
  const auto finish = [&] {
    if (!run.empty()) literals.push_back(std::move(run));
    run.clear();
  };
  while (!expression.empty()) {
    const Atom atom = next_atom(expression);
    expression.remove_prefix(atom.source.size());
    const std::string_view quantifier = quantifier_of(expression);
    expression.remove_prefix(quantifier.size());
    const bool certain = atom.kind == AtomKind::literal && !optional(quantifier);
    if (certain) run.append(atom.literal);
    if (!certain || !quantifier.empty()) finish();
    if (atom.kind == AtomKind::bar) groups.back().alternatives = true;
    if (atom.kind == AtomKind::group_begin) groups.push_back({literals.size(), false});
    if (atom.kind == AtomKind::group_end && groups.size() > 1) {
      if (groups.back().alternatives || optional(quantifier)) literals.resize(groups.back().literals_before);
      groups.pop_back();
    }
  }
  finish();
  if (groups.front().alternatives) literals.clear();
  return literals;
}

std::vector<std::string> choices_of(std::string_view expression) {
  std::vector<std::string> choices;
  std::string choice;
  bool open = false;   // inside of a group that has held only literals and bars so far
  bool plain = false;  // no alternative of it is empty
  int depth = 0;
  while (!expression.empty()) {
    const Atom atom = next_atom(expression);
    expression.remove_prefix(atom.source.size());
    const std::string_view quantifier = quantifier_of(expression);
    expression.remove_prefix(quantifier.size());
    if (atom.kind == AtomKind::group_begin) {
      open = depth++ == 0;
      plain = true;
      choice.clear();
    } else if (atom.kind == AtomKind::group_end) {
      plain = plain && !choice.empty() && choice.back() != kAlternative;
      if (open && plain && quantifier.empty() && choice.find(kAlternative) != std::string::npos)
        choices.push_back(choice);
      open = false;
      depth -= depth > 0 ? 1 : 0;
    } else if (open && atom.kind == AtomKind::bar) {
      plain = plain && !choice.empty() && choice.back() != kAlternative;
      choice.push_back(kAlternative);
    } else if (depth == 0 && atom.kind == AtomKind::bar) {
      return {};
    } else if (open) {
      open = atom.kind == AtomKind::literal && quantifier.empty();
      choice.append(atom.literal);
    }
  }
  return choices;
}

}  // namespace whyfail::matchers
