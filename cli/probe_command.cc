// whyfail probe: what machine it sees, and where each figure comes from. The text names what matters for loading
// models;
// --json has everything.
#include <algorithm>
#include <string_view>

#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/mask.h"
#include "cli/output.h"
#include "cli/words.h"
#include "probes/package_name.h"
#include "probes/sources.h"

namespace whyfail::cli {
namespace {

class Rows {
 public:
  // A row; without a name it goes on with the one above.
  void row(const std::string& name, const std::string& says) {
    if (says.empty()) return;
    text_ += name + std::string(name.size() < width ? width - name.size() : 1, ' ') + says + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t width = 10;
  std::string text_;
};

std::string part_of(const std::optional<std::uint64_t>& part, const std::optional<std::uint64_t>& whole,
                    const std::string& what) {
  if (part && whole) return size_text(*part) + " of " + size_text(*whole) + " " + what;
  if (part) return size_text(*part) + " " + what;
  return whole ? size_text(*whole) + ", how much is " + what + " is not known" : "size not known";
}

// Every origin begins with the machine that was looked at, which the reader knows.
std::string in_brackets(const std::string& origin) {
  constexpr std::string_view here = "this machine: ";
  const std::string source = origin.starts_with(here) ? origin.substr(here.size()) : origin;
  return source.empty() || source == "this machine" ? "" : " (" + source + ")";
}

void write_system(Rows& rows, const probes::Machine& machine) {
  if (!machine.os) return;
  const probes::OperatingSystem& system = *machine.os;
  std::string says = system.version.empty() ? system.name : system.version;
  if (system.wsl) says += ", in WSL: memory is what .wslconfig grants";
  if (system.container) says += ", in a container (" + *system.container + ")";
  for (const auto& [variable, place] :
       {std::pair("COLAB_RELEASE_TAG", "on Google Colab"), std::pair("KAGGLE_KERNEL_RUN_TYPE", "on Kaggle"),
        std::pair("SLURM_JOB_ID", "in a Slurm job")}) {
    if (machine.environment.contains(variable)) says += std::string(", ") + place;
  }
  rows.row("system", says);
}

void write_gpu(Rows& rows, const probes::Gpu& gpu) {
  const std::string name = gpu.mps ? "mps" : gpu.index ? "GPU " + std::to_string(*gpu.index) : "GPU -";
  std::string says = gpu.name.empty() ? "" : gpu.name + ": ";
  rows.row(name, says + part_of(gpu.free_bytes, gpu.total_bytes, "free") + in_brackets(gpu.origin));
  std::string more;
  const auto add = [&](const std::string& fact) { more += (more.empty() ? "" : ", ") + fact; };
  if (!gpu.mps && !gpu.index) add("no program is given it, or its number is not known");
  if (gpu.nvidia_index && gpu.nvidia_index != gpu.index)
    add("nvidia-smi calls it " + std::to_string(*gpu.nvidia_index));
  if (!gpu.compute_capability.empty()) add("compute capability " + gpu.compute_capability);
  if (gpu.driver_model) add("driver model " + *gpu.driver_model);
  if (gpu.unified) add("shares the machine's memory");
  if (gpu.mig) add("a MIG instance: the only GPU that a process sees");
  rows.row("", more);
  for (const probes::Holder& holder : gpu.holders) {
    rows.row("", (holder.bytes ? size_text(*holder.bytes) : "memory") + " held by " +
                     (holder.name.empty() ? "process" : holder.name) + " (pid " + std::to_string(holder.pid) + ")");
  }
}

void write_memory(Rows& rows, const probes::Memory& memory) {
  if (!memory.available_bytes && !memory.total_bytes && !memory.limit_bytes) return;
  rows.row("RAM", part_of(memory.available_bytes, memory.total_bytes, "available") + in_brackets(memory.origin));
  const bool less = memory.usable_bytes && memory.usable_bytes != memory.available_bytes;
  std::string why;
  const auto add = [&](const std::string& fact) { why += (why.empty() ? "" : ", ") + fact; };
  if (memory.limit_bytes) add(memory.limit_origin + " allows " + size_text(*memory.limit_bytes));
  if (memory.commit_free_bytes) add(size_text(*memory.commit_free_bytes) + " left of the commit limit");
  if (memory.address_space_limit_bytes) add("ulimit -v " + size_text(*memory.address_space_limit_bytes));
  if (less) why = size_text(*memory.usable_bytes) + " can be used" + (why.empty() ? "" : ": " + why);
  rows.row("", why);
  if (memory.swap_free_bytes && *memory.swap_free_bytes > 0) {
    rows.row("", size_text(*memory.swap_free_bytes) + " of swap besides, where no weights are planned");
  }
}

void write_disks(Rows& rows, const std::vector<probes::Disk>& disks) {
  for (const probes::Disk& disk : disks) {
    std::string says = (disk.free_bytes ? size_text(*disk.free_bytes) : "unknown size") + " free";
    if (!disk.path.empty()) says += " at " + disk.path;
    if (!disk.filesystem.empty()) says += " (" + disk.filesystem + ")";
    if (disk.memory_backed) says += ", which is memory";
    if (disk.network) says += ", over the network";
    if (disk.read_only) says += ", read-only";
    rows.row(disk.purpose.empty() ? "disk" : disk.purpose, says);
  }
}

void write_python(Rows& rows, const probes::Machine& machine) {
  rows.row("Python", machine.python.empty() ? "" : machine.python + in_brackets(machine.python_origin));
  std::string named;
  std::size_t count = 0;
  for (std::string_view package : probes::loading_packages()) {
    const auto found = machine.packages.find(std::string(package));
    if (found == machine.packages.end()) continue;
    named += (named.empty() ? "" : ", ") + found->first + " " + found->second;
    ++count;
  }
  const std::size_t others = machine.packages.size() - count;
  if (count == 0 && others > 0) named = "none that loads models";
  if (others > 0) named += "; " + std::to_string(others) + " others (--json lists them)";
  rows.row("packages", named.empty() ? "" : named + in_brackets(machine.packages_origin));
}

std::string probe_text(const probes::Machine& machine) {
  Rows rows;
  write_system(rows, machine);
  for (const probes::Gpu& gpu : machine.gpus) write_gpu(rows, gpu);
  if (machine.gpus.empty() && machine.gpus_known) rows.row("GPU", "none");
  write_memory(rows, machine.memory);
  write_disks(rows, machine.disks);
  write_python(rows, machine);
  for (const auto& [name, value] : machine.environment) rows.row("variable", name + "=" + value);
  for (const auto& [group, reason] : machine.unknown) rows.row("not known", group + ": " + reason);
  return rows.text();
}

}  // namespace

int probe_command(const Options& options) {
  const probes::Machine machine = machine_for(options);
  print(options.format == Format::json ? masked(probes::machine_json(machine)) + "\n" : masked(probe_text(machine)));
  return 0;
}

}  // namespace whyfail::cli
