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

void add_version(std::string_view name, const std::string& version, std::string_view line, Stated& stated) {
  if (stated.versions.empty()) stated.versions_line = line;
  stated.versions.emplace(name, version);
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
    stated.system_line = line;
  } else if (label == "GPU type" && !vendor_of(value).empty()) {
    // torch.cuda.get_device_name(): the first card, and perhaps not the only one.
    Gpu gpu;
    gpu.name = value;
    gpu.vendor = vendor_of(value);
    gpu.index = 0;
    if (!stated.gpus) stated.gpus.emplace({gpu});
    stated.all_gpus = false;
    stated.gpus_line = line;
  } else if (label == "System RAM") {
    Scanner size(value);  // psutil's total / 1024^3, printed with "GB"
    stated.memory_total = size.take_size();
    stated.memory_line = line;
  } else if (label.find("version") != std::string_view::npos) {
    const std::string name = package_of(label);
    const std::string version = version_in(value);
    if (is_plain_name(name) && !version.empty()) add_version(name, version, line, stated);
  }
}

// "[pip3] torch==2.5.1" and "[conda] numpy  1.26.4  py311h64a7726_0  conda-forge".
void read_listed_package(std::string_view line, Stated& stated) {
  Scanner scanner(trimmed(line));
  if (scanner.take("[pip3] ") || scanner.take("[pip] ")) {
    const std::string_view name = scanner.take_until("=");
    if (!scanner.take("==")) return;
    const std::string version = version_in(scanner.rest());
    if (is_plain_name(name) && !version.empty()) add_version(name, version, line, stated);
  } else if (scanner.take("[conda] ")) {
    const auto words = fields_of(scanner.rest());
    if (words.size() < 3 || !looks_like_version(words[1])) return;
    add_version(words[0] == "pytorch" ? "torch" : words[0], std::string(words[1]), line, stated);
  }
}

// diffusers-cli env: "- Accelerator: NVIDIA GeForce RTX 4090, 24564 MiB", further cards on lines of their own.
class Accelerators {
 public:
  void read(std::string_view line, Stated& stated) {
    Scanner scanner(trimmed(line));
    if (scanner.take("- Accelerator:")) {
      open_ = true;
    } else if (!open_) {
      return;
    }
    const std::string_view text = trimmed(scanner.rest());
    const std::size_t comma = text.rfind(", ");
    if (comma == std::string_view::npos) return close();
    Scanner size(text, comma + 2);
    Gpu gpu;
    gpu.name = text.substr(0, comma);
    gpu.vendor = vendor_of(gpu.name);
    gpu.total_bytes = size.take_size();
    if (gpu.vendor.empty() || !gpu.total_bytes || !size.at_end()) return close();
    if (!stated.gpus) {
      stated.gpus.emplace();
      stated.gpus_line = line;
    }
    gpu.nvidia_index = static_cast<int>(stated.gpus->size());
    if (stated.gpus->empty()) gpu.index = 0;
    if (stated.gpus->size() < 1024) stated.gpus->push_back(std::move(gpu));
    number(*stated.gpus);
  }

 private:
  void close() { open_ = false; }
  // nvidia-smi's order; it is CUDA's for sure only where all cards are alike.
  static void number(std::vector<Gpu>& gpus) {
    bool alike = true;
    for (const Gpu& gpu : gpus) alike = alike && gpu.name == gpus.front().name;
    for (Gpu& gpu : gpus) gpu.index = alike ? gpu.nvidia_index : std::nullopt;
  }
  bool open_ = false;
};

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
        stated.gpus_line = line;
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
    if (!stated.gpus) {
      stated.gpus.emplace();
      stated.gpus_line = line;
    }
    if (stated.gpus->size() < 1024) stated.gpus->push_back(std::move(gpu));
  }

 private:
  bool open_ = false;
};

}  // namespace

Stated environment_report(const Lines& lines) {
  Stated stated;
  Cards cards;
  Accelerators accelerators;
  bool collected = false;
  for (std::string_view line : lines) {
    if (line.size() > 1000) continue;
    read_item(line, stated);
    cards.read(line, stated);
    accelerators.read(line, stated);
    read_listed_package(line, stated);
    Scanner scanner(trimmed(line));
    if (scanner.take("PyTorch version: ")) {
      collected = true;
      if (const auto version = version_in(scanner.rest()); !version.empty()) {
        if (stated.versions.empty()) stated.versions_line = line;
        stated.versions["torch"] = version;
      }
    } else if (collected && scanner.take("OS: ")) {
      stated.system = trimmed(scanner.rest());
      stated.system_line = line;
    } else if (collected && scanner.take("Python version: ")) {
      if (const auto version = version_in(scanner.rest()); !version.empty()) stated.versions["python"] = version;
    }
  }
  return stated;
}

}  // namespace whyfail::probes::paste
