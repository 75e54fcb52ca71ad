// --machine FILE|DIR|SPEC.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "probes/description.h"
#include "probes/measure.h"
#include "probes/recorded_system.h"

namespace whyfail::probes {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_description = 16U << 20U;

std::variant<Machine, BadDescription> from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char block[8192];
  while (file && text.size() <= largest_description && (file.read(block, sizeof block), file.gcount() > 0)) {
    text.append(block, static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) return BadDescription{path + " cannot be read as a machine description; check the file"};
  return machine_from_json(text, path);
}

}  // namespace

std::variant<Machine, BadDescription> machine_from(const std::string& file_folder_or_spec) {
  std::error_code error;
  const auto status = fs::status(file_folder_or_spec, error);
  if (fs::is_directory(status)) {
    const auto recorded = recorded_system(file_folder_or_spec);
    if (recorded == nullptr) {
      return BadDescription{file_folder_or_spec +
                            " is a folder without a recorded machine (environment.json, statfs.json, root); name a "
                            "recording or a file made by whyfail probe --json"};
    }
    return measured(*recorded, {});
  }
  if (fs::exists(status)) return from_file(file_folder_or_spec);
  if (file_folder_or_spec.find('=') != std::string::npos) return machine_from_short_form(file_folder_or_spec);
  return BadDescription{file_folder_or_spec +
                        " is neither a file nor a folder nor a short description such as gpu=24GiB,ram=64GiB"};
}

}  // namespace whyfail::probes
