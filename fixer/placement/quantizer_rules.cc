// The quantizers by release: transformers/quantizers/quantizer_*.py (validate_environment, adjust_max_memory,
// adjust_target_dtype, param_element_size, update_device_map). Releases are those where the text or the condition first
// stands in the source.
#include <string_view>

#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {

using kb::Release;

class Table {
 public:
  Table(std::string_view quantizer, bool pre_quantized, const Rules& rules)
      : quantizer_(quantizer), pre_quantized_(pre_quantized), rules_(rules) {}

  QuantizerRules row() const {
    QuantizerRules row;
    if (quantizer_.starts_with("bitsandbytes")) {
      bitsandbytes(row);
    } else if (quantizer_ == "quanto" || quantizer_ == "torchao" || quantizer_ == "bitnet") {
      reserving(row);
    } else if (quantizer_ == "awq") {
      awq(row);
    } else if (quantizer_ == "eetq" || quantizer_ == "hqq" || quantizer_ == "fbgemm_fp8") {
      gpu_kernels(row);
    } else if (quantizer_ == "fp8" || quantizer_ == "mxfp4" || quantizer_ == "mxfp8") {
      eight_and_four_bit_floats(row);
    } else {
      others(row);
    }
    return row;
  }

 private:
  bool from(int major, int minor, int patch = 0) const { return rules_.transformers >= Release{major, minor, patch}; }

  static void no_gpu(QuantizerRules& row, const char* type, const char* text) {
    row.no_gpu_error = type;
    row.no_gpu_text = text;
  }

  void bitsandbytes(QuantizerRules& row) const {
    const bool four = quantizer_ == "bitsandbytes_4bit";
    row.target_dtype = four ? DType::int4 : DType::int8;
    row.linear_element_bytes = four ? 0.5 : 1.0;
    row.reserves_room = from(4, 33);
    // Without a GPU it is bitsandbytes itself that decides. The pairs that were run: 0.45.5 (CUDA only) to 4.53,
    // 0.50.2 (several backends, as from 0.46) from 4.57.6.
    if (!from(4, 31)) {
      no_gpu(row, "RuntimeError", "No GPU found. A GPU is needed for quantization.");
      row.no_gpu_matters_without_map_only = true;
    } else if (!from(4, 34)) {
      no_gpu(row, "ImportError",
             "Using `load_in_8bit=True` requires Accelerate: `pip install accelerate` and the latest version of "
             "bitsandbytes `pip install -i https://test.pypi.org/simple/ bitsandbytes` or pip install bitsandbytes` ");
    } else if (from(4, 38) && !from(4, 41)) {
      no_gpu(row, "ImportError",
             "Using `bitsandbytes` 8-bit quantization requires Accelerate: `pip install accelerate` and the latest "
             "version of bitsandbytes: `pip install -i https://pypi.org/simple/ bitsandbytes`");
    } else if (!from(4, 45)) {
      no_gpu(row, "RuntimeError", "No GPU found. A GPU is needed for quantization.");
    } else if (!from(4, 54)) {
      no_gpu(row, "RuntimeError",
             "CUDA is required but not available for bitsandbytes. Please consider installing the multi-platform "
             "enabled version of bitsandbytes, which is currently a work in progress. Please check currently supported "
             "platforms and installation instructions at "
             "https://huggingface.co/docs/bitsandbytes/main/en/installation#multi-backend");
    }
    row.default_map = from(4, 45) ? DefaultMap::gpu_0_or_cpu : DefaultMap::gpu_0;
  }

  void reserving(QuantizerRules& row) const {
    row.reserves_room = true;
    row.target_dtype = DType::int8;
    if (quantizer_ == "quanto") {
      row.linear_element_bytes = 1.0;
      row.refuses = from(5, 0) ? Refuses::most : Refuses::never;
      row.refusal =
          "You are attempting to load an model with a device_map that contains a CPU or disk device.This is not "
          "supported with quanto when the model is quantized on the fly. Please remove the CPU or disk device from the "
          "device_map.";
      row.default_map = from(5, 0) ? DefaultMap::none : DefaultMap::cpu;
    } else if (quantizer_ == "torchao") {
      row.linear_element_bytes = 1.0;
      if (!pre_quantized_) return;
      row.refuses = from(4, 56) ? Refuses::several_with_disk : Refuses::cpu_or_disk;
      row.refusal = from(4, 56)
                        ? "You are attempting to perform disk offload with a pre-quantized torchao model This is not "
                          "supported yet . Please remove the disk device from the device_map."
                        : "You are attempting to perform cpu/disk offload with a pre-quantized torchao model This is "
                          "not supported yet . Please remove the CPU or disk device from the device_map.";
    } else {
      row.accepts_all_without_gpu = true;  // warns and returns
      row.refuses = from(5, 0) ? Refuses::most : Refuses::cpu_or_disk;
      row.refusal =
          "You are attempting to load a BitNet model with a device_map that contains a CPU or disk device.This is not "
          "supported. Please remove the CPU or disk device from the device_map.";
    }
  }

  void awq(QuantizerRules& row) const {
    if (from(5, 0)) return;
    row.refuses = Refuses::cpu_or_disk;
    row.torch_device_cpu_refused = from(4, 53);
    row.refusal =
        "You are attempting to load an AWQ model with a device_map that contains a CPU or disk device. This is not "
        "supported. Please remove the CPU or disk device from the device_map.";
    if (from(4, 48)) {  // without a GPU the GEMM kernels give way to IPEX's
      row.refuses_without_gpu = Refuses::disk;
      row.refusal_without_gpu =
          "You are attempting to load an IPEX version AWQ model with a device_map that contains disk device. This is "
          "not supported. Please make sure only cpu and xpu in the device_map.";
    } else {
      no_gpu(row, "RuntimeError",
             from(4, 46) ? "GPU is required to run AWQ quantized model. You can use IPEX version AWQ if you have an "
                           "Intel CPU"
                         : "GPU is required to run AWQ quantized model.");
    }
  }

  void gpu_kernels(QuantizerRules& row) const {
    if (quantizer_ == "eetq") {
      no_gpu(row, "RuntimeError", "No GPU found. A GPU is needed for quantization.");
      row.refuses = from(5, 0) ? Refuses::most : Refuses::cpu_or_disk;
      row.refusal =
          "You are attempting to load an EETQ model with a device_map that contains a CPU or disk device. This is not "
          "supported. Please remove the CPU or disk device from the device_map.";
    } else if (quantizer_ == "hqq") {
      if (!from(4, 54)) no_gpu(row, "RuntimeError", "No GPU found. A GPU is needed for quantization.");
      // In 4.57 the check stands in the constructor, which never sees the map.
      row.refuses = from(4, 57) && !from(5, 0) ? Refuses::never : Refuses::cpu_or_disk;
      row.refusal =
          "You are attempting to use an HQQ model with a device_map that contains a CPU or disk device. This is not "
          "supported. Please remove the CPU or disk device from the device_map.";
    } else {
      if (!from(5, 0)) no_gpu(row, "RuntimeError", "Using FP8 quantized models with fbgemm kernels requires a GPU");
      row.refuses = pre_quantized_ ? Refuses::never : Refuses::cpu_or_disk;
      row.refusal =
          "You are attempting to load an FP8 model with a device_map that contains a CPU or disk device.This is not "
          "supported when the model is quantized on the fly. Please use a quantized checkpoint or remove the CPU or "
          "disk device from the device_map.";
    }
  }

  void eight_and_four_bit_floats(QuantizerRules& row) const {
    const bool eight = quantizer_ != "mxfp4";
    if (eight) {
      row.linear_element_bytes = 1.0;
      row.refusal =
          "You are attempting to load an FP8 model with a device_map that contains a cpu/disk device.This is not "
          "supported when the model is quantized on the fly. Please use a quantized checkpoint or remove the cpu/disk "
          "device from the device_map.";
      if (!pre_quantized_ || (quantizer_ == "fp8" && !from(5, 0))) {
        no_gpu(row, "RuntimeError",
               from(4, 52) ? "No GPU or XPU found. A GPU or XPU is needed for FP8 quantization."
                           : "No GPU found. A GPU is needed for FP8 quantization.");
      }
      row.accepts_all_without_gpu = pre_quantized_ && from(5, 0);  // it is dequantized then
      if (quantizer_ == "mxfp8") {
        row.refuses = pre_quantized_ ? Refuses::never : Refuses::several_with_cpu_disk;
      } else if (pre_quantized_) {
        // "not pre_quantized and several and cpu or disk": the last `or` stands alone
        row.refuses = from(5, 0) && !from(5, 10, 1) ? Refuses::disk : Refuses::never;
      } else {
        row.refuses = !from(5, 0)       ? Refuses::cpu_or_disk
                      : !from(5, 10, 1) ? Refuses::most
                                        : Refuses::several_with_cpu_disk;
      }
      return;
    }
    // 4.55.0 alone asks for one even where 4.55.1 begins to dequantize instead
    if (!from(4, 55, 1)) no_gpu(row, "RuntimeError", "Using MXFP4 quantized models requires a GPU");
    if (pre_quantized_) return;
    // integrations/mxfp4.py Mxfp4GptOssExperts
    row.packed_group = from(5, 23) ? 2 : 32;
    row.packed_scales = !from(5, 0);
    if (from(4, 55, 1) && !from(5, 3)) no_gpu(row, "RuntimeError", "Quantizing a model using MXFP4 requires a GPU");
    row.refuses = from(5, 3) ? Refuses::disk : Refuses::cpu_or_disk;
    row.refusal = from(5, 3)
                      ? "You are attempting to load an FP4 model with a device_map that contains a disk device.This is "
                        "not supported when the model is quantized on the fly. Please use a quantized checkpoint or "
                        "remove the disk device from the device_map."
                      : "You are attempting to load an FP4 model with a device_map that contains a CPU or disk "
                        "device.This is not supported when the model is quantized on the fly. Please use a quantized "
                        "checkpoint or remove the CPU or disk device from the device_map.";
  }

  void others(QuantizerRules& row) const {
    if (quantizer_ == "higgs" || quantizer_ == "fp_quant") {
      const bool higgs = quantizer_ == "higgs";
      row.needs_map = true;
      row.refuses = !higgs && from(5, 0) ? Refuses::most : Refuses::cpu_or_disk;
      row.refusal = higgs ? "You are attempting to load a HIGGS model with a device_map that contains a CPU or disk "
                            "device. This is not supported. Please remove the CPU or disk device from the device_map."
                          : "You are attempting to load a FPQuant model with a device_map that contains a CPU or disk "
                            "device. This is not supported. Please remove the CPU or disk device from the device_map.";
      no_gpu(row, "NotImplementedError",
             higgs        ? "HIGGS quantization is only supported on GPU. Please use a different quantizer."
             : from(5, 0) ? "FPQuant quantization is only supported on GPU or Intel XPU. Please use a different "
                            "quantizer."
                          : "FPQuant quantization is only supported on GPU. Please use a different quantizer.");
    } else if (quantizer_ == "vptq" && from(5, 0)) {
      no_gpu(row, "RuntimeError", "GPU is required to run VTPQ quantized model.");
    } else if (quantizer_ == "spqr") {
      no_gpu(row, "RuntimeError", "GPU is required to run SpQR quantized model.");
    } else if (quantizer_ == "gptq") {
      row.default_map = from(4, 50) ? DefaultMap::torch_cpu : DefaultMap::none;
    } else if (quantizer_ == "sinq") {
      row.default_map = DefaultMap::gpu_0_or_cpu;
      row.one_device = OneDevice::sinq;
    } else if (quantizer_ == "nvfp4") {
      row.linear_element_bytes = 0.5;
      row.one_device = OneDevice::nvfp4;
      row.pre_quantized_refusal = "Loading pre-quantized NVFP4 checkpoints is not supported yet.";
      no_gpu(row, "RuntimeError", "NVFP4 quantization requires a CUDA GPU.");
    } else if (quantizer_ == "metal") {
      row.default_map = DefaultMap::mps;
      row.needs_mps = true;
      if (!pre_quantized_) {
        no_gpu(row, "RuntimeError", "Metal quantization requires an Apple Silicon GPU (MPS). No MPS device found.");
        row.refuses = Refuses::cpu_or_disk;
        row.refusal =
            "Metal quantization on the fly does not support CPU or disk in the device_map. Please use a pre-quantized "
            "checkpoint or remove CPU/disk from device_map.";
      }
    }
  }

  std::string_view quantizer_;
  bool pre_quantized_;
  const Rules& rules_;
};

}  // namespace

QuantizerRules quantizer_rules(const std::string& quantizer, bool pre_quantized, const Rules& rules) {
  return Table(quantizer, pre_quantized, rules).row();
}

}  // namespace whyfail::fixer
