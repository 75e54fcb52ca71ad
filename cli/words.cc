// Figures and facts in words.
#include "cli/words.h"

#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace whyfail::cli {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : between).append(part);
  return text;
}

std::string origin_words(const std::string& origin) {
  if (origin == "option") return "given";
  if (origin == "paste") return "the paste says so";
  if (origin == "frames") return "told by the traceback's lines";
  if (origin == "message") return "told by the message's wording";
  if (origin == "newest") return "the newest known, as none is installed here";
  return origin == "probe" ? "installed here" : origin;
}

std::string package_words(const char* name, const PackageReleases& releases) {
  std::string text = name;
  if (!releases.value.empty()) {
    text += " " + releases.value;
  } else if (releases.candidates.size() == 2) {
    text += " " + releases.candidates.front().text() + " or " + releases.candidates.back().text();
  } else if (!releases.candidates.empty()) {
    text += " " + releases.candidates.front().text() + " to " + releases.candidates.back().text();
  } else if (releases.assumed) {
    return text + " not known; " + releases.assumed->text() + " was current";
  } else {
    return text + " not known";
  }
  return text + " (" + origin_words(releases.origin) + ")";
}

std::string free_of(const std::optional<std::uint64_t>& free, const std::optional<std::uint64_t>& total,
                    const char* what) {
  if (free && total) return size_text(*free) + " of " + size_text(*total) + " " + what;
  if (free) return size_text(*free) + " " + what;
  return total ? size_text(*total) + ", how much is " + what + " is not known" : std::string("size not known");
}

Row gpu_row(const probes::Gpu& gpu) {
  std::string name = gpu.mps ? "mps" : gpu.index ? "GPU " + std::to_string(*gpu.index) : "GPU";
  std::vector<std::string> says;
  if (!gpu.name.empty()) says.push_back(gpu.name);
  says.push_back(free_of(gpu.free_bytes, gpu.total_bytes, "free"));
  if (!gpu.origin.empty()) says.push_back(gpu.origin);
  return {name, joined(says, ", ")};
}

// The process that holds most of a card, where that is worth a word: in notebooks often an earlier load.
std::optional<Row> holder_row(const probes::Gpu& gpu) {
  constexpr std::uint64_t much = std::uint64_t{1} << 30U;
  const probes::Holder* largest = nullptr;
  for (const probes::Holder& holder : gpu.holders) {
    if (holder.bytes.value_or(0) >= much && (largest == nullptr || *holder.bytes > *largest->bytes)) largest = &holder;
  }
  if (largest == nullptr) return std::nullopt;
  const std::string process = "process " + std::to_string(largest->pid);
  return Row{"", (largest->name.empty() ? process : largest->name + " (" + process + ")") + " holds " +
                     size_text(*largest->bytes) +
                     " of it: if that is an earlier load, restart its notebook kernel or end the process"};
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), size < 99.95 ? "%.1f %s" : "%.0f %s", size, units.at(unit));
  return text.data();
}

std::string device_text(const fixer::Device& device) {
  if (const auto* index = std::get_if<std::int64_t>(&device)) return "GPU " + std::to_string(*index);
  const std::string& name = std::get<std::string>(device);
  return name == "cpu" ? "CPU" : name;
}

constexpr const char* name_letters = "abcdefghijklmnopqrstuvwxyz_";

std::string filled_in(const std::string& text, const std::map<std::string, std::string>& captures) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '{' ? text.find_first_not_of(name_letters, at + 1) : std::string::npos;
    if (end == std::string::npos || text[end] != '}' || end == at + 1) {
      filled += text[at++];
      continue;
    }
    const auto capture = captures.find(text.substr(at + 1, end - at - 1));
    filled += capture == captures.end() ? "…" : capture->second;  // a message that was cut off lacks some
    at = end + 1;
  }
  return filled;
}

std::string releases_words(const Facts& facts) {
  std::string text = package_words("transformers", facts.transformers);
  if (facts.edited_source) text += "; the traceback's lines fit no release: its source is edited or unreleased";
  return text + ", " + package_words("accelerate", facts.accelerate);
}

std::vector<Row> machine_rows(const Facts& facts) {
  std::vector<Row> rows;
  const probes::Machine& machine = facts.machine;
  for (const probes::Gpu& gpu : machine.gpus) {
    rows.push_back(gpu_row(gpu));
    if (auto holder = holder_row(gpu)) rows.push_back(std::move(*holder));
  }
  if (machine.gpus.empty() && machine.gpus_known) rows.push_back({"GPU", "none"});
  if (machine.memory.available_bytes || machine.memory.total_bytes) {
    std::string says = free_of(machine.memory.available_bytes, machine.memory.total_bytes, "available");
    if (machine.memory.limit_bytes) says += ", limit " + size_text(*machine.memory.limit_bytes);
    if (!machine.memory.origin.empty()) says += ", " + machine.memory.origin;
    rows.push_back({"RAM", says});
  }
  for (const probes::Disk& disk : machine.disks) {
    if (!disk.free_bytes) continue;
    std::string says = size_text(*disk.free_bytes) + " free";
    if (!disk.path.empty()) says += " at " + disk.path;
    if (disk.memory_backed) says += ", which is memory";
    if (disk.network) says += ", over the network";
    rows.push_back({"disk", says});
    break;
  }
  return rows;
}

std::string model_words(const fixer::Model& model) {
  std::string text = model.id.empty() ? model.architecture : model.id;
  if (model.bytes == 0) {
    text += ", size not known";
  } else if (model.quantizer.empty()) {
    text += ", " + size_text(model.bytes) + " in " + fixer::dtype_name(model.dtype);
  } else {
    text += ", " + size_text(model.bytes) + " quantized already (" + model.quantization + ")";
  }
  const std::string note = model.quantization.empty() || model.note.empty() ? "" : "; " + model.note;
  if (model.origin == "checkpoint") return text + " (its checkpoint" + note + ")";
  if (model.origin == "config") return text + " (its config.json" + note + ")";
  if (model.origin == "catalogue") return text + " (known model" + note + ")";
  return text + " (estimated from its " + model.origin + ")";
}

std::vector<Row> placement_rows(const fixer::Fix& fix) {
  std::vector<Row> rows;
  for (const fixer::DeviceBudget& device : fix.devices) {
    if (device.weights_bytes == 0 && !device.budget_bytes) continue;
    if (device.weights_bytes == 0) {
      rows.push_back({device_text(device.device), "nothing"});
      continue;
    }
    std::string says = size_text(device.weights_bytes) + " of weights";
    if (device.budget_bytes) says += " in a budget of " + size_text(*device.budget_bytes);
    std::vector<std::string> terms;
    for (const auto& [name, bytes] : device.terms) {
      if (bytes > 0) terms.push_back(name + " " + size_text(bytes));
    }
    if (device.reserve_bytes > 0)
      says += "; kept free: " + (terms.empty() ? size_text(device.reserve_bytes) : joined(terms, ", "));
    rows.push_back({device_text(device.device), says});
  }
  return rows;
}

std::string change_words(const fixer::Change& change) {
  const bool is_a_call = change.argument == change.old_value;  // not an argument's value: `.to("cuda")`
  std::string text = is_a_call ? "" : change.argument + ": ";
  if (change.old_value.empty()) {
    text += change.new_value;
  } else {
    text += change.old_value + " → " + (change.new_value.empty() ? "taken out" : change.new_value);
  }
  return change.reason.empty() ? text : text + " — " + change.reason;
}

std::string last_error_words(const Diagnosis& diagnosis) {
  if (!diagnosis.reading.last_error) return {};
  const matchers::Raised& error = *diagnosis.reading.last_error;
  std::string text = error.type;
  const std::string first_line = error.message.substr(0, error.message.find('\n'));
  if (!first_line.empty()) text += (text.empty() ? "" : ": ") + first_line;
  return text.size() > 300 ? text.substr(0, 300) + "…" : text;
}

}  // namespace whyfail::cli
