// RAM first: models that are made there before they are moved, files that are read whole. Then what joining and
// quantizing weights takes where they will lie. How each was found out: fixer/placement/loading_rules.cc.
#include "fixer/plan/load_peak.h"

#include <algorithm>

#include "fixer/placement/load_transients.h"
#include "fixer/placement/loading_rules.h"

namespace whyfail::fixer {
namespace {

struct Peak {
  std::uint64_t bytes = 0;
  std::uint64_t certain_bytes = 0;  // without what loading need not come to
  std::string why = {};
  bool measured = true;  // else read in the library's source
};

void raise(Peak& peak, std::uint64_t more, const char* why, bool certain = true) {
  if (more == 0) return;
  peak.bytes += more;
  peak.why += (peak.why.empty() ? "" : " and ") + std::string(why);
  if (certain) peak.certain_bytes += more;
}

bool mapped_to_gpu(const Device& device) { return std::holds_alternative<std::int64_t>(device); }

class Loading {
 public:
  Loading(const LoadCall& load, const Model& model, const LoadSettings& settings, const DeviceMap& map,
          const Rules& rules, const Moved& moved)
      : load_(load),
        model_(model),
        settings_(settings),
        moved_(moved),
        by_release_(loading_rules_for(rules.transformers)) {
    const bool joins = by_release_.joins_weights && model.converts_on_load;
    const bool packs = !settings.quantizer.empty() && !settings.pre_quantized;
    if (joins || packs) transients_ = load_transients(model.tree, model.facts, map, settings, rules);
  }

  Peak in_ram(std::uint64_t resident) const;
  Peak on_gpu(const Device& device, std::uint64_t resident) const;
  std::uint64_t reserved_ahead(const Device& device, const Capacity& capacity) const;

 private:
  bool low_memory() const {
    if (load_.device_map.kind != DeviceMapArgument::Kind::none || !settings_.quantizer.empty()) return true;
    if (!model_.facts.keep_in_fp32.empty()) return true;  // from_pretrained sets low_cpu_mem_usage for these
    const Parameter* const asked = load_.find("low_cpu_mem_usage");
    return asked != nullptr && asked->value.kind == Value::Kind::boolean && asked->value.boolean;
  }
  bool dtype_changes() const { return model_.dtype != model_.stored_dtype; }
  std::uint64_t whole_file() const {
    return by_release_.whole_pickle_files && !model_.safetensors ? model_.largest_file_bytes : 0;
  }
  const LoadTransient* transient_on(const Device& device) const {
    const auto at = std::find_if(transients_.begin(), transients_.end(),
                                 [&](const LoadTransient& each) { return each.device == device; });
    return at == transients_.end() ? nullptr : &*at;
  }
  void joining(const Device& device, Peak& peak) const {
    const LoadTransient* const transient = transient_on(device);
    if (transient == nullptr || !by_release_.joins_weights || !model_.converts_on_load) return;
    raise(peak, transient->largest_joined, "the parts of a weight that is joined lie beside it");
  }

  const LoadCall& load_;
  const Model& model_;
  const LoadSettings& settings_;
  const Moved& moved_;
  LoadingRules by_release_;
  std::vector<LoadTransient> transients_;
};

Peak Loading::in_ram(std::uint64_t resident) const {
  Peak peak{resident, resident};
  const bool made_first = by_release_.model_made_in_ram && !low_memory();
  if (moved_ && load_.device_map.kind == DeviceMapArgument::Kind::none) {
    // Weights that keep their dtype are read from the mapped file when they are moved, and take no memory of their own.
    const bool joined = by_release_.joins_weights && model_.converts_on_load;
    if (made_first || dtype_changes() || joined || whole_file() != 0)
      raise(peak, model_.bytes, "the whole model is there before it is moved");
  }
  if (const std::uint64_t file = whole_file()) {
    const bool adopted = !made_first && !dtype_changes();  // the file's tensors become the weights
    std::uint64_t beside = file;
    if (adopted) beside = std::min(file, model_.bytes - std::min(model_.bytes, peak.bytes));
    // How much of it is there at once depends on the order of the tensors in the files.
    raise(peak, beside, "a .bin file is read as a whole, which a safetensors file is not", false);
  }
  joining(std::string("cpu"), peak);
  return peak;
}

Peak Loading::on_gpu(const Device& device, std::uint64_t resident) const {
  Peak peak{resident, resident};
  joining(device, peak);
  const LoadTransient* const transient = transient_on(device);
  if (transient == nullptr || transient->largest_unquantized == 0) return peak;
  peak.measured = false;
  if (by_release_.reads_ahead_of_packing) {
    raise(peak, transient->all_unquantized, "weights may all be there before they are packed", false);
  } else {
    raise(peak, transient->largest_unquantized, "a weight is there as it is before it is packed");
  }
  return peak;
}

std::uint64_t Loading::reserved_ahead(const Device& device, const Capacity& capacity) const {
  const bool bitsandbytes = settings_.quantizer.starts_with("bitsandbytes") && !settings_.pre_quantized;
  const LoadTransient* const transient = transient_on(device);
  if (by_release_.warm_up != WarmUp::half_of_quantized || !bitsandbytes || transient == nullptr) return 0;
  std::uint64_t room = capacity.free_bytes - std::min(capacity.free_bytes, by_release_.warm_up_left_bytes);
  if (by_release_.warm_up_share > 0)
    room = static_cast<std::uint64_t>(by_release_.warm_up_share * static_cast<double>(room));
  return std::min(transient->all_weights / 2, room);
}

void hold_against_room(Outcome& outcome, DeviceUse& use, const Peak& peak) {
  if (peak.certain_bytes <= std::max(use.capacity.usable_bytes, use.weights_bytes)) return;
  const std::uint64_t lacking = peak.certain_bytes - use.capacity.usable_bytes;
  outcome.fits = use.fits = false;
  if (lacking <= outcome.short_bytes) return;
  outcome.short_bytes = lacking;
  outcome.short_device = device_words(use.capacity.device) + " while the call loads: " + peak.why;
}

}  // namespace

void add_load_peaks(Outcome& outcome, const LoadCall& load, const Model& model, const LoadSettings& settings,
                    const DeviceMap& map, const Rules& rules, const Moved& moved, bool one_memory) {
  if (load.loader != Loader::from_pretrained && load.loader != Loader::pipeline) return;
  DeviceMap named = map;
  if (named.empty()) named = {{"", std::string("cpu")}};
  for (auto& [key, device] : named) device = normalized(device);
  const Loading loading(load, model, settings, named, rules, moved);
  for (DeviceUse& use : outcome.devices) {
    const Device& device = use.capacity.device;
    const bool ram = device == Device(std::string("cpu"));
    // Of a memory that GPU and host share it is not known how much of what is moved lies there twice.
    if ((!ram && !mapped_to_gpu(device)) || (ram && one_memory)) continue;
    Peak peak = ram ? loading.in_ram(use.weights_bytes) : loading.on_gpu(device, use.weights_bytes);
    hold_against_room(outcome, use, peak);
    const std::uint64_t reserved = ram ? 0 : loading.reserved_ahead(device, use.capacity);
    if (reserved > peak.bytes)
      peak = {reserved, peak.certain_bytes, "the library reserves room ahead (caching_allocator_warmup)", false};
    if (peak.bytes <= use.weights_bytes) continue;
    use.load_peak_bytes = peak.bytes;
    use.load_peak_why = peak.why;
    use.load_peak_certain = peak.bytes == peak.certain_bytes;
    use.load_peak_measured = peak.measured;
  }
}

}  // namespace whyfail::fixer
