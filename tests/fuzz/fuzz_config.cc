// A config of any bytes against a real size template: a tree, or one reason. The template is llama's in small.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fixer/model/from_config.h"

namespace {
constexpr const char* size_template =
    R"({"class":"L","exact":true,"defaults":{"hidden_size":64,"num_hidden_layers":2,"vocab_size":100,"heads":4},)"
    R"("derived":{"head_dim":"hidden_size//heads"},"lists":{"kinds":{"length":"num_hidden_layers","entries":)"
    R"([["full","(i+1)%2==0"],["window"]]}},"tree":{"class":"L","modules":[{"name":"embed","class":"Embedding",)"
    R"("parameters":[["weight",["vocab_size","hidden_size"]]]},{"name":"layers","class":"ModuleList","modules":)"
    R"([{"repeat":"num_hidden_layers","class":"Layer","modules":[{"name":"proj","class":"Linear","parameters":)"
    R"([["weight",["heads*head_dim","hidden_size"]],["bias",["hidden_size"],{"if":"kinds[i]=='full' or bias"}]]}]}]}]}})";
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whyfail::fixer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ModelData one_type{[](std::string_view, int) { return std::optional<std::string>(size_template); },
                           [](std::string_view) { return std::optional<std::string>("{}"); },
                           [](std::string_view) { return std::optional<std::string>(); }};
  ModelQuery query;
  query.name = "fuzz";
  query.transformers = {4, 57, 6};
  const auto found = model_from_config(query, one_type, text, nullptr, "config");
  if (const auto* none = std::get_if<NoModel>(&found)) {
    if (none->why.empty()) __builtin_trap();
  } else {
    (void)kv_cache_bytes(std::get<Model>(found), 4096, 8, query.transformers);
  }
  return 0;
}
