// whyfail kb: reads, searches, checks and makes knowledge bases.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/kb_pages.h"
#include "cli/kb_strategies.h"
#include "cli/knowledge.h"
#include "cli/mask.h"
#include "cli/output.h"
#include "kb/build/build.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t most_near = 5;    // ids offered for one that is mistyped
constexpr std::size_t most_found = 20;  // entries of a search

// The one knowledge base that is exported: the last --kb, else the shipped one.
kb::KnowledgeBase chosen(const Options& options) {
  return options.kb_files.empty() ? kb::KnowledgeBase::shipped() : kb::KnowledgeBase::open(options.kb_files.back());
}

const std::string& argument(const Options& options, const char* what) {
  if (options.words.size() < 2) throw Failure("kb " + options.words.front() + ": give " + what);
  return options.words[1];
}

void write_file(const std::string& name, std::string_view bytes) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Failure(name + ": cannot be written; give a file in a folder that you may write to");
}

// Ids of which each holds the longest of the words of `wrong`, for those who mistyped.
std::string ids_near(const Knowledge& knowledge, const std::string& wrong) {
  std::string longest;
  std::istringstream words(wrong);
  for (std::string word; std::getline(words, word, '-');) longest = word.size() > longest.size() ? word : longest;
  std::string ids;
  std::size_t count = 0;
  for (const kb::FailureSummary& failure : knowledge.failures()) {
    if (longest.empty() || failure.id.find(longest) == std::string::npos || ++count > most_near) continue;
    ids += (ids.empty() ? "" : ", ") + failure.id;
  }
  return ids;
}

int show(const Options& options) {
  const std::string& id = argument(options, "the id of an entry ('whyfail kb list' has them)");
  const Knowledge knowledge(options.kb_files);
  const kb::KnowledgeBase* layer = knowledge.layer_with(id);
  if (layer == nullptr) {
    const std::string near = ids_near(knowledge, id);
    throw Failure("kb show: no entry '" + id + "'; " +
                  (near.empty() ? std::string("'whyfail kb list' has all ids") : "perhaps " + near));
  }
  print(entry_page(*layer->failure(id), layer->wordings(id), layer->origin(id), options.format == Format::json));
  return 0;
}

int search(const Options& options) {
  argument(options, "words to look for");
  std::string words;
  for (std::size_t i = 1; i < options.words.size(); ++i) words += options.words[i] + " ";
  std::vector<kb::Similar> found = Knowledge(options.kb_files).search(words);
  found.resize(std::min(found.size(), most_found));
  print(search_page(found, options.format == Format::json));
  return found.empty() ? 1 : 0;
}

kb::BuildResult checked(const std::string& folder) {
  kb::BuildResult result = kb::build_image(folder);
  add_unknown_strategies(result);
  return result;
}

int check(const Options& options) {
  const std::string& folder = argument(options, "the data folder to check: the one that holds failures/");
  const kb::BuildResult result = checked(folder);
  print(findings_page(folder, result));
  return result.findings.empty() ? 0 : 1;
}

int build(const Options& options) {
  const std::string& folder = argument(options, "the data folder to build from: the one that holds failures/");
  if (options.output.empty()) throw Failure("kb build: give -o FILE, where the knowledge base is written");
  const kb::BuildResult result = checked(folder);
  if (!result.findings.empty()) {
    print(findings_page(folder, result) + options.output + " is not written\n");
    return 1;
  }
  write_file(options.output, result.image);
  print(findings_page(folder, result) + options.output + " is written; use it with --kb " + options.output + "\n");
  return 0;
}

int export_base(const Options& options) {
  const std::string& file = options.output.empty() ? argument(options, "the file to write") : options.output;
  write_file(file, chosen(options).database_bytes());
  return 0;
}

int try_file(const Options& options) {
  const std::string file = options.words.size() > 1 ? options.words[1] : "-";
  const std::unique_ptr<matchers::ByteSource> source = open_paste(file);
  std::string paste(std::size_t{16} << 20U, '\0');
  std::size_t size = 0;
  while (size < paste.size()) {
    const std::size_t read = source->read(paste.data() + size, paste.size() - size);
    if (read == 0) break;
    size += read;
  }
  paste.resize(size);
  const Knowledge knowledge(options.kb_files);
  const matchers::Reading reading = matchers::read_paste(paste, knowledge);
  print(masked(trial_page(matchers::try_patterns(paste, knowledge), reading, knowledge)));
  return reading.failures.empty() ? 1 : 0;
}

}  // namespace

int kb_command(const Options& options) {
  const std::string name = options.words.empty() ? "list" : options.words.front();
  if (name == "list") {
    print(list_page(Knowledge(options.kb_files).failures(), options.format == Format::json));
    return 0;
  }
  if (name == "show") return show(options);
  if (name == "search") return search(options);
  if (name == "check") return check(options);
  if (name == "build") return build(options);
  if (name == "export") return export_base(options);
  if (name == "try") return try_file(options);
  throw Failure("kb: no command '" + name + "'; there are list, show, search, check, build, try and export");
}

}  // namespace whyfail::cli
