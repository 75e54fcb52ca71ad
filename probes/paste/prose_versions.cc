// Names with versions between other words.
#include "probes/paste/prose_versions.h"

#include <vector>

#include "probes/package_name.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

bool is_known_package(const std::string& name) {
  for (std::string_view known : {"transformers",
                                 "torch",
                                 "pytorch",
                                 "accelerate",
                                 "bitsandbytes",
                                 "peft",
                                 "diffusers",
                                 "safetensors",
                                 "tokenizers",
                                 "optimum",
                                 "trl",
                                 "python",
                                 "huggingface-hub",
                                 "sentence-transformers",
                                 "auto-gptq",
                                 "autoawq",
                                 "datasets",
                                 "numpy",
                                 "vllm",
                                 "xformers",
                                 "triton"}) {
    if (name == known) return true;
  }
  return false;
}

// Words of a line, cut at blanks, commas and the marks that stand between a name and its version.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view marks = " \t,;/=&";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(marks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(marks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(marks, end);
  }
  return words;
}

}  // namespace

// Names with versions: "transformers 5.5.0, torch 2.15.0", "torch==2.4.0". `alone`: only if the line is nothing else.
std::map<std::string, std::string> versions_in(std::string_view line, bool alone) {
  std::map<std::string, std::string> found;
  std::string_view name;
  std::size_t others = 0;
  for (std::string_view word : words_of(line)) {
    while (word.ends_with('.') || word.ends_with(':')) word.remove_suffix(1);
    std::string_view version = word;
    if (version.starts_with('v')) version.remove_prefix(1);
    const std::string normal = normalised_package(word);
    if (is_known_package(normal)) {
      others += name.empty() ? 0U : 1U;
      name = word;
    } else if (!name.empty() && looks_like_version(version) && version.find('.') != std::string_view::npos) {
      const std::string lower = lower_case(name);
      found.emplace(lower == "pytorch" ? "torch" : lower, version);
      name = {};
    } else if (word != "and" && word != "-" && word != "*" && word != "+") {
      // "Versions:", "Env:" and "using" may lead in.
      const std::string lower = lower_case(word);
      const bool intro =
          found.empty() && name.empty() && others == 0 &&
          (lower == "using" || lower == "with" || line.find(std::string(word) + ":") != std::string_view::npos);
      others += intro ? 0 : 1;
      name = {};
    }
  }
  if (alone && (others > 0 || !name.empty())) return {};
  return found;
}

}  // namespace whyfail::probes::paste
