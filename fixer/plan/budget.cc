// Takes off, term by term, what is not there for weights.
#include "fixer/plan/budget.h"

#include <algorithm>
#include <cstdio>

#include "fixer/placement/load_transients.h"
#include "fixer/placement/loading_rules.h"
#include "probes/allowance.h"

namespace whyfail::fixer {
namespace {

constexpr std::uint64_t MiB = 1ULL << 20;
constexpr std::uint64_t GiB = 1024 * MiB;
constexpr std::uint64_t unit = 256 * MiB;

// Python, torch with its CUDA libraries and the loader's buffers in host memory. A choice of this program.
constexpr std::uint64_t process_bytes = GiB;
constexpr const char* process_term = "Python and torch themselves (a choice of this program)";

std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

std::uint64_t reserve_for(const PlanOptions& options, const Device& device) {
  for (const auto& [key, bytes] : options.reserve) {
    if (key == device) return bytes;
  }
  return 0;
}

void take(Capacity& capacity, const std::string& name, std::uint64_t bytes, bool from_usable) {
  if (bytes == 0) return;
  capacity.terms.emplace_back(name, bytes);
  if (from_usable) {
    capacity.usable_bytes = minus(capacity.usable_bytes, bytes);
  } else {
    capacity.cache_bytes += bytes;
  }
  capacity.weights_bytes = minus(capacity.weights_bytes, bytes);
}

// What generating takes on each GPU. The cache follows the layers, so that it is shared among the GPUs; logits lie
// where the head is, which may be any of them.
struct Working {
  std::uint64_t joining = 0;  // while the call loads: the largest weight that is put together from several
  std::uint64_t cache = 0;
  std::uint64_t logits = 0;
  bool last_only = false;  // logits of one token a sequence
};

Working working_bytes(const Model* model, const PlanOptions& options, const kb::Release& transformers) {
  if (model == nullptr) return {};
  const std::uint64_t context = options.context != 0 ? options.context : default_context;
  Working working;
  if (model->converts_on_load && loading_rules_for(transformers).joins_weights) {
    const DeviceMap one_device = {{"", std::int64_t{0}}};
    for (const LoadTransient& transient :
         load_transients(model->tree, model->facts, one_device, {}, rules_for(transformers, {})))
      working.joining = std::max(working.joining, transient.largest_joined);
  }
  working.last_only = model->last_token_logits;
  working.cache = kv_cache_bytes(*model, context, options.batch, transformers);
  if (working.cache != 0) {
    const std::uint64_t tokens = model->last_token_logits ? 1 : context;
    working.logits = tokens * options.batch * static_cast<std::uint64_t>(model->vocabulary) * 4;
  }
  return working;
}

Capacity gpu_capacity(const probes::Gpu& gpu, std::size_t gpus, const Working& working, const PlanOptions& options,
                      const std::optional<probes::OperatingSystem>& system) {
  Capacity capacity;
  capacity.device = gpu.mps ? Device(std::string("mps")) : Device(static_cast<std::int64_t>(*gpu.index));
  capacity.free_bytes = gpu.free_bytes ? *gpu.free_bytes : *gpu.total_bytes;
  capacity.usable_bytes = capacity.weights_bytes = capacity.free_bytes;
  for (const probes::Allowance& kept : {probes::context_allowance(gpu), probes::desktop_allowance(gpu, system)}) {
    take(capacity, kept.term, kept.bytes, true);
  }
  if (gpu.unified) take(capacity, process_term, process_bytes, true);
  const std::uint64_t context = options.context != 0 ? options.context : default_context;
  take(capacity, "KV cache for " + std::to_string(context) + " tokens", working.cache / gpus, false);
  take(capacity, working.last_only ? "logits of the last token in float32" : "logits of the prompt in float32",
       working.logits, false);
  // Loading is over before the cache grows: one room serves both.
  if (const std::uint64_t more = minus(working.joining, capacity.cache_bytes)) {
    capacity.terms.emplace_back("what joining experts takes while they load", more);
    capacity.weights_bytes = minus(capacity.weights_bytes, more);
  }
  take(capacity, "reserved by you", reserve_for(options, capacity.device), true);
  return capacity;
}

bool has_figures(const probes::Gpu& gpu) { return (gpu.mps || gpu.index) && (gpu.free_bytes || gpu.total_bytes); }

std::optional<Capacity> host_capacity(const probes::Machine& machine, const PlanOptions& options) {
  const auto& memory = machine.memory;
  if (!memory.available_bytes && !memory.usable_bytes) return std::nullopt;
  Capacity capacity;
  capacity.device = std::string("cpu");
  capacity.free_bytes = memory.available_bytes ? *memory.available_bytes : *memory.usable_bytes;
  if (memory.usable_bytes) capacity.free_bytes = std::min(capacity.free_bytes, *memory.usable_bytes);
  capacity.usable_bytes = capacity.weights_bytes = capacity.free_bytes;
  take(capacity, process_term, process_bytes, true);
  take(capacity, "reserved by you", reserve_for(options, capacity.device), true);
  // Weights on a GPU that shares the machine's memory take it away from here: one pool, counted once.
  std::uint64_t shared = 0;
  for (const auto& gpu : machine.gpus) {
    if (gpu.unified && has_figures(gpu)) shared = std::max(shared, gpu.free_bytes ? *gpu.free_bytes : *gpu.total_bytes);
  }
  take(capacity, "the GPU's, which is the same memory", std::min(shared, capacity.weights_bytes), true);
  return capacity;
}

const probes::Disk* offload_disk(const probes::Machine& machine) {
  for (const auto& disk : machine.disks) {
    if (disk.purpose == "offload") return &disk;
  }
  return machine.disks.empty() ? nullptr : &machine.disks.front();
}

}  // namespace

std::vector<Capacity> capacities(const probes::Machine& machine, const Model* model, const PlanOptions& options,
                                 const kb::Release& transformers) {
  std::vector<Capacity> all;
  const Working working = working_bytes(model, options, transformers);
  const auto gpus = static_cast<std::size_t>(std::count_if(machine.gpus.begin(), machine.gpus.end(), has_figures));
  for (const auto& gpu : machine.gpus) {
    if (has_figures(gpu)) all.push_back(gpu_capacity(gpu, gpus, working, options, machine.os));
  }
  std::sort(all.begin(), all.end(), [](const Capacity& a, const Capacity& b) { return a.device < b.device; });
  if (auto host = host_capacity(machine, options)) all.push_back(*host);
  if (const auto* disk = offload_disk(machine);
      disk != nullptr && disk->free_bytes && !disk->read_only && !disk->memory_backed) {
    const std::uint64_t free = *disk->free_bytes;
    all.push_back({std::string("disk"), free, free, minus(free, reserve_for(options, std::string("disk"))), 0, {}});
  }
  return all;
}

PlacementMachine as_library_sees(const probes::Machine& machine) {
  PlacementMachine seen;
  std::vector<const probes::Gpu*> gpus;
  for (const auto& gpu : machine.gpus) {
    if (gpu.mps) seen.mps = true;
    if (gpu.index && has_figures(gpu)) gpus.push_back(&gpu);
  }
  std::sort(gpus.begin(), gpus.end(), [](const probes::Gpu* a, const probes::Gpu* b) { return *a->index < *b->index; });
  for (const auto* gpu : gpus) {
    const std::uint64_t free = gpu->free_bytes ? *gpu->free_bytes : *gpu->total_bytes;
    seen.gpus.push_back({minus(free, probes::context_allowance(*gpu).bytes), gpu->total_bytes.value_or(free), 0, 0});
  }
  seen.cpu_available_bytes = machine.memory.available_bytes.value_or(0);
  return seen;
}

std::string size_text(std::uint64_t bytes) {
  const std::uint64_t whole = bytes / unit * unit;
  if (whole != 0 && whole % GiB == 0) return std::to_string(whole / GiB) + "GiB";
  return std::to_string((whole != 0 ? whole : bytes) / MiB) + "MiB";
}

std::string readable_size(std::uint64_t bytes) {
  char text[32];
  if (bytes >= GiB) {
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / static_cast<double>(GiB));
  } else {
    std::snprintf(text, sizeof text, "%.0f MiB", static_cast<double>(bytes) / static_cast<double>(MiB));
  }
  return text;
}

std::string max_memory_text(const std::vector<Capacity>& capacities) {
  std::string text = "{";
  for (const Capacity& capacity : capacities) {
    if (capacity.device == Device(std::string("disk"))) continue;
    if (text.size() > 1) text += ", ";
    if (const auto* key = std::get_if<std::int64_t>(&capacity.device)) {
      text += std::to_string(*key);
    } else {
      text += '"' + std::get<std::string>(capacity.device) + '"';
    }
    text += ": \"" + size_text(capacity.weights_bytes) + '"';
  }
  return text + "}";
}

}  // namespace whyfail::fixer
