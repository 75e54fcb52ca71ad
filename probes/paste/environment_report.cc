// The reports that bug trackers ask for: transformers env, accelerate env, diffusers-cli env ("- `transformers`
// version: 4.40.2") and python -m torch.utils.collect_env ("PyTorch version: 2.5.1+cu124", "[pip3] numpy==1.26.4").
#include "probes/package_name.h"
#include "probes/paste/scanner.h"
#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

// "3.11.7 (main, May  9 2026)" → "3.11.7"; "not installed (NA)" → nothing.
std::string version_in(std::string_view value) {
  Scanner scanner(value);
  const std::string_view word = scanner.take_until(" \t,;(");
  return looks_like_version(word) ? std::string(word) : std::string();
}

std::string package_of(std::string_view label) {
  std::string name;
  for (char letter : label) {
    if (letter != '`') name += letter;
  }
  if (const std::size_t note = name.find(" ("); note != std::string::npos) name.resize(note);
  for (std::string_view suffix : {" version", " Version"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  }
  name = lower_case(trimmed(name));
  constexpr std::string_view emoji = "🤗 ";
  if (name.starts_with(emoji)) name = name.substr(emoji.size());
  return name == "pytorch" ? "torch" : name;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() < 40 && name.find_first_of(" \t/\\:\"'()") == std::string_view::npos;
}

// "- NAME version: VALUE" of the Hugging Face reports.
void read_item(std::string_view line, Stated& stated) {
  Scanner scanner(trimmed(line));
  if (!scanner.take("- ")) return;
  const std::string_view label = scanner.take_until(":");
  if (!scanner.take(":")) return;
  const std::string_view value = trimmed(scanner.rest());
  if (label == "Platform") {
    stated.system = value;
  } else if (label == "System RAM") {
    Scanner size(value);  // psutil's total / 1024^3, printed with "GB"
    stated.memory_total = size.take_size();
  } else if (label.find("version") != std::string_view::npos) {
    const std::string name = package_of(label);
    const std::string version = version_in(value);
    if (is_plain_name(name) && !version.empty()) stated.versions.emplace(name, version);
  }
}

// "[pip3] torch==2.5.1" and "[conda] numpy  1.26.4  py311h64a7726_0  conda-forge".
void read_listed_package(std::string_view line, Stated& stated) {
  Scanner scanner(trimmed(line));
  if (scanner.take("[pip3] ") || scanner.take("[pip] ")) {
    const std::string_view name = scanner.take_until("=");
    if (!scanner.take("==")) return;
    const std::string version = version_in(scanner.rest());
    if (is_plain_name(name) && !version.empty()) stated.versions.emplace(name, version);
  } else if (scanner.take("[conda] ")) {
    const auto words = fields_of(scanner.rest());
    if (words.size() < 3 || !looks_like_version(words[1])) return;
    stated.versions.emplace(words[0] == "pytorch" ? "torch" : std::string(words[0]), std::string(words[1]));
  }
}

// "GPU models and configuration: GPU 0: NVIDIA A100", or the cards on the lines that follow; "No CUDA" for none.
class Cards {
 public:
  void read(std::string_view line, Stated& stated) {
    Scanner scanner(trimmed(line));
    if (scanner.take("GPU models and configuration:")) {
      scanner.skip_blanks();
      open_ = true;
      if (scanner.rest() == "No CUDA") {
        stated.gpus.emplace();
        open_ = false;
        return;
      }
    }
    if (!open_ || scanner.at_end()) return;
    const auto index = scanner.take("GPU ") ? scanner.take_integer() : std::nullopt;
    if (!index || *index > 4095 || !scanner.take(": ")) {
      open_ = false;
      return;
    }
    Gpu gpu;
    gpu.name = trimmed(scanner.take_until("("));
    gpu.vendor = vendor_of(gpu.name);
    gpu.nvidia_index = static_cast<int>(*index);
    gpu.index = gpu.nvidia_index;  // torch's own numbers
    if (!stated.gpus) stated.gpus.emplace();
    if (stated.gpus->size() < 1024) stated.gpus->push_back(std::move(gpu));
  }

 private:
  bool open_ = false;
};

}  // namespace

Stated environment_report(const Lines& lines) {
  Stated stated;
  Cards cards;
  bool collected = false;
  for (std::string_view line : lines) {
    if (line.size() > 1000) continue;
    read_item(line, stated);
    cards.read(line, stated);
    read_listed_package(line, stated);
    Scanner scanner(trimmed(line));
    if (scanner.take("PyTorch version: ")) {
      collected = true;
      if (const auto version = version_in(scanner.rest()); !version.empty()) stated.versions["torch"] = version;
    } else if (collected && scanner.take("OS: ")) {
      stated.system = trimmed(scanner.rest());
    } else if (collected && scanner.take("Python version: ")) {
      if (const auto version = version_in(scanner.rest()); !version.empty()) stated.versions["python"] = version;
    }
  }
  return stated;
}

}  // namespace whyfail::probes::paste
