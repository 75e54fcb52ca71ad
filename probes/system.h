// The one door to a machine. Everything that measures is a function over it; the real machine and a recorded folder are
// its two kinds (real_system.h, recorded_system.h), so that what is tested on recordings is what runs here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/answers.h"

namespace whyfail::probes {

enum class SystemKind { linux_kernel, windows, darwin };

// No function throws. Paths are absolute, as the machine writes them ("C:\a" on Windows).
class System {
 public:
  virtual ~System() = default;

  virtual SystemKind kind() const = 0;
  // "this machine", or where the recording lies: the beginning of every origin.
  virtual std::string origin() const = 0;

  // The text of a file; none if it is not there or cannot be read. At most 16 MiB of it.
  virtual std::optional<std::string> read(std::string_view path) const = 0;
  virtual bool exists(std::string_view path) const = 0;
  virtual bool is_folder(std::string_view path) const = 0;
  // Names in a folder, sorted; empty if there is none.
  virtual std::vector<std::string> list(std::string_view folder) const = 0;

  virtual std::map<std::string, std::string> environment() const = 0;
  virtual std::string working_folder() const = 0;
  // Where the path really leads (links followed); a recording has no links.
  virtual std::string resolved(std::string_view path) const { return std::string(path); }
  // The folder itself need not exist: then of the nearest one above that does.
  virtual std::optional<FileSystemFigures> file_system(std::string_view path) const = 0;

  virtual NvidiaAnswer nvidia() const = 0;
  virtual std::optional<LevelZeroAnswer> level_zero() const = 0;
  // Whether an AMD GPU shares the machine's memory (AMDGPU_IDS_FLAGS_FUSION); none: could not be asked.
  virtual std::optional<bool> amd_fusion(std::string_view pci_address) const = 0;
  virtual std::optional<WindowsAnswer> windows() const = 0;
  virtual std::optional<DarwinAnswer> darwin() const = 0;

  // A variable that is set and not empty.
  std::optional<std::string> variable(std::string_view name) const;
};

}  // namespace whyfail::probes
