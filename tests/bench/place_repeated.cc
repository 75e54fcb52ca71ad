// Places one model again and again and says how long one time takes: tests/bench/compare.py measures it against the
// libraries. Each repetition starts from the module tree as it was read (elements and dtypes, no sizes, no budgets) and
// ends with the device map; nothing is kept between repetitions. It is the whole of place(): what the libraries are
// measured with, and then the checks of loading under the map, which they make later.
//
// usage: place_repeated DATA CONFIG TREE_RELEASE TRANSFORMERS ACCELERATE REPETITIONS DEVICE=BYTES...
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "fixer/model/from_config.h"
#include "fixer/placement/place.h"

namespace {

using namespace whyfail;
using namespace whyfail::fixer;

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ModelData data_in(const std::string& folder) {
  return {[folder](std::string_view type, int era) {
            return text_of(folder + "/size_templates/" + std::string(type) + (era < 5 ? "@4" : "") + ".json");
          },
          [folder](std::string_view type) { return text_of(folder + "/architectures/" + std::string(type) + ".json"); },
          [](std::string_view) -> std::optional<std::string> { return std::nullopt; }};
}

// CPU time of this thread, so that what else the machine does is not counted.
std::int64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

nlohmann::json device_json(const Device& device) {
  if (const auto* number = std::get_if<std::int64_t>(&device)) return *number;
  return std::get<std::string>(device);
}

Device device_named(const std::string& name) {
  const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  return number ? Device(static_cast<std::int64_t>(std::strtoll(name.c_str(), nullptr, 10))) : Device(name);
}

// Memory that one repetition has freed stays with the process for the next, as it does in a Python interpreter; else
// the kernel's work of taking pages away and giving them back is measured as well.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 8) {
    std::cerr << "usage: place_repeated DATA CONFIG TREE_RELEASE TRANSFORMERS ACCELERATE REPETITIONS DEVICE=BYTES...\n";
    return 2;
  }
  keep_freed_memory();
  ModelQuery query;
  query.name = arguments[2];
  query.dtype = DType::bfloat16;
  query.transformers = kb::Release::parse(arguments[3]).value_or(kb::Release{});
  const auto found =
      model_from_config(query, data_in(arguments[1]), text_of(arguments[2]).value_or(""), nullptr, "config");
  if (const auto* none = std::get_if<NoModel>(&found)) {
    std::cerr << "place_repeated: " << none->why << '\n';
    return 1;
  }
  const Model& model = std::get<Model>(found);
  Budgets budgets;
  PlacementMachine machine;
  for (int i = 7; i < argument_count; ++i) {
    const std::string text = arguments[i];
    const std::size_t mark = std::min(text.find('='), text.size() - 1);
    budgets.emplace_back(device_named(text.substr(0, mark)), std::strtoll(text.c_str() + mark + 1, nullptr, 10));
    if (text.substr(0, mark) != "cpu") machine.gpus.push_back({2 * model.bytes, 2 * model.bytes});
  }
  machine.cpu_available_bytes = 4 * model.bytes;
  const Rules rules = rules_for(kb::Release::parse(arguments[4]).value_or(kb::Release{}),
                                kb::Release::parse(arguments[5]).value_or(kb::Release{}));
  DeviceMapArgument automatic;
  automatic.kind = DeviceMapArgument::Kind::text;
  automatic.text = "auto";
  LoadSettings settings;
  settings.offload_folder = true;

  nlohmann::json map = nlohmann::json::object();
  std::vector<std::int64_t> times;
  for (int i = 0, count = std::max(1, std::atoi(arguments[6])); i < count; ++i) {
    const std::int64_t start = nanoseconds();
    const PlacementResult result = place(model.tree, model.facts, automatic, budgets, machine, settings, rules);
    times.push_back(nanoseconds() - start);
    if (i > 0) continue;
    if (const auto* error = std::get_if<LibraryError>(&result)) {
      std::cerr << "place_repeated: " << error->type << ": " << error->message << '\n';
      return 1;
    }
    for (const auto& [module, device] : std::get<Placed>(result).device_map) map[module] = device_json(device);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  std::cout << nlohmann::json{{"seconds", 1e-9 * static_cast<double>(times[times.size() / 2])}, {"device_map", map}}
            << '\n';
  return 0;
}
