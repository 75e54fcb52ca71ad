// The table `pattern`.
#include "kb/pattern_rows.h"

#include "matchers/anchors.h"
#include "matchers/wording.h"

namespace whyfail::kb {
namespace {

constexpr std::string_view columns =
    "id, failure, severity, expression, anchor, exceptions, frames, needs_context, literals, kinds, nearby, choices";

matchers::Pattern pattern_of(const Statement& row) {
  matchers::Pattern pattern;
  pattern.id = row.number(0);
  pattern.failure = row.text(1);
  pattern.severity = row.view(2) == "warning" ? matchers::Severity::warning : matchers::Severity::error;
  pattern.expression = row.text(3);
  pattern.anchor = row.text(4);
  pattern.exceptions = split_lines(row.view(5));
  pattern.frames = split_lines(row.view(6));
  pattern.needs_context = row.number(7) != 0;
  pattern.literals = split_lines(row.view(8));
  pattern.choices = split_lines(row.view(11));
  for (const std::string& line : split_lines(row.view(9))) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    matchers::CaptureKind kind = matchers::CaptureKind::word;
    if (!matchers::parse_capture_kind(std::string_view(line).substr(equals + 1), kind)) continue;
    pattern.captures.emplace_back(line.substr(0, equals), kind);
  }
  for (const std::string& line : split_lines(row.view(10))) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) pattern.nearby.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return pattern;
}

}  // namespace

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text.push_back('\n');
    text.append(line);
  }
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

void insert_pattern(const Database& database, const WordingRow& row) {
  const matchers::Pattern& pattern = row.pattern;
  std::vector<std::string> kinds;
  std::vector<std::string> nearby;
  for (const auto& [name, expression] : pattern.nearby) nearby.push_back(name + "=" + expression);
  for (const auto& [name, kind] : pattern.captures) kinds.push_back(name + "=" + matchers::capture_kind_name(kind));
  Statement insert(database,
                   "INSERT INTO pattern (id, failure, severity, expression, anchor, exceptions, frames, needs_context, "
                   "literals, kinds, nearby, choices, wording, package, releases, first_line) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(pattern.id).bind(pattern.failure);
  insert.bind(pattern.severity == matchers::Severity::warning ? "warning" : "error");
  insert.bind(pattern.expression).bind(pattern.anchor).bind(joined(pattern.exceptions)).bind(joined(pattern.frames));
  insert.bind(std::int64_t{pattern.needs_context})
      .bind(joined(pattern.literals))
      .bind(joined(kinds))
      .bind(joined(nearby))
      .bind(joined(pattern.choices));
  insert.bind(row.wording).bind(row.package).bind(row.releases).bind(std::int64_t{row.first_line});
  insert.run();
  Statement anchor(database, "INSERT INTO anchor VALUES (?, ?, ?)");
  anchor.bind(static_cast<std::int64_t>(matchers::anchor_hash(pattern.anchor))).bind(pattern.id).bind("anchor").run();
  if (const auto opening = matchers::opening_hash(pattern)) {
    anchor.bind(static_cast<std::int64_t>(*opening)).bind(pattern.id).bind("opening").run();
  }
}

PatternsByAnchor::PatternsByAnchor(const Database& database)
    : query_(database, "SELECT " + std::string(columns) +
                           " FROM pattern WHERE id IN (SELECT pattern FROM anchor WHERE hash = ?) ORDER BY id") {}

std::vector<matchers::Pattern> PatternsByAnchor::of(std::uint64_t anchor_hash) {
  query_.again();
  query_.bind(static_cast<std::int64_t>(anchor_hash));
  std::vector<matchers::Pattern> patterns;
  while (query_.step()) patterns.push_back(pattern_of(query_));
  query_.again();
  return patterns;
}

std::vector<WordingRow> wordings_of(const Database& database, const std::string& failure) {
  Statement query(database, "SELECT " + std::string(columns) +
                                ", wording, package, releases, first_line FROM pattern WHERE failure = ? ORDER BY id");
  query.bind(failure);
  std::vector<WordingRow> rows;
  while (query.step()) {
    rows.push_back(
        {pattern_of(query), query.text(12), query.text(13), query.text(14), static_cast<int>(query.number(15))});
  }
  return rows;
}

}  // namespace whyfail::kb
