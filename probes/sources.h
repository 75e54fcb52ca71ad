// The ways to a Machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "matchers/reading.h"
#include "probes/machine.h"

namespace whyfail::probes {

struct ProbeRequest {
  std::optional<std::filesystem::path> offload_folder;  // default: the working folder
  std::vector<std::string> site_packages;               // Python environments that the traceback names, best first
};

// Measures this machine. Never throws; what cannot be told is in `unknown`.
Machine measure(const ProbeRequest& request);

struct BadDescription {
  std::string message;  // what, where, what to do
};

// --machine FILE|DIR|SPEC: a machine description (JSON file), a recorded machine (folder), or the short form
// "gpu=24GiB:22.5GiB free,ram=64GiB,os=windows,transformers=4.44.2".
std::variant<Machine, BadDescription> machine_from(const std::string& file_folder_or_spec);

// What the paste itself says: versions, GPUs, RAM, operating system. Groups that are not stated stay unknown.
Machine machine_in(const matchers::Reading& reading);

// The machine description contract (whyfail.machine/1) as JSON text.
std::string machine_json(const Machine& machine);

// True when the paste describes another machine than `local` (other system, other GPU sizes).
bool contradicts(const Machine& in_paste, const Machine& local);

}  // namespace whyfail::probes
