// What a paste states of the machine, form by form. One file reads one form; each only adds what it finds, and
// machine_in() puts the forms together, the surest first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/machine.h"

namespace whyfail::probes::paste {

// Lines of cleaned text, without their ends. Views into the text.
using Lines = std::vector<std::string_view>;

// What one form says. Nothing is converted beyond its unit and nothing is concluded. The `…_line` views are the lines
// in which it stands (the first of several), so that every figure can be found again in the paste.
struct Stated {
  std::optional<std::vector<Gpu>> gpus;  // empty list: the text says that there is none
  bool all_gpus = true;                  // false: the text names a card and does not say that it is the only one
  std::string_view gpus_line, memory_line, disks_line, system_line, versions_line;
  std::optional<std::uint64_t> memory_total;
  std::optional<std::uint64_t> memory_available;
  std::optional<std::uint64_t> swap_free;
  std::vector<Disk> disks;
  std::string system;                           // as printed: "Fedora 40", "Linux-6.8-x86_64-with-glibc2.39"
  std::map<std::string, std::string> versions;  // names as printed, and "python"
};

Stated nvidia_smi_table(const Lines& lines);    // nvidia-smi, every driver, Linux and Windows
Stated nvidia_smi_list(const Lines& lines);     // nvidia-smi -L
Stated nvidia_smi_csv(const Lines& lines);      // nvidia-smi --query-gpu=… --format=csv
Stated out_of_memory(const Lines& lines);       // torch's sentence, 1.x to 2.x
Stated total_vram_line(const Lines& lines);     // ComfyUI: "Total VRAM 11264 MB, total RAM 65277 MB" and its start
Stated free_output(const Lines& lines);         // free, free -m, free -h, in the system's language
Stated meminfo(const Lines& lines);             // cat /proc/meminfo
Stated df_output(const Lines& lines);           // df, df -h, df -T, in the system's language; also macOS
Stated task_manager(const Lines& lines);        // Windows Task Manager, Performance
Stated system_info(const Lines& lines);         // Windows systeminfo, in the system's language
Stated environment_report(const Lines& lines);  // transformers env, accelerate env, diffusers-cli env, collect_env
Stated package_list(const Lines& lines);        // pip list, pip freeze, pip show, uv, conda list, poetry show
Stated prose(const Lines& lines);               // "RTX 3090 24GB, 64 GB RAM, Ubuntu 22.04"

// A name that a graphics card goes by, somewhere in a line: its first byte and one past its last.
struct NamedCard {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string vendor;
};
std::optional<NamedCard> card_name(std::string_view line, std::size_t from);
std::string vendor_of(std::string_view card);

// Whether a line tells what its writer has, and not what somebody else has, what would be needed or what is asked
// for. `part`: where the first card or size begins in it. `listed`: two or more parts are named.
bool tells_own_machine(std::string_view line, std::size_t part, bool listed);

// "linux", "windows" or "darwin" for a system as printed; empty: not recognised.
std::string system_family(std::string_view printed);

}  // namespace whyfail::probes::paste
