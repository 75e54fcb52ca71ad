// Puts figures of the simulation into sentences.
#include "fixer/plan/words.h"

#include <algorithm>
#include <cstdio>

namespace whyfail::fixer {
namespace {

// Assumed links, said as such: PCIe 3.0 x16 moves about 12 GB/s, an NVMe disk reads about 2 GB/s.
constexpr double link_bytes_per_second = 12e9;
constexpr double disk_bytes_per_second = 2e9;

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  return text;
}

bool has_gpu_part(const Outcome& outcome) {
  return std::any_of(outcome.devices.begin(), outcome.devices.end(), [](const DeviceUse& use) {
    return std::holds_alternative<std::int64_t>(use.capacity.device) && use.weights_bytes != 0;
  });
}

std::string offload_words(const Outcome& outcome) {
  if (outcome.offloaded_bytes == 0) return "";
  if (!has_gpu_part(outcome) && outcome.disk_bytes == 0)
    return "the whole model runs on the CPU: expect seconds a token";
  const std::uint64_t in_ram = outcome.offloaded_bytes - outcome.disk_bytes;
  const double seconds = seconds_a_token(outcome);
  std::string where;
  if (in_ram != 0) where = readable_size(in_ram) + " in RAM";
  if (outcome.disk_bytes != 0)
    where += (where.empty() ? "" : " and ") + readable_size(outcome.disk_bytes) + " on the disk";
  if (!has_gpu_part(outcome)) {
    return "the whole model runs on the CPU, and " + readable_size(outcome.disk_bytes) +
           " are read from the disk for every token: at least " +
           seconds_text(static_cast<double>(outcome.disk_bytes) / disk_bytes_per_second) +
           " a token at 2 GB/s (assumed)";
  }
  return where + " are copied to the GPU for every token: at least " + seconds_text(seconds) +
         " a token at 12 GB/s over PCIe" + (outcome.disk_bytes != 0 ? " and 2 GB/s from the disk" : "") + " (assumed)";
}

}  // namespace

std::string verified_words(const std::vector<ReleasePair>& releases, bool sizes) {
  if (releases.empty()) return "";
  const auto [first, last] =
      std::minmax_element(releases.begin(), releases.end(),
                          [](const ReleasePair& a, const ReleasePair& b) { return a.transformers < b.transformers; });
  std::string range = "transformers " + first->transformers.text();
  if (first->transformers != last->transformers) range += " to " + last->transformers.text();
  const std::string verb = first->transformers != last->transformers ? " do it" : " does it";
  return (sizes ? "placement simulated as " : "arguments checked as ") + range + verb;
}

std::string why_here_words(const SearchResult& result, const std::vector<ReleasePair>& releases) {
  if (!result.sizes_known || !result.original || result.needed_bytes == 0 || releases.empty()) return "";
  std::string words = "As written, the weights take " + readable_size(result.needed_bytes);
  for (const DeviceUse& use : result.original->devices) {
    if (use.capacity.device == Device(std::string("disk"))) continue;
    words +=
        "; " + device_words(use.capacity.device) + " has " + readable_size(use.capacity.usable_bytes) + " for them";
  }
  if (result.original->error) {
    return words + ". transformers " + releases.front().transformers.text() +
           ", simulated with these figures, refuses it too";
  }
  if (!result.original->fits) {
    return words + ". " + readable_size(result.original->short_bytes) + " is short on " + result.original->short_device;
  }
  return words +
         ". With these figures it loads as it is: less was free when it failed, or what ran afterwards needed more "
         "than the room kept for it (--context, --batch)";
}

std::vector<std::string> uncertain_words(const Outcome& outcome) {
  std::vector<std::string> notes;
  for (const DeviceUse& use : outcome.devices) {
    if (!use.fits || use.load_peak_why.empty() || use.load_peak_bytes <= use.capacity.usable_bytes) continue;
    notes.push_back("While it loads, " + device_words(use.capacity.device) + " needs up to " +
                    readable_size(use.load_peak_bytes) + ", and " + readable_size(use.capacity.usable_bytes) +
                    " are there: " + use.load_peak_why +
                    (use.load_peak_measured ? "" : " (read in the library's source, not measured)"));
  }
  if (!outcome.other_orders.empty()) {
    double others = 0;
    for (const OtherOrder& other : outcome.other_orders) others += other.share;
    char share[32];
    std::snprintf(share, sizeof share, "%.0f", (1 - others) * 100);
    notes.push_back("The map depends on the order of a Python set (PYTHONHASHSEED): this one comes in about " +
                    std::string(share) + " of 100 runs" + (outcome.fits ? "; the others load and fit too" : ""));
  }
  for (const std::string& rule : outcome.read_not_run)
    notes.push_back("Read in the library's source and not seen at work: " + rule);
  return notes;
}

double seconds_a_token(const Outcome& outcome) {
  return static_cast<double>(outcome.offloaded_bytes) / link_bytes_per_second +
         static_cast<double>(outcome.disk_bytes) / disk_bytes_per_second;
}

std::string cost_words(const Candidate& candidate) {
  std::string words = candidate.cost;
  if (!candidate.outcome) return words;
  const std::string offload = offload_words(*candidate.outcome);
  if (!offload.empty()) words += (words.empty() ? "" : "; ") + offload;
  return words.empty() && candidate.verified_sizes ? "nothing: all weights are on the GPU" : words;
}

std::string short_words(const SearchResult& result) {
  const Outcome* outcome = result.nearest && result.nearest->outcome ? &*result.nearest->outcome : nullptr;
  if (outcome == nullptr || !result.model) return "";
  const Model& model = *result.model;
  const bool call_quantizes = model.quantizer.empty() && result.needed_bytes != 0 && result.needed_bytes < model.bytes;
  const std::uint64_t bytes = call_quantizes ? result.needed_bytes : model.bytes;
  std::string words = "the weights take " + readable_size(bytes) +
                      (call_quantizes             ? " as the call quantizes them"
                       : !model.quantizer.empty() ? " as they are quantized"
                                                  : std::string(" in ") + dtype_name(model.dtype));
  std::uint64_t room = 0;
  bool cache_is_large = false;
  for (const DeviceUse& use : outcome->devices) {
    const Capacity& capacity = use.capacity;
    room += capacity.weights_bytes;
    words += ", " + device_words(capacity.device) + " has room for " + readable_size(capacity.weights_bytes);
    if (capacity.cache_bytes <= capacity.weights_bytes) continue;
    words += " beside " + readable_size(capacity.cache_bytes) + " for the cache and the logits";
    cache_is_large = true;
  }
  words += "; the nearest that was tried lacks " + readable_size(outcome->short_bytes) + " on " + outcome->short_device;
  const std::uint64_t four_bits = model.parameters * 9 / 16;  // 4 bits and the nf4 block scales: 4.5 bits a weight
  if (model.quantization.empty() && four_bits != 0 && four_bits < room && four_bits < bytes - bytes / 8)
    words += ". In 4 bits the weights take about " + readable_size(four_bits);
  if (result.nearest_context) {
    const std::string tokens = std::to_string(*result.nearest_context);
    words += ". For a context of " + tokens + " tokens there is room: --context " + tokens;
  } else if (cache_is_large) {
    words += ". A smaller --context or --batch takes less for the cache";
  }
  return words;
}

}  // namespace whyfail::fixer
