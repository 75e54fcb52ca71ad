// A size template of any bytes: instantiated, or refused with a reason. Expressions inside it are part of the input.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fixer/model/size_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace whyfail::fixer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = SizeTemplate::parse(text);
  if (!parsed) {
    const auto expression = Expression::parse(text);
    (void)expression;
    return 0;
  }
  const auto config = Config::parse(R"({"hidden_size":8,"num_hidden_layers":3,"layer_types":["a","b","a"]})");
  const CompletedConfig completed(std::get<Config>(config), *parsed);
  const auto root = parsed->instantiate(completed, {"", DType::float16, {4, 57, 6}});
  if (const auto* error = std::get_if<TemplateError>(&root)) {
    if (error->why.empty()) __builtin_trap();
  }
  return 0;
}
