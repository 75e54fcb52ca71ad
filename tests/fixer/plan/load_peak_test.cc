// What loading held at most in RAM, measured with the libraries on the CPU, against what is said of it.
#include "fixer/plan/load_peak.h"

#include "fixer/plan/words.h"
#include "tests/fixer/plan/situations.h"

namespace whyfail::fixer {
namespace {

constexpr std::uint64_t MB = 1000 * 1000;

// A Llama of 336.6 MB in bfloat16, of which 102.8 MB were put on the disk where the map has two devices.
Model small_model(bool pickle, std::uint64_t file, DType dtype) {
  Model model;
  const std::uint64_t width = dtype == DType::float32 ? 4 : 2;
  for (const auto& [name, elements] : {std::pair("a", 116'928'512ULL), std::pair("b", 51'385'344ULL)}) {
    Module part;
    part.name = name;
    part.class_name = "Linear";
    part.parameters.push_back({"weight", elements, dtype, true, 1024});
    model.bytes += elements * width;
    model.tree.root.children.push_back(part);
  }
  model.dtype = dtype;
  model.stored_dtype = DType::bfloat16;
  model.safetensors = !pickle;
  model.largest_file_bytes = pickle ? file : 0;
  return model;
}

enum class Form { safetensors, one_pickle, four_pickles };

struct Measured {
  const char* transformers;
  Form form;
  const char* arguments;  // of from_pretrained
  DType dtype;
  bool moved;          // the script moves the model afterwards: only what loading took in RAM is looked at
  std::uint64_t peak;  // MB of the process's own memory; what of a mapped file is in memory is not counted
};

constexpr DType bfloat = DType::bfloat16;
constexpr DType full = DType::float32;
const char* const on_cpu = "device_map={\"\": \"cpu\"}";
const char* const in_part_on_disk = "device_map={\"a\": \"cpu\", \"b\": \"disk\"}";

const Measured kMeasured[] = {
    {"4.30.2", Form::safetensors, "", bfloat, true, 347},
    {"4.30.2", Form::safetensors, "", full, true, 684},
    {"4.30.2", Form::safetensors, "low_cpu_mem_usage=True", bfloat, true, 11},
    {"4.30.2", Form::four_pickles, "", bfloat, false, 447},
    {"4.30.2", Form::four_pickles, "", full, false, 784},
    {"4.30.2", Form::four_pickles, on_cpu, bfloat, false, 348},
    {"4.30.2", Form::four_pickles, on_cpu, full, false, 749},
    {"4.30.2", Form::four_pickles, in_part_on_disk, bfloat, false, 252},
    {"4.30.2", Form::one_pickle, "", bfloat, false, 684},
    {"4.30.2", Form::one_pickle, on_cpu, bfloat, false, 347},
    {"4.30.2", Form::one_pickle, in_part_on_disk, bfloat, false, 347},
    {"4.36.2", Form::four_pickles, "", bfloat, false, 405},
    {"4.36.2", Form::one_pickle, in_part_on_disk, bfloat, false, 344},
    {"4.48.3", Form::safetensors, "", bfloat, true, 3},
    {"4.51.3", Form::safetensors, "", bfloat, true, 3},
    {"4.51.3", Form::four_pickles, "", bfloat, true, 3},
    {"4.57.6", Form::safetensors, "", bfloat, true, 1},
    {"4.40.2", Form::safetensors, "", bfloat, true, 343},
    {"4.40.2", Form::safetensors, "", full, true, 684},
    {"4.40.2", Form::safetensors, "low_cpu_mem_usage=True", bfloat, true, 7},
    {"4.40.2", Form::four_pickles, "", bfloat, false, 344},
    {"4.40.2", Form::four_pickles, on_cpu, full, false, 685},
    {"4.40.2", Form::one_pickle, "", bfloat, false, 343},
    {"5.23.0", Form::safetensors, "", bfloat, true, 2},
    {"5.23.0", Form::safetensors, on_cpu, full, false, 676},
    {"5.23.0", Form::four_pickles, on_cpu, full, false, 676},
};

std::uint64_t file_bytes(Form form) { return form == Form::one_pickle ? 336'651'983 : 99'624'294; }

DeviceUse peak_in_ram(const Measured& measured) {
  const std::string text = std::string("AutoModelForCausalLM.from_pretrained(\"m\", ") + measured.arguments + ")";
  const Script script = Script::read(text);
  const LoadCall load = read_load(script, script.calls().front());
  const Model model = small_model(measured.form != Form::safetensors, file_bytes(measured.form), measured.dtype);
  Outcome outcome;
  DeviceUse use;
  use.capacity.device = std::string("cpu");
  use.capacity.free_bytes = use.capacity.usable_bytes = 1000 * MB;
  const std::uint64_t on_disk = std::string(measured.arguments) == in_part_on_disk ? 102'770'688 : 0;
  use.weights_bytes = measured.moved ? 0 : model.bytes - on_disk;
  outcome.devices = {use};
  outcome.fits = true;
  const Rules rules = rules_for(*kb::Release::parse(measured.transformers), {0, 25, 0});
  const Moved moved = measured.moved ? Moved(std::int64_t{0}) : Moved();
  add_load_peaks(outcome, load, model, {}, load.device_map.map, rules, moved, false);
  EXPECT_TRUE(outcome.fits);
  return outcome.devices.front();
}

TEST(LoadPeak, IsWhatTheLibrariesHeld) {
  constexpr std::uint64_t rest = 14;  // MB: buffers of the rotary embedding and the loader's own
  for (const Measured& measured : kMeasured) {
    SCOPED_TRACE(std::string(measured.transformers) + " " + measured.arguments + " " + dtype_name(measured.dtype));
    const DeviceUse use = peak_in_ram(measured);
    const std::uint64_t said = std::max(use.load_peak_bytes, use.weights_bytes) / MB;
    EXPECT_GE(said + rest, measured.peak);
    const std::uint64_t slack = use.load_peak_certain ? 2 : file_bytes(measured.form) / MB;
    EXPECT_LE(said, measured.peak + slack);
  }
}

// Mixtral with 16 experts in float32: 436 MB stay, its largest joined weight has 67 MB. 5.0.0, 5.5.0, 5.16.0 and 5.23.0
// held 505 to 506 MB.
TEST(LoadPeak, JoinedWeightsLieBesideTheirParts) {
  Model model;
  model.dtype = model.stored_dtype = DType::float32;
  model.converts_on_load = true;
  model.bytes = 436 * MB;
  Module experts;
  experts.name = "experts";
  experts.parameters = {{"gate_up_proj", 16 * 2048 * 512, DType::float32, true, 16},
                        {"down_proj", 16 * 1024 * 512, DType::float32, true, 16}};
  Module layer;
  layer.name = "mlp";
  layer.children = {experts};
  model.tree.root.children = {layer};
  const Script script = Script::read("AutoModelForCausalLM.from_pretrained(\"m\", device_map={\"\": 0})");
  const LoadCall load = read_load(script, script.calls().front());
  for (const kb::Release& release : {kb::Release{5, 0, 0}, kb::Release{5, 23, 0}, kb::Release{4, 57, 6}}) {
    Outcome outcome;
    DeviceUse use;
    use.capacity.device = std::int64_t{0};
    use.capacity.usable_bytes = 450 * MB;
    use.weights_bytes = model.bytes;
    outcome.devices = {use};
    outcome.fits = true;
    add_load_peaks(outcome, load, model, {}, {{"", std::int64_t{0}}}, rules_for(release, {1, 12, 0}), {}, false);
    const bool joins = release >= kb::Release{5, 0, 0};
    EXPECT_EQ(outcome.devices.front().load_peak_bytes, joins ? 436 * MB + 67'108'864 : 0);
    EXPECT_EQ(outcome.fits, !joins);
  }
}

// What need not come to its bound is no reason to refuse a call, but one to speak of it.
TEST(LoadPeak, ABoundAboveTheRoomIsSaid) {
  const Measured whole{"4.30.2", Form::one_pickle, in_part_on_disk, bfloat, false, 347};
  Outcome outcome;
  outcome.devices = {peak_in_ram(whole)};
  EXPECT_TRUE(uncertain_words(outcome).empty());
  outcome.devices.front().capacity.usable_bytes = 300 * MB;
  const std::vector<std::string> notes = uncertain_words(outcome);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes.front().find("RAM needs up to 321 MiB, and 286 MiB are there"), std::string::npos) << notes.front();
}

// 13 GB of weights do not go through 8 GB of RAM to a GPU that holds them, unless they are read to it one by one.
TEST(LoadPeak, AFixDoesNotGoThroughRamThatIsNotThere) {
  const Asked asked{"cuda-out-of-memory",
                    "from transformers import AutoModelForCausalLM\nimport torch\n"
                    "model = AutoModelForCausalLM.from_pretrained(\"meta-llama/Llama-2-7b-hf\", "
                    "torch_dtype=torch.float16)\nmodel.to(\"cuda\")\n",
                    "gpu=24GiB,ram=8GiB,disk=500GiB",
                    "4.40.2",
                    "0.29.3",
                    true};
  const Fix fix = fix_for(asked);
  EXPECT_NE(fix.why_here.find("RAM while the call loads: the whole model is there before it is moved"),
            std::string::npos)
      << fix.why_here;
  ASSERT_EQ(fix.status, FixStatus::ready);
  EXPECT_NE(fix.call.find("device_map"), std::string::npos) << fix.call;
  for (const DeviceBudget& device : fix.devices) EXPECT_LE(device.load_peak_bytes, device.free_bytes);
  Asked roomy = asked;
  roomy.machine = "gpu=24GiB,ram=32GiB,disk=500GiB";
  EXPECT_EQ(fix_for(roomy).why_here.find("while the call loads"), std::string::npos);
}

}  // namespace
}  // namespace whyfail::fixer
