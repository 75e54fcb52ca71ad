// Reads and checks the fields of a request. Everything is optional that some entry does without; what is there must
// have the right type.
#include "cli/place_request.h"

#include <nlohmann/json.hpp>

#include "cli/place_quantization.h"
#include "cli/place_tree_json.h"

namespace whyfail::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kMostDevices = 1024;
constexpr std::size_t kMostTiedNames = 4096;
constexpr std::size_t kMostClasses = 256;
constexpr std::size_t kMostKeys = 20000;

class RequestReader {
 public:
  RequestReader(const json& request, PlaceLibrary& library) : request_(request), library_(library) {}

  bool read() {
    return request_.is_object() ? text(request_, "entry", out_.entry) && releases() && model() && context() &&
                                      facts() && budgets() && machine() && options()
                                : fail("a request is a JSON object");
  }

  PlaceRequest& result() { return out_; }
  const std::string& problem() const { return problem_; }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  // The member, or null when it is missing or null.
  static const json* member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  bool text(const json& object, const char* key, std::string& value) {
    const json* found = member(object, key);
    if (found == nullptr) return true;
    if (!found->is_string()) return fail(std::string("'") + key + "' is no string");
    value = found->get<std::string>();
    return true;
  }

  bool flag(const char* key, bool& value) {
    const json* found = member(request_, key);
    if (found == nullptr) return true;
    if (!found->is_boolean()) return fail(std::string("'") + key + "' is neither true nor false");
    value = found->get<bool>();
    return true;
  }

  bool texts(const json& list, const char* key, std::vector<std::string>& values, std::size_t most) {
    if (!list.is_array() || list.size() > most)
      return fail(std::string("'") + key + "' is no list of names, or too long");
    for (const json& item : list) {
      if (!item.is_string()) return fail(std::string("'") + key + "' is no list of names");
      values.push_back(item.get<std::string>());
    }
    return true;
  }

  bool groups(const json& object, const char* key, fixer::TieNames& value) {
    const json* found = member(object, key);
    if (found == nullptr) return true;
    if (!found->is_array()) return fail(std::string("'") + key + "' is no list of groups");
    std::size_t names = 0;
    for (const json& group : *found) {
      if (!texts(group, key, value.emplace_back(), kMostTiedNames)) return false;
      names += value.back().size();
      if (names > kMostTiedNames) return fail(std::string("'") + key + "' names more than 4096 tensors");
    }
    return true;
  }

  bool releases() {
    const json* lib = member(request_, "lib");
    if (lib == nullptr || !lib->is_object()) return fail("'lib' names no releases");
    return release(*lib, "transformers", out_.transformers) && release(*lib, "accelerate", out_.accelerate);
  }

  bool release(const json& lib, const char* package, kb::Release& value) {
    std::string written;
    if (!text(lib, package, written)) return false;
    const std::optional<kb::Release> read = kb::Release::parse(written);
    if (!read) return fail(std::string("'lib' names no release of ") + package);
    value = *read;
    return true;
  }

  bool model() {
    const json* model = member(request_, "model");
    if (model == nullptr) return true;
    if (!model->is_object()) return fail("'model' is no object");
    if (!text(*model, "class", out_.class_name)) return false;
    const json* tree = member(*model, "tree");
    if (tree == nullptr) return true;
    if (tree->is_string()) {
      auto found = library_.tree(tree->get_ref<const std::string&>());
      if (std::string* problem = std::get_if<std::string>(&found)) {
        return tree_by_name(*model) || fail(std::move(*problem));
      }
      out_.tree = std::get<const fixer::ModuleTree*>(found);
      return true;
    }
    auto made = tree_from_json(*tree);
    if (std::string* problem = std::get_if<std::string>(&made)) return fail(std::move(*problem));
    out_.inline_tree = std::get<fixer::ModuleTree>(std::move(made));
    return true;
  }

  // Quantizers that leave shapes and dtypes as they are until weights are read; their sizes come from the context.
  bool tree_is_not_packed() const {
    const json* name = member(request_, "quantization");
    if (name == nullptr) return true;
    if (!name->is_string()) return false;
    const std::string& text = name->get_ref<const std::string&>();
    const auto is_of = [&](const char* quantizer) { return text.starts_with(quantizer); };
    return is_of("bnb-") || is_of("quanto-") || is_of("torchao-") || is_of("hqq");
  }

  bool tree_by_name(const json& model) {
    NamedModel named;
    std::string dtype;
    named.class_name = out_.class_name;
    named.transformers = out_.transformers;
    const bool read = text(model, "name", named.name) && text(model, "model_dtype", dtype) && !named.name.empty() &&
                      fixer::parse_dtype(dtype, named.dtype) && tree_is_not_packed();
    if (!read) return false;
    out_.tree = library_.tree_of(named);
    out_.tree_by_name = out_.tree != nullptr;
    return out_.tree_by_name;
  }

  // {duplicate: source} as groups with the source first.
  bool tied_keys(const json& object, fixer::TieNames& value) {
    const json* keys = member(object, "all_tied_weights_keys");
    if (keys == nullptr) return true;
    if (!keys->is_object() || keys->size() > kMostTiedNames)
      return fail("'all_tied_weights_keys' is no object, or too large");
    value.clear();
    std::unordered_map<std::string, std::size_t> group_of;
    for (const auto& [duplicate, source] : keys->items()) {
      if (!source.is_string()) return fail("'all_tied_weights_keys' holds something else than names");
      out_.sizing.left_out.insert(duplicate);
      const auto [known, added] = group_of.emplace(source.get<std::string>(), value.size());
      if (added) value.push_back({known->first});
      value[known->second].push_back(duplicate);
    }
    return true;
  }

  bool facts() {
    if (!groups(request_, "ties", out_.ties) || !flag("identity_tied", out_.tied_by_identity)) return false;
    if (out_.has_context) return true;
    if (const json* list = member(request_, "no_split")) {
      if (!texts(*list, "no_split", out_.no_split.emplace(), kMostClasses)) return false;
    }
    if (const json* list = member(request_, "no_placement_params")) {
      if (!texts(*list, "no_placement_params", out_.left_out.emplace(), kMostClasses)) return false;
    }
    if (member(request_, "all_tied_weights_keys") != nullptr) {
      if (!tied_keys(request_, out_.declared_ties)) return false;
    } else {
      out_.declared_ties = out_.ties;
      for (const std::vector<std::string>& group : out_.ties) {
        for (std::size_t i = 1; i < group.size(); ++i) out_.sizing.left_out.insert(group[i]);
      }
    }
    return dtype(request_, "dtype") && special_dtypes(request_) && kept_in_fp32();
  }

  // The libraries join plain names with "|"; other patterns are not read here.
  bool kept_in_fp32() {
    std::string pattern;
    if (!text(request_, "keep_in_fp32_regex", pattern)) return false;
    if (pattern.find_first_of("\\.^$*+?()[]{}") != std::string::npos || pattern.size() > 1000) {
      return fail("'keep_in_fp32_regex' is more than plain names joined by |");
    }
    for (std::size_t at = 0; at < pattern.size();) {
      const std::size_t bar = std::min(pattern.find('|', at), pattern.size());
      out_.keep_in_fp32.push_back(pattern.substr(at, bar - at));
      at = bar + 1;
    }
    return true;
  }

  bool context() {
    const json* context = member(request_, "context");
    if (context == nullptr) return true;
    if (context->is_string()) {
      const std::string& hash = context->get_ref<const std::string&>();
      context = library_.context(hash);
      if (context == nullptr) return fail("no context '" + hash + "' in the folder of trees");
    }
    if (!context->is_object()) return fail("a context that is no object");
    out_.has_context = true;
    if (const json* list = member(*context, "no_split")) {
      if (!texts(*list, "no_split", out_.no_split.emplace(), kMostClasses)) return false;
    }
    if (const json* list = member(*context, "modules_to_not_convert")) {
      if (!texts(*list, "modules_to_not_convert", out_.not_converted, kMostTiedNames)) return false;
    }
    fixer::TieNames ties;
    if (!groups(*context, "ties", ties) || !groups(*context, "ties_when_balancing", out_.ties_when_balancing)) {
      return false;
    }
    out_.context_ties = std::move(ties);
    return tied_keys(*context, out_.declared_ties) && dtype(*context, "target_dtype") && special_dtypes(*context) &&
           element_bytes(*context);
  }

  bool dtype(const json& object, const char* key) {
    std::string name;
    if (!text(object, key, name)) return false;
    if (name.empty()) return true;
    fixer::DType type{};
    if (!fixer::parse_dtype(name, type)) return fail(std::string("'") + key + "' is no dtype that is known");
    out_.sizing.dtype = type;
    return true;
  }

  bool special_dtypes(const json& object) {
    const json* special = member(object, "special_dtypes");
    if (special == nullptr) return true;
    if (!special->is_object()) return fail("'special_dtypes' is no object");
    for (const auto& [name, value] : special->items()) {
      fixer::DType type{};
      if (!value.is_string() || !fixer::parse_dtype(value.get_ref<const std::string&>(), type)) {
        return fail("'special_dtypes' holds a dtype that is not known");
      }
      out_.sizing.special_dtypes.emplace(name, type);
    }
    return true;
  }

  bool element_bytes(const json& object) {
    const json* widths = member(object, "element_size");
    if (widths == nullptr) return true;
    if (!widths->is_object()) return fail("'element_size' is no object");
    for (const auto& [name, value] : widths->items()) {
      if (!value.is_number()) return fail("'element_size' holds something else than numbers");
      out_.sizing.element_bytes.emplace(name, value.get<double>());
    }
    return true;
  }

  bool device(const json& key, fixer::Device& device) {
    if (key.is_string()) {
      device = key.get<std::string>();
    } else if (key.is_number_integer() && !too_large(key)) {
      device = key.get<std::int64_t>();
    } else {
      return fail("a device of 'max_memory' that is neither a number nor a name");
    }
    return true;
  }

  bool budget(const fixer::Device& device, const json& value) {
    if (value.is_string()) {
      out_.max_memory->emplace_back(device, value.get<std::string>());
    } else if (value.is_number_float() || too_large(value)) {
      out_.max_memory->emplace_back(device, value.get<double>());
    } else if (value.is_number_integer()) {
      out_.max_memory->emplace_back(device, value.get<std::int64_t>());
    } else {
      return fail("a budget of 'max_memory' that is neither a number nor a string");
    }
    return true;
  }

  bool budgets() {
    const json* given = member(request_, "max_memory");
    if (given == nullptr) return true;
    if (given->size() > kMostDevices) return fail("'max_memory' names more than 1024 devices");
    out_.max_memory.emplace();
    if (given->is_object()) return budgets_by_name(*given);
    if (!given->is_array()) return fail("'max_memory' is neither an object nor a list of pairs");
    for (const json& pair : *given) {
      fixer::Device key;
      if (!pair.is_array() || pair.size() != 2) return fail("'max_memory' is no list of [device, budget]");
      if (!device(pair[0], key) || !budget(key, pair[1])) return false;
    }
    return true;
  }

  // Names of an object are text: a decimal number means the GPU.
  bool budgets_by_name(const json& given) {
    for (const auto& [name, value] : given.items()) {
      const bool number =
          !name.empty() && name.size() <= 9 && name.find_first_not_of("0123456789") == std::string::npos;
      if (!budget(number ? fixer::Device(std::int64_t{std::stol(name)}) : fixer::Device(name), value)) return false;
    }
    return true;
  }

  bool bytes(const json& object, const char* key, std::uint64_t& value) {
    const json* found = member(object, key);
    if (found == nullptr) return true;
    if (!found->is_number_unsigned()) return fail(std::string("'") + key + "' is no number of bytes");
    value = found->get<std::uint64_t>();
    return true;
  }

  bool machine() {
    const json* faked = member(request_, "faked");
    if (faked == nullptr) return true;
    if (!faked->is_object()) return fail("'faked' is no object");
    if (!bytes(*faked, "cpu_available", out_.machine.cpu_available_bytes)) return false;
    const json* mps = member(*faked, "mps");
    out_.machine.mps = mps != nullptr && mps->is_boolean() && mps->get<bool>();
    const json* gpus = member(*faked, "gpus");
    if (gpus != nullptr && (!gpus->is_array() || gpus->size() > kMostDevices))
      return fail("'gpus' is no list, or too long");
    for (std::size_t i = 0; gpus != nullptr && i < gpus->size(); ++i) {
      if (!gpu((*gpus)[i])) return false;
    }
    return broken(*faked);
  }

  bool gpu(const json& described) {
    if (!described.is_object()) return fail("a GPU that is no object");
    fixer::GpuMemory& gpu = out_.machine.gpus.emplace_back();
    const json* integrated = member(described, "integrated");
    gpu.integrated = integrated != nullptr && integrated->is_boolean() && integrated->get<bool>();
    return bytes(described, "free", gpu.free_bytes) && bytes(described, "total", gpu.total_bytes) &&
           bytes(described, "reserved", gpu.reserved_bytes) && bytes(described, "allocated", gpu.allocated_bytes);
  }

  bool broken(const json& faked) {
    const json* list = member(faked, "broken");
    if (list == nullptr) return true;
    if (!list->is_array()) return fail("'broken' is no list");
    for (const json& index : *list) {
      if (!index.is_number_unsigned()) return fail("'broken' holds something else than GPU numbers");
      const std::uint64_t at = index.get<std::uint64_t>();
      if (at < out_.machine.gpus.size()) out_.machine.gpus[at].unusable = true;
    }
    return true;
  }

  bool options() {
    std::string quantization;
    std::string checkpoint = "safetensors";
    if (!text(request_, "strategy", out_.strategy) || !text(request_, "quantization", quantization) ||
        !text(request_, "checkpoint", checkpoint)) {
      return false;
    }
    out_.settings.safetensors = checkpoint == "safetensors";
    if (!set_quantization(quantization, out_.settings)) return fail("'quantization' names none that is known");
    if (out_.entry == "transformers.from_pretrained(device_map)") {
      out_.class_facts = library_.class_facts(out_.class_name, out_.transformers);
    }
    return argument() && torch() && flag("low_cpu_mem_usage", out_.settings.low_cpu_mem_usage) &&
           flag("offload_buffers", out_.offload_buffers) && flag("clean_result", out_.clean_result) &&
           flag("fallback_allocation", out_.fallback_allocation) &&
           flag("offload_folder", out_.settings.offload_folder) &&
           flag("llm_int8_enable_fp32_cpu_offload", out_.settings.fp32_cpu_offload);
  }

  bool torch() {
    std::string written;
    if (!text(request_["lib"], "torch", written)) return false;
    out_.settings.torch = kb::Release::parse(written);
    return true;
  }

  bool device_value(const json& written, fixer::DeviceValue& value) {
    using Kind = fixer::DeviceValue::Kind;
    if (written.is_null()) {
      value.kind = Kind::none;
    } else if (written.is_string()) {
      value = fixer::DeviceValue::of_text(written.get<std::string>());
    } else if (written.is_boolean()) {
      value.kind = Kind::boolean;
      value.number = written.get<bool>() ? 1 : 0;
    } else if (written.is_number_integer() && !too_large(written)) {
      value = fixer::DeviceValue::of_number(written.get<std::int64_t>());
    } else if (written.is_number()) {
      value.kind = Kind::real;
      value.real = written.get<double>();
    } else if (written.is_object() && written.size() == 1 && written.contains("torch.device") &&
               written["torch.device"].is_string()) {
      value = fixer::DeviceValue::of_torch(written["torch.device"].get<std::string>());
    } else {
      return fail("a value of 'argument' that is no device");
    }
    return true;
  }

  // "(none)": not passed; {"dict": [[key, value], …]}: a dict; otherwise as Python holds it.
  bool argument() {
    const json* written = member(request_, "argument");
    if (written == nullptr || *written == "(none)") return true;
    if (written->is_array()) {
      out_.argument.kind = fixer::MapArgument::Kind::list;
      return true;
    }
    if (!written->is_object() || !written->contains("dict")) {
      out_.argument.kind = fixer::MapArgument::Kind::value;
      return device_value(*written, out_.argument.value);
    }
    const json& pairs = (*written)["dict"];
    if (!pairs.is_array() || pairs.size() > kMostKeys) return fail("'argument' holds a dict that is no list of pairs");
    out_.argument.kind = fixer::MapArgument::Kind::map;
    std::unordered_map<std::string, std::size_t> place_of;
    for (const json& pair : pairs) {
      fixer::DeviceValue value;
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
        return fail("'argument' holds a dict that is no list of [key, value]");
      }
      if (!device_value(pair[1], value)) return false;
      const auto [known, added] = place_of.emplace(pair[0].get<std::string>(), out_.argument.map.size());
      if (added) {
        out_.argument.map.emplace_back(known->first, std::move(value));
      } else {
        out_.argument.map[known->second].second = std::move(value);
      }
    }
    return true;
  }

  static bool too_large(const json& number) {
    return number.is_number_unsigned() && number.get<std::uint64_t>() > INT64_MAX;
  }

  const json& request_;
  PlaceLibrary& library_;
  PlaceRequest out_;
  std::string problem_;
};

}  // namespace

std::variant<PlaceRequest, std::string> read_place_request(const nlohmann::json& request, PlaceLibrary& library) {
  RequestReader reader(request, library);
  if (!reader.read()) return reader.problem();
  return std::move(reader.result());
}

}  // namespace whyfail::cli
