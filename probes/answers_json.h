// Answers of drivers as JSON text: the form in which a child process sends them back and in which a recorded machine
// keeps them (nvidia.json, levelzero.json, windows.json, darwin.json). Reading never throws; what has the wrong type
// counts as not given.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "probes/answers.h"

namespace whyfail::probes {

std::string nvml_text(const NvmlAnswer& answer);
std::string cuda_text(const CudaAnswer& answer);
// Text of one library's answer; unreadable text is a crash of the child that should have written it.
NvmlAnswer nvml_from(std::string_view text);
CudaAnswer cuda_from(std::string_view text);

NvidiaAnswer nvidia_from(std::string_view text);
LevelZeroAnswer level_zero_from(std::string_view text);
WindowsAnswer windows_from(std::string_view text);
DarwinAnswer darwin_from(std::string_view text);
std::map<std::string, FileSystemFigures> file_systems_from(std::string_view text);
std::map<std::string, bool> amd_fusion_from(std::string_view text);
std::map<std::string, std::string> strings_from(std::string_view text);  // values that are not strings are left out

}  // namespace whyfail::probes
