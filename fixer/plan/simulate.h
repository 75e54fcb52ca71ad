// A rewritten call, run through the simulated library of one release on one machine.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fixer/model/model.h"
#include "fixer/plan/budget.h"
#include "fixer/plan/load_call.h"
#include "probes/machine.h"

namespace whyfail::fixer {

// Where the script puts the model after loading: nothing, or the device of .to("cuda"), .cuda(), pipeline(device=0).
using Moved = std::optional<Device>;

struct DeviceUse {
  Capacity capacity;
  std::uint64_t weights_bytes = 0;
  bool fits = true;
  bool read_in_place = false;  // the disk: weights stay in the checkpoint's own files
  // What is held at most while the call loads, where that is more than the weights that stay; 0: it is not.
  std::uint64_t load_peak_bytes = 0;
  std::string load_peak_why = {};
  bool load_peak_certain = true;   // false: loading need not come to that
  bool load_peak_measured = true;  // with the library at work; false: read in its source
};

struct Outcome {
  std::optional<LibraryError> error;  // the library refuses
  DeviceMap device_map;
  std::vector<std::pair<Device, double>> max_memory;
  std::vector<PassedOver> passed_over;    // where the allocator went on to the next device, and why
  std::vector<OtherOrder> other_orders;   // maps under other orders of a Python set; those that are here fit too
  std::vector<std::string> read_not_run;  // rules behind the answer that were never seen at work
  std::vector<DeviceUse> devices;
  bool fits = false;                  // accepted, and every device holds what it gets
  std::uint64_t short_bytes = 0;      // how much the worst device lacks
  std::string short_device;           // "GPU 0", "RAM", "the disk"
  std::uint64_t offloaded_bytes = 0;  // on CPU or disk while a GPU computes
  std::uint64_t disk_bytes = 0;
};

// `as_loaded`: the model in the dtype that the call loads it in, where `model` is what a later cast makes of it.
Outcome simulate_load(const LoadCall& load, const Model& model, const probes::Machine& machine,
                      const PlanOptions& options, const Rules& rules, const Moved& moved,
                      const Model* as_loaded = nullptr);

// "cuda:1" and "cuda" are GPU 1 and GPU 0; other names stay as they are.
Device normalized(const Device& device);

// "GPU 0", "RAM", "the disk" for the reader.
std::string device_words(const Device& device);

}  // namespace whyfail::fixer
