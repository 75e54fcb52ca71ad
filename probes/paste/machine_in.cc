// Puts together what the forms of a paste state: the surest form first, later ones only fill what is still missing.
#include <algorithm>
#include <functional>

#include "probes/known_cards.h"
#include "probes/package_name.h"
#include "probes/paste/paths_seen.h"
#include "probes/paste/stated.h"
#include "probes/sources.h"
#include "probes/text_lines.h"

namespace whyfail::probes {
namespace {

using paste::Stated;

struct Form {
  const char* origin;
  Stated (*read)(const paste::Lines&);
};

constexpr Form forms[] = {{"paste: nvidia-smi", paste::nvidia_smi_table},
                          {"paste: nvidia-smi --query-gpu", paste::nvidia_smi_csv},
                          {"paste: start of the program", paste::total_vram_line},
                          {"paste: free", paste::free_output},
                          {"paste: /proc/meminfo", paste::meminfo},
                          {"paste: systeminfo", paste::system_info},
                          {"paste: Task Manager", paste::task_manager},
                          {"paste: environment report", paste::environment_report},
                          {"paste: list of packages", paste::package_list},
                          {"paste: nvidia-smi -L", paste::nvidia_smi_list},
                          {"paste: df", paste::df_output},
                          {"said in the paste", paste::prose}};

bool about_equal(std::uint64_t one, std::uint64_t other) {
  const std::uint64_t larger = std::max(one, other);
  return larger - std::min(one, other) <= larger / 20;
}

// Which line of the paste a view into the cleaned text stands in.
class Origins {
 public:
  explicit Origins(const matchers::Reading& reading) : reading_(reading) {}

  std::string with_line(const std::string& origin, std::string_view line) const {
    for (const matchers::CleanText& island : reading_.islands) {
      const std::string& text = island.text();
      const std::less_equal<const char*> before;  // comparing pointers into different texts is only defined so
      if (line.empty() || !before(text.data(), line.data()) || !before(line.data(), text.data() + text.size()))
        continue;
      const int number = island.line_of(static_cast<std::size_t>(line.data() - text.data()));
      return number > 0 ? origin + ", line " + std::to_string(number) : origin;
    }
    return origin;
  }

 private:
  const matchers::Reading& reading_;
};

void take_gpus(Machine& machine, const Stated& stated, const std::string& origin) {
  if (!stated.gpus || machine.gpus_known || !machine.gpus.empty()) return;
  machine.gpus = *stated.gpus;
  machine.gpus_known = stated.all_gpus;
  for (Gpu& gpu : machine.gpus) gpu.origin = origin;
}

void take_memory(Machine& machine, const Stated& stated, const std::string& origin) {
  if (!stated.memory_total || machine.memory.total_bytes) return;
  machine.memory.total_bytes = stated.memory_total;
  machine.memory.available_bytes = stated.memory_available;
  machine.memory.usable_bytes = stated.memory_available;
  machine.memory.swap_free_bytes = stated.swap_free;
  machine.memory.origin = origin;
}

void take_system(Machine& machine, const Stated& stated, const std::string& origin) {
  if (stated.system.empty() || machine.os) return;
  OperatingSystem system;
  system.stated = stated.system;
  system.name = paste::system_family(stated.system);
  system.version = stated.system;
  system.wsl = system.name == "linux" && lower_case(stated.system).find("microsoft") != std::string::npos;
  system.origin = origin;
  machine.os = system;
}

// Under the name as printed and under the normalised one, so that both can be looked up.
void take_versions(Machine& machine, const Stated& stated, const std::string& origin) {
  for (const auto& [name, version] : stated.versions) {
    const std::string normal = normalised_package(name);
    const auto known = machine.packages.find(normal);
    const std::string& chosen = known == machine.packages.end() ? version : known->second;
    machine.packages.emplace(normal, chosen);
    machine.packages.emplace(name, chosen);
    if (normal == "python" && machine.python.empty()) {
      machine.python = version;
      machine.python_origin = origin;
    }
  }
  if (!stated.versions.empty() && machine.packages_origin.empty()) machine.packages_origin = origin;
}

// The sentence completes a list that names the same card, or stands for itself.
void take_out_of_memory(Machine& machine, const Stated& stated, const Origins& origins) {
  if (!stated.gpus) return;
  const std::string origin =
      origins.with_line("paste: out-of-memory text (what was free and what the failed process held)", stated.gpus_line);
  if (machine.gpus.empty()) {
    machine.gpus = *stated.gpus;
    machine.gpus_known = machine.gpus.front().index == 0 && stated.all_gpus;
    for (Gpu& gpu : machine.gpus) gpu.origin = origin;
    return;
  }
  for (const Gpu& failed : *stated.gpus) {
    const auto same = std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](const Gpu& gpu) {
      const bool size = !gpu.total_bytes || about_equal(*gpu.total_bytes, *failed.total_bytes);
      return size && (gpu.index == failed.index || machine.gpus.size() == 1);
    });
    if (same == machine.gpus.end()) continue;
    if (!same->total_bytes) same->total_bytes = failed.total_bytes;
    if (failed.free_bytes) same->free_bytes = std::min(*failed.free_bytes, *same->total_bytes);
    if (failed.holders_known) same->holders = failed.holders;
    same->holders_known = same->holders_known || failed.holders_known;
    same->origin += ", " + origin;
  }
}

// A name tells a card's capability, and its size where cards of that name have only one.
void complete_from_names(Machine& machine) {
  for (Gpu& gpu : machine.gpus) {
    const auto card = gpu.name.empty() || gpu.mig ? std::nullopt : known_card(gpu.name);
    if (!card) continue;
    if (gpu.compute_capability.empty()) gpu.compute_capability = card->compute_capability;
    if (gpu.vendor.empty()) gpu.vendor = card->vendor;
    if (gpu.total_bytes || card->bytes.size() != 1) continue;
    gpu.total_bytes = card->bytes.front();
    gpu.origin += "; size from the card's name (" + card->source + ")";
  }
}

void take_paths(Machine& machine, const matchers::Reading& reading) {
  const paste::PathsSeen seen = paste::paths_seen(reading);
  if (!machine.os && !seen.family.empty()) {
    OperatingSystem system;
    system.name = seen.family;
    system.wsl = seen.wsl;
    system.origin = "paste: paths in the traceback";
    machine.os = system;
  }
  if (machine.python.empty() && !seen.python.empty()) {
    machine.python = seen.python;
    machine.python_origin = "paste: paths in the traceback";
  }
}

}  // namespace

Machine machine_in(const matchers::Reading& reading) {
  paste::Lines lines;
  for (const matchers::CleanText& island : reading.islands) {
    const auto more = lines_of(island.text());
    lines.insert(lines.end(), more.begin(), more.end());
    lines.emplace_back();
  }
  Machine machine;
  const Origins origins(reading);
  for (const Form& form : forms) {
    const Stated stated = form.read(lines);
    take_gpus(machine, stated, origins.with_line(form.origin, stated.gpus_line));
    take_memory(machine, stated, origins.with_line(form.origin, stated.memory_line));
    take_system(machine, stated, origins.with_line(form.origin, stated.system_line));
    take_versions(machine, stated, origins.with_line(form.origin, stated.versions_line));
    for (const Disk& disk : stated.disks) {
      machine.disks.push_back(disk);
      machine.disks.back().origin = origins.with_line(form.origin, stated.disks_line);
    }
  }
  take_out_of_memory(machine, paste::out_of_memory(lines), origins);
  complete_from_names(machine);
  take_paths(machine, reading);
  return machine;
}

}  // namespace whyfail::probes
