// Parameters are read wherever they are written.
#include "fixer/plan/load_call.h"

#include <gtest/gtest.h>

namespace whyfail::fixer {
namespace {

LoadCall read(const std::string& text, const std::string& method = "from_pretrained") {
  static std::vector<Script> kept;  // values refer to nothing, but the script must outlive the reading
  kept.push_back(Script::read(text));
  for (const Call& call : kept.back().calls()) {
    if (call.method == method) return read_load(kept.back(), call);
  }
  ADD_FAILURE() << "no " << method << " in " << text;
  return {};
}

TEST(LoadCall, ReadsArgumentsInTheCall) {
  const LoadCall load = read(
      "m = AutoModelForCausalLM.from_pretrained(\"a/b\", device_map={\"\": 0, \"lm_head\": \"cpu\"}, "
      "torch_dtype=torch.bfloat16)");
  EXPECT_EQ(load.loader, Loader::from_pretrained);
  EXPECT_EQ(load.class_name, "AutoModelForCausalLM");
  EXPECT_EQ(load.model, "a/b");
  ASSERT_EQ(load.device_map.map.size(), 2U);
  EXPECT_EQ(load.device_map.map[1].second, Device(std::string("cpu")));
  EXPECT_EQ(load.dtype, DType::bfloat16);
}

TEST(LoadCall, FollowsDictsAndNames) {
  for (const char* text :
       {"k = {\"device_map\": \"auto\", \"max_memory\": {0: \"10GiB\"}}\nm = A.from_pretrained(\"a/b\", **k)\n",
        "k = dict(device_map=\"auto\", max_memory={0: \"10GiB\"})\nm = A.from_pretrained(\"a/b\", **k)\n",
        "d = \"auto\"\nmm = {0: \"10GiB\"}\nm = A.from_pretrained(\"a/b\", device_map=d, max_memory=mm)\n"}) {
    const LoadCall load = read(text);
    EXPECT_EQ(load.device_map.text, "auto") << text;
    ASSERT_TRUE(load.max_memory) << text;
    EXPECT_EQ(std::get<std::string>(load.max_memory->front().second), "10GiB");
    EXPECT_FALSE(load.opaque);
  }
}

TEST(LoadCall, SaysWhatItCannotRead) {
  EXPECT_TRUE(read("m = A.from_pretrained(\"a/b\", **options())").opaque);
  EXPECT_TRUE(read("m = A.from_pretrained(\"a/b\", device_map=choose())").device_map_unreadable);
  EXPECT_TRUE(read("m = A.from_pretrained(\"a/b\", max_memory=budgets(1))").max_memory_unreadable);
}

TEST(LoadCall, ReadsQuantization) {
  EXPECT_EQ(read("m = A.from_pretrained(\"a/b\", quantization_config=BitsAndBytesConfig(load_in_4bit=True))")
                .settings.quantizer,
            "bitsandbytes_4bit");
  EXPECT_EQ(read("m = A.from_pretrained(\"a/b\", load_in_8bit=True)").settings.quantizer, "bitsandbytes_8bit");
  EXPECT_EQ(read("m = A.from_pretrained(\"a/b\", quantization_config=HqqConfig(nbits=4))").settings.quantizer, "hqq");
}

TEST(LoadCall, ReadsPipelines) {
  const LoadCall load = read(
      "p = pipeline(\"text-generation\", model=\"a/b\", model_kwargs={\"max_memory\": {0: 5}}, device_map=\"auto\")",
      "pipeline");
  EXPECT_EQ(load.model, "a/b");
  EXPECT_EQ(load.device_map.text, "auto");
  EXPECT_TRUE(load.max_memory);
}

}  // namespace
}  // namespace whyfail::fixer
