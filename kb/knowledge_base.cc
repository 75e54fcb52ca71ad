// The image, opened once and only when something in it is needed.
#include "kb/knowledge_base.h"

#include <algorithm>
#include <utility>

#include "kb/database.h"
#include "kb/file_bytes.h"
#include "kb/image_layout.h"
#include "kb/pattern_rows.h"
#include "kb/release.h"
#include "kb/vocabulary.h"
#include "kb/words.h"
#include "matchers/wording.h"

extern "C" const char whyfail_image_begin[];
extern "C" const char whyfail_image_end[];

namespace whyfail::kb {
namespace {

std::vector<std::pair<std::string, std::string>> settings_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> settings;
  while (!text.empty()) {
    const std::size_t end = text.find('\x1e');
    const std::string_view entry = text.substr(0, end);
    const std::size_t middle = entry.find('\x1f');
    if (middle != std::string_view::npos) settings.emplace_back(entry.substr(0, middle), entry.substr(middle + 1));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return settings;
}

// A range of releases of a package, as the data gives it: "4.25.0..4.57.6".
struct NamedRange {
  std::string package;
  std::string range;
  bool operator==(const NamedRange&) const = default;
};

// `line` is a range of `package`, or of another one that it names: "diffusers 0.33.0..0.42.1".
NamedRange named_range(const std::string& package, const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string::npos) return {package, line};
  return {line.substr(0, blank), line.substr(blank + 1)};
}

// "transformers 4.25.0 to 4.57.6, 5.0.0, diffusers 0.33.0 to 0.42.1"
std::string ranges_in_words(const std::vector<NamedRange>& ranges) {
  std::string words;
  std::string package;
  for (const NamedRange& named : ranges) {
    if (!words.empty()) words += ", ";
    if (named.package != package) words += named.package + " ";
    package = named.package;
    const std::size_t dots = named.range.find("..");
    const std::string first = named.range.substr(0, dots);
    words += first;
    if (dots != std::string::npos && named.range.substr(dots + 2) != first)
      words += " to " + named.range.substr(dots + 2);
  }
  return words;
}

}  // namespace

struct KnowledgeBase::Image {
  std::string name;               // for messages
  std::optional<FileBytes> file;  // none for the shipped image
  ImageParts parts;
  std::optional<Database> opened;
  std::optional<PatternsByAnchor> by_anchor;
  std::optional<Vocabulary> said;

  const Database& database() {
    if (!opened) opened = Database::over(parts.database);
    return *opened;
  }

  // Runs a query; what SQLite finds damaged ends the run with one clear line.
  template <typename Query>
  auto ask(Query query) {
    try {
      return query(database());
    } catch (const DatabaseError& error) {
      throw KnowledgeBaseError(name + ": damaged (" + error.what() + "); make it again with 'whyfail kb build'");
    }
  }

  Described describe(std::string_view text) {
    return ask([&](const Database& opened_database) {
      if (!said) said.emplace(opened_database);
      return said->describe(text);
    });
  }
};

KnowledgeBase::KnowledgeBase(std::unique_ptr<Image> image) : image_(std::move(image)) {}
KnowledgeBase::KnowledgeBase(KnowledgeBase&&) noexcept = default;
KnowledgeBase& KnowledgeBase::operator=(KnowledgeBase&&) noexcept = default;
KnowledgeBase::~KnowledgeBase() = default;

KnowledgeBase KnowledgeBase::shipped() {
  auto image = std::make_unique<Image>();
  image->name = "the knowledge base inside the program";
  const auto parts =
      image_parts({whyfail_image_begin, static_cast<std::size_t>(whyfail_image_end - whyfail_image_begin)});
  if (!parts) throw KnowledgeBaseError(image->name + " is damaged; install whyfail again");
  image->parts = *parts;
  return KnowledgeBase(std::move(image));
}

KnowledgeBase KnowledgeBase::open(const std::filesystem::path& file) {
  auto image = std::make_unique<Image>();
  image->name = file.string();
  image->file = FileBytes::map(file);
  if (!image->file) {
    throw KnowledgeBaseError(image->name +
                             ": is no knowledge base that can be read; give a file made by 'whyfail kb build'");
  }
  const auto parts = image_parts(image->file->view());
  if (!parts) throw KnowledgeBaseError(image->name + ": is no knowledge base; give a file made by 'whyfail kb build'");
  image->parts = *parts;
  const std::string format = image->ask([](const Database& database) {
    Statement query(database, "SELECT value FROM about WHERE key = 'format'");
    return query.step() ? query.text(0) : std::string();
  });
  if (format != "2") {
    throw KnowledgeBaseError(image->name + ": has the format '" + format +
                             "', this program reads 2; build it again with 'whyfail kb build'");
  }
  return KnowledgeBase(std::move(image));
}

std::string_view KnowledgeBase::anchor_filter() const { return image_->parts.filter; }

std::vector<matchers::Pattern> KnowledgeBase::patterns_with(std::uint64_t anchor_hash) const {
  return image_->ask([&](const Database& database) {
    if (!image_->by_anchor) image_->by_anchor.emplace(database);
    return image_->by_anchor->of(anchor_hash);
  });
}

bool KnowledgeBase::has(std::string_view id) const {
  return image_->ask([&](const Database& database) {
    return Statement(database, "SELECT 1 FROM failure WHERE id = ?").bind(id).step();
  });
}

std::optional<Failure> KnowledgeBase::failure(std::string_view id) const {
  return image_->ask([&](const Database& database) -> std::optional<Failure> {
    Statement query(database, "SELECT title, severity, what, why, advice FROM failure WHERE id = ?");
    if (!query.bind(id).step()) return std::nullopt;
    Failure failure;
    failure.id = std::string(id);
    failure.title = query.text(0);
    failure.severity = query.view(1) == "warning" ? matchers::Severity::warning : matchers::Severity::error;
    failure.what = query.text(2);
    failure.why = query.text(3);
    failure.advice = query.text(4);
    Statement beliefs(database,
                      "SELECT text FROM failure_text WHERE failure = ? AND kind = 'false_belief' ORDER BY position");
    for (beliefs.bind(id); beliefs.step();) failure.false_beliefs.push_back(beliefs.text(0));
    Statement sources(database, "SELECT title, url FROM failure_source WHERE failure = ? ORDER BY position");
    for (sources.bind(id); sources.step();) failure.sources.push_back({sources.text(0), sources.text(1)});
    Statement recipes(database, "SELECT strategy, settings FROM failure_recipe WHERE failure = ? ORDER BY position");
    for (recipes.bind(id); recipes.step();) failure.recipes.push_back({recipes.text(0), settings_of(recipes.view(1))});
    return failure;
  });
}

std::vector<FailureSummary> KnowledgeBase::failures() const {
  return image_->ask([](const Database& database) {
    Statement query(
        database,
        "SELECT id, title, (SELECT count(*) FROM pattern WHERE pattern.failure = failure.id) FROM failure ORDER BY id");
    std::vector<FailureSummary> summaries;
    while (query.step()) summaries.push_back({query.text(0), query.text(1), static_cast<int>(query.number(2))});
    return summaries;
  });
}

std::vector<WordingSummary> KnowledgeBase::wordings(std::string_view id) const {
  std::vector<WordingSummary> wordings = image_->ask([&](const Database& database) {
    std::vector<WordingSummary> found;
    for (WordingRow& row : wordings_of(database, std::string(id))) {
      WordingSummary wording;
      wording.pattern = row.pattern.id;
      wording.wording = std::move(row.wording);
      wording.exceptions = std::move(row.pattern.exceptions);
      wording.frames = std::move(row.pattern.frames);
      wording.needs_context = row.pattern.needs_context;
      for (const auto& [name, kind] : row.pattern.captures) {
        wording.captures.emplace_back(name, matchers::capture_kind_name(kind));
      }
      wording.nearby = std::move(row.pattern.nearby);
      wording.line = row.first_line;
      Statement samples(database, "SELECT kind, text FROM sample WHERE pattern = ? ORDER BY kind, position");
      for (samples.bind(wording.pattern); samples.step();) {
        (samples.view(0) == "near" ? wording.near : wording.samples).push_back(samples.text(1));
      }
      found.push_back(std::move(wording));
    }
    return found;
  });
  for (WordingSummary& wording : wordings) wording.versions = versions_of(wording.pattern);
  return wordings;
}

EntryOrigin KnowledgeBase::origin(std::string_view id) const {
  return image_->ask([&](const Database& database) {
    EntryOrigin origin;
    Statement file(database, "SELECT file FROM failure WHERE id = ?");
    if (file.bind(id).step()) origin.file = file.text(0);
    Statement aliases(database, "SELECT text FROM failure_text WHERE failure = ? AND kind = 'alias' ORDER BY position");
    for (aliases.bind(id); aliases.step();) origin.aliases.push_back(aliases.text(0));
    return origin;
  });
}

std::vector<Similar> KnowledgeBase::search(std::string_view words) const { return search(words, *this); }

std::vector<Similar> KnowledgeBase::search(std::string_view words, const KnowledgeBase& vocabulary) const {
  const Described described = vocabulary.image_->describe(words);
  return image_->ask([&](const Database& database) { return find_words(database, described); });
}

std::vector<Similar> KnowledgeBase::similar(std::string_view text, std::size_t most) const {
  return similar(text, *this, most);
}

std::vector<Similar> KnowledgeBase::similar(std::string_view text, const KnowledgeBase& vocabulary,
                                            std::size_t most) const {
  const Described described = vocabulary.image_->describe(text);
  return image_->ask([&](const Database& database) { return find_similar(database, described, most); });
}

std::string_view KnowledgeBase::database_bytes() const { return image_->parts.database; }

std::string KnowledgeBase::versions_of(std::int64_t pattern) const {
  return image_->ask([&](const Database& database) {
    // Wordings that differ only in blanks or quotes are one expression: what they say together is known.
    Statement query(database,
                    "SELECT other.package, other.releases FROM pattern AS other, pattern AS this WHERE this.id = ? AND "
                    "other.failure = this.failure AND other.expression = this.expression ORDER BY other.id");
    std::vector<NamedRange> ranges;
    query.bind(pattern);
    while (query.step()) {
      for (const std::string& line : split_lines(query.view(1))) {
        NamedRange range = named_range(query.text(0), line);
        if (std::find(ranges.begin(), ranges.end(), range) == ranges.end()) ranges.push_back(std::move(range));
      }
    }
    std::stable_sort(
        ranges.begin(), ranges.end(),
        [main = ranges.empty() ? "" : ranges.front().package](const NamedRange& left, const NamedRange& right) {
          return (left.package == main) > (right.package == main);
        });
    return ranges_in_words(ranges);
  });
}

std::optional<std::string> KnowledgeBase::size_template(std::string_view model_type, int era) const {
  return image_->ask([&](const Database& database) -> std::optional<std::string> {
    Statement query(database, "SELECT json FROM size_template WHERE model_type = ? AND era = ?");
    if (!query.bind(model_type).bind(std::int64_t{era}).step()) return std::nullopt;
    return query.text(0);
  });
}

std::optional<std::string> KnowledgeBase::architecture(std::string_view model_type) const {
  return image_->ask([&](const Database& database) -> std::optional<std::string> {
    Statement query(database, "SELECT json FROM architecture WHERE model_type = ?");
    if (!query.bind(model_type).step()) return std::nullopt;
    return query.text(0);
  });
}

std::optional<std::string> KnowledgeBase::architecture_with_class(std::string_view class_name) const {
  return image_->ask([&](const Database& database) -> std::optional<std::string> {
    Statement query(database, "SELECT json FROM architecture WHERE instr(json, ?) > 0 ORDER BY model_type LIMIT 1");
    const std::string member = '"' + std::string(class_name) + "\":{";
    if (!query.bind(member).step()) return std::nullopt;
    return query.text(0);
  });
}

std::optional<std::string> KnowledgeBase::catalogue(std::string_view model_id) const {
  return image_->ask([&](const Database& database) -> std::optional<std::string> {
    Statement query(database, "SELECT json FROM catalogue WHERE model_id = ?");
    if (!query.bind(model_id).step()) return std::nullopt;
    return query.text(0);
  });
}

const Database& KnowledgeBase::database() const { return image_->database(); }

}  // namespace whyfail::kb
