// What from_pretrained(device_map=…) of a release does with a model and a machine: the device map, or the error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fixer/placement/module_tree.h"
#include "fixer/placement/rules.h"
#include "kb/release.h"

namespace whyfail::fixer {

// A device as device maps and max_memory name it: 0, 1, … or "cpu", "disk", "mps", "cuda:0", "gpu" …
using Device = std::variant<std::int64_t, std::string>;
// A budget as written: a number, or text such as "10GiB".
using BudgetValue = std::variant<std::int64_t, double, std::string>;
using Budgets = std::vector<std::pair<Device, BudgetValue>>;  // in the user's order
using DeviceMap = std::vector<std::pair<std::string, Device>>;

struct GpuMemory {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t allocated_bytes = 0;
  bool unusable = false;    // fails as soon as it is touched
  bool integrated = false;  // shares the host's memory
};

// The machine as the library will see it when it loads.
struct PlacementMachine {
  std::vector<GpuMemory> gpus;
  std::uint64_t cpu_available_bytes = 0;
  bool mps = false;
};

// How the model is to be loaded.
struct LoadSettings {
  // Quantizer: "" none, "bitsandbytes_8bit", "bitsandbytes_4bit", "quanto", "torchao", "hqq", "awq", "gptq", "fp8" …
  std::string quantizer;
  bool pre_quantized = false;
  bool fp32_cpu_offload = false;          // llm_int8_enable_fp32_cpu_offload
  std::vector<std::string> skip_modules;  // llm_int8_skip_modules as written
  std::string quantized_type;             // quanto, torchao: "int8", "int4", "int2", "float8"; empty: int8
  bool double_quantization = false;       // bnb_4bit_use_double_quant
  bool safetensors = true;                // the checkpoint's form
  bool offload_folder = false;            // was one given
  bool low_cpu_mem_usage = true;          // false: low_cpu_mem_usage=False is written
  std::optional<kb::Release> torch;       // none: not known, taken as current
  std::optional<DType> dtype;             // dtype that the weights are loaded in (what the tree has been given already)
};

// device_map as the call gives it.
struct DeviceMapArgument {
  enum class Kind { none, text, integer, map, other } kind = Kind::none;
  std::string text;  // "auto", "cuda:0", "gpu"
  std::int64_t integer = 0;
  DeviceMap map;  // in the user's order
};

// Facts of the model's class that differ by release; found by fixer/model for the release at hand.
struct ClassFacts {
  std::string class_name;                            // "LlamaForCausalLM"
  std::optional<std::vector<std::string>> no_split;  // none: the class declares none
  std::vector<std::string> not_quantized;            // modules left unquantized by default
  std::vector<std::string> keep_in_fp32;
  // All that the class keeps in float32 for whatever dtype: no quantizer converts them (_keep_in_fp32_modules).
  std::vector<std::string> never_quantized = {};
  // _no_placement_params: names, relative to a no-split module, that may be left out of the map. None: the class
  // declares none.
  std::optional<std::vector<std::string>> left_out = {};
  // transformers 5: ends of the names of weights that are made from several tensors of the checkpoint
  // (".experts.gate_up_proj"). Empty: told from the names that mixture-of-experts models give them.
  std::vector<std::string> merged_weights = {};
};

// A module that made the allocator go on to the next device: it did not fit into what was left of this one.
struct PassedOver {
  Device device;
  std::string module;
  std::uint64_t needs_bytes = 0;  // with the modules that are tied to it
  std::uint64_t left_bytes = 0;   // of the budget, without what is kept
  std::uint64_t kept_bytes = 0;   // room kept for the largest layer
};

// The answer of other orders of a Python set (PYTHONHASHSEED), where the library's answer depends on one.
struct OtherOrder {
  double share = 0;      // of all orders, 0 to 1
  DeviceMap device_map;  // empty when it is an error
  std::string error;     // type of the error, else empty
  std::string message;
};

struct Placed {
  DeviceMap device_map;  // cleaned, as the library would have it; empty: no map (device_map=None)
  std::vector<std::pair<Device, double>> max_memory;  // what the allocator was given
  std::vector<PassedOver> passed_over;                // where one device ended and why, in the order of the walk
  // Not empty: `device_map` is only the likeliest answer, these are the others.
  std::vector<OtherOrder> other_orders;
  std::vector<std::string> read_not_run;  // rules behind the answer that were read and never seen at work
};

struct LibraryError {
  std::string type;     // "ValueError"
  std::string message;  // the library's text
  DeviceMap device_map_before_check;
  std::vector<OtherOrder> other_orders = {};  // not empty: this error is only the likeliest answer
};

using PlacementResult = std::variant<Placed, LibraryError>;

// Simulates the call up to the point where weights are read, then the checks of loading and dispatch that can be told
// without weights. Deterministic; never throws for a well-formed tree.
PlacementResult place(const ModuleTree& tree, const ClassFacts& facts, const DeviceMapArgument& argument,
                      const std::optional<Budgets>& max_memory, const PlacementMachine& machine,
                      const LoadSettings& settings, const Rules& rules);

// Bytes that end up on each device under a map: weights as they will be in memory (quantized state included), by
// device.
std::vector<std::pair<Device, std::uint64_t>> bytes_by_device(const ModuleTree& tree, const ClassFacts& facts,
                                                              const DeviceMap& map, const LoadSettings& settings,
                                                              const Rules& rules);

// "10GiB" → bytes, by the rules of the release (reference: accelerate/utils/modeling.py convert_file_size_to_int).
std::variant<std::uint64_t, LibraryError> budget_bytes(const std::string& text, const Rules& rules);

}  // namespace whyfail::fixer
