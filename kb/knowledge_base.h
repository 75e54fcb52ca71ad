// What is known: failures with their wordings, and the data about releases, architectures and models. One SQLite image,
// read-only; the shipped one lies inside the program and is opened without a temporary file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kb/release.h"
#include "matchers/pattern.h"

namespace whyfail::kb {

class Database;

struct Source {
  std::string title;  // "transformers 4.44.2, modeling_utils.py"
  std::string url;    // may be empty
};

// A recipe: the name of a strategy of fixer/plan and its settings.
struct Recipe {
  std::string strategy;
  std::vector<std::pair<std::string, std::string>> settings;
};

struct Failure {
  std::string id;
  std::string title;
  matchers::Severity severity = matchers::Severity::error;
  std::string what;    // first sentence: the cause in the reader's terms
  std::string why;     // every known cause and how to tell them apart; may hold {capture} names
  std::string advice;  // what to do where no call can be corrected
  std::vector<std::string> false_beliefs;
  std::vector<Source> sources;
  std::vector<Recipe> recipes;  // in order of preference
};

struct FailureSummary {
  std::string id;
  std::string title;
  int wordings = 0;
};

// One wording of an entry, for authors.
struct WordingSummary {
  std::int64_t pattern = 0;
  std::string wording;  // as written in the entry
  std::vector<std::string> exceptions;
  std::string versions;  // empty: not known
  std::vector<std::string> samples;
  std::vector<std::string> near;
  std::vector<std::string> frames;                            // one of them must be in a frame; empty: no demand
  bool needs_context = false;                                 // believed only with a library's frame
  std::vector<std::pair<std::string, std::string>> captures;  // name and kind
  std::vector<std::pair<std::string, std::string>> nearby;    // name and expression
  int line = 0;                                               // of the entry's file
};

// What an entry has for its authors only.
struct EntryOrigin {
  std::string file;                  // below the data folder
  std::vector<std::string> aliases;  // words that people use for it
};

// An entry that a text reminds of.
struct Similar {
  std::string id;
  std::string title;
  double score = 0;  // 0 … 1: how much of what the text says is in the entry
};

class KnowledgeBase : public matchers::PatternSource {
 public:
  // The image inside the program. Throws KnowledgeBaseError only if the program itself is damaged.
  static KnowledgeBase shipped();
  // A file. Throws KnowledgeBaseError with a message that names the file and what is wrong with it.
  static KnowledgeBase open(const std::filesystem::path& file);

  KnowledgeBase(KnowledgeBase&&) noexcept;
  KnowledgeBase& operator=(KnowledgeBase&&) noexcept;
  ~KnowledgeBase() override;

  std::string_view anchor_filter() const override;
  std::vector<matchers::Pattern> patterns_with(std::uint64_t anchor_hash) const override;

  bool has(std::string_view id) const;
  std::optional<Failure> failure(std::string_view id) const;
  std::vector<FailureSummary> failures() const;  // sorted by id
  std::vector<WordingSummary> wordings(std::string_view id) const;
  EntryOrigin origin(std::string_view id) const;
  // Entries for search words or a person's description, best first. `search` takes any entry that has the words;
  // `similar` only those that have so many of them that a reader would not be led astray.
  std::vector<Similar> search(std::string_view words) const;
  std::vector<Similar> similar(std::string_view text, std::size_t most = 3) const;
  // The same with the vocabulary of another knowledge base: a team's own has none.
  std::vector<Similar> search(std::string_view words, const KnowledgeBase& vocabulary) const;
  std::vector<Similar> similar(std::string_view text, const KnowledgeBase& vocabulary, std::size_t most) const;
  // The image as an ordinary SQLite file.
  std::string_view database_bytes() const;

  // "transformers 4.25.0 to 4.57.6" for the wording behind a pattern; empty if not known.
  std::string versions_of(std::int64_t pattern) const;

  // JSON text of the size template (shared form: tensors with symbolic shapes) for config.json's model_type; era "4" or
  // "5".
  std::optional<std::string> size_template(std::string_view model_type, int era) const;
  // JSON text of the architecture facts of a model_type.
  std::optional<std::string> architecture(std::string_view model_type) const;
  // The same of the first model_type that has a model class of this name ("BertForMaskedLM").
  std::optional<std::string> architecture_with_class(std::string_view class_name) const;
  // JSON text of config facts (the config.json fields that sizes need, plus "source") of a model id; any letter case.
  std::optional<std::string> catalogue(std::string_view model_id) const;

  // For the other files of this folder.
  const Database& database() const;

 private:
  struct Image;
  explicit KnowledgeBase(std::unique_ptr<Image> image);
  std::unique_ptr<Image> image_;
};

class KnowledgeBaseError : public std::exception {
 public:
  explicit KnowledgeBaseError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

}  // namespace whyfail::kb
