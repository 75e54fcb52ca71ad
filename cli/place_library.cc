// Reads the folder's files; expands trees when they are asked for.
#include "cli/place_library.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "cli/gzip_file.h"
#include "cli/knowledge.h"
#include "cli/place_tree_json.h"
#include "fixer/model/class_facts.h"
#include "fixer/model/model.h"

namespace whyfail::cli {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr std::size_t kExpandedKept = 16;
constexpr std::size_t kClassesKept = 256;

enum class Content { other, trees, contexts };

Content content_of(const std::string& name) {
  if (name.ends_with("trees.json.gz")) return Content::trees;
  if (name.ends_with("contexts.json.gz") || name.ends_with("ctx.json.gz")) return Content::contexts;
  return Content::other;
}

}  // namespace

struct PlaceLibrary::Files {
  std::unordered_map<std::string, nlohmann::json> trees;
  std::unordered_map<std::string, nlohmann::json> contexts;
  // A few expanded trees; requests for one tree come in a row.
  std::map<std::string, fixer::ModuleTree> expanded;
  std::map<std::string, std::optional<fixer::ModuleTree>> named;    // by name, class, dtype and release
  std::map<std::string, std::optional<fixer::ClassFacts>> classes;  // by name and release
  std::optional<Knowledge> knowledge;                               // opened when it is asked for
};

PlaceLibrary::PlaceLibrary() : files_(std::make_unique<Files>()) {}
PlaceLibrary::~PlaceLibrary() = default;

std::optional<std::string> PlaceLibrary::load(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (content_of(it->path().filename().string()) != Content::other) files.push_back(it->path());
  }
  if (error) return "can't read the folder of trees " + folder.string() + ": " + error.message();
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    const std::optional<std::string> text = read_gzip_file(file, kMostBytes);
    if (!text) return "can't read " + file.string() + ": not a gzip file, damaged, or larger than 1 GiB";
    nlohmann::json content = nlohmann::json::parse(*text, nullptr, false);
    if (!content.is_object()) return "can't read " + file.string() + ": not a JSON object of hashes";
    auto& target = content_of(file.filename().string()) == Content::trees ? files_->trees : files_->contexts;
    for (auto& [hash, value] : content.items()) target.insert_or_assign(hash, std::move(value));
  }
  return std::nullopt;
}

std::variant<const fixer::ModuleTree*, std::string> PlaceLibrary::tree(const std::string& hash) {
  const auto ready = files_->expanded.find(hash);
  if (ready != files_->expanded.end()) return &ready->second;
  const auto found = files_->trees.find(hash);
  if (found == files_->trees.end()) return "no tree '" + hash + "' in the folder of trees";
  std::variant<fixer::ModuleTree, std::string> made = tree_from_json(found->second);
  if (std::string* problem = std::get_if<std::string>(&made)) return std::move(*problem);
  if (files_->expanded.size() >= kExpandedKept) files_->expanded.clear();
  return &files_->expanded.emplace(hash, std::get<fixer::ModuleTree>(std::move(made))).first->second;
}

const kb::KnowledgeBase& PlaceLibrary::knowledge() {
  if (!files_->knowledge) files_->knowledge.emplace(std::vector<std::string>());
  return files_->knowledge->shipped();
}

const fixer::ModuleTree* PlaceLibrary::tree_of(const NamedModel& model) {
  const std::string key =
      model.name + '\n' + model.class_name + '\n' + fixer::dtype_name(model.dtype) + '\n' + model.transformers.text();
  auto known = files_->named.find(key);
  if (known == files_->named.end()) {
    fixer::ModelQuery query;
    query.name = model.name;
    query.auto_class = model.class_name;
    query.dtype = model.dtype;
    query.transformers = model.transformers;
    auto found = fixer::find_model(query, knowledge());
    fixer::Model* made = std::get_if<fixer::Model>(&found);
    const bool usable = made != nullptr && made->exact && made->quantization.empty();
    if (files_->named.size() >= kExpandedKept) files_->named.clear();
    known = files_->named.emplace(key, usable ? std::optional(std::move(made->tree)) : std::nullopt).first;
  }
  return known->second ? &*known->second : nullptr;
}

const fixer::ClassFacts* PlaceLibrary::class_facts(const std::string& class_name, const kb::Release& transformers) {
  if (class_name.empty()) return nullptr;
  const std::string key = class_name + '\n' + transformers.text();
  auto known = files_->classes.find(key);
  if (known == files_->classes.end()) {
    const std::string architecture = knowledge().architecture_with_class(class_name).value_or("{}");
    fixer::ClassRequest request;
    request.architecture = architecture;
    request.auto_class = class_name;
    request.transformers = transformers;
    fixer::KnownClass made = fixer::class_for(request);
    if (files_->classes.size() >= kClassesKept) files_->classes.clear();
    known = files_->classes.emplace(key, made.in_data ? std::optional(std::move(made.facts)) : std::nullopt).first;
  }
  return known->second ? &*known->second : nullptr;
}

const nlohmann::json* PlaceLibrary::context(const std::string& hash) const {
  const auto found = files_->contexts.find(hash);
  return found == files_->contexts.end() ? nullptr : &found->second;
}

}  // namespace whyfail::cli
