// Files, environment, statfs and drivers of this machine.
#include "probes/real_system.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "probes/amdgpu_fusion.h"
#ifdef __APPLE__
#include <sys/mount.h>
#include <sys/param.h>

#include "probes/darwin_answer.h"
#endif
#include "probes/measure.h"

extern char** environ;

namespace whyfail::probes {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_file = 16U << 20U;

Figure figure(std::uint64_t blocks, std::uint64_t size) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(blocks, size, &bytes) || bytes >> 63U != 0) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

// The mount table gives the type on Linux.
std::string type_of([[maybe_unused]] const fs::path& folder) {
#ifdef __APPLE__
  struct statfs figures {};
  if (statfs(folder.c_str(), &figures) == 0) return figures.f_fstypename;
#endif
  return {};
}

class RealSystem final : public System {
 public:
  explicit RealSystem(NvidiaLibraries libraries) : libraries_(std::move(libraries)) {}

#ifdef __APPLE__
  SystemKind kind() const override { return SystemKind::darwin; }
  std::optional<DarwinAnswer> darwin() const override { return ask_darwin(); }
#else
  SystemKind kind() const override { return SystemKind::linux_kernel; }
  std::optional<DarwinAnswer> darwin() const override { return std::nullopt; }
#endif
  std::string origin() const override { return "this machine"; }

  std::optional<std::string> read(std::string_view path) const override {
    std::error_code error;
    if (!fs::is_regular_file(fs::status(fs::path(path), error))) return std::nullopt;
    std::ifstream file{std::string(path), std::ios::binary};
    if (!file) return std::nullopt;
    std::string text;
    char block[8192];
    while (text.size() < largest_file && (file.read(block, sizeof block), file.gcount() > 0)) {
      text.append(block, static_cast<std::size_t>(file.gcount()));
    }
    if (file.bad()) return std::nullopt;
    return text;
  }

  bool exists(std::string_view path) const override {
    std::error_code error;
    return fs::exists(fs::path(path), error);
  }

  bool is_folder(std::string_view path) const override {
    std::error_code error;
    return fs::is_directory(fs::path(path), error);
  }

  std::vector<std::string> list(std::string_view folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(fs::path(folder), error), end; !error && entry != end; entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::map<std::string, std::string> environment() const override {
    std::map<std::string, std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos) all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return all;
  }

  std::string working_folder() const override {
    std::error_code error;
    const fs::path folder = fs::current_path(error);
    return error ? "/" : folder.string();
  }

  std::string resolved(std::string_view path) const override {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(fs::path(path), error);
    return error ? std::string(path) : real.string();
  }

  std::optional<FileSystemFigures> file_system(std::string_view path) const override {
    struct statvfs figures {};
    fs::path folder{std::string(path)};
    while (statvfs(folder.c_str(), &figures) != 0) {
      if (!folder.has_relative_path()) return std::nullopt;
      folder = folder.parent_path();
    }
    return FileSystemFigures{type_of(folder), figure(figures.f_blocks, figures.f_frsize),
                             figure(figures.f_bavail, figures.f_frsize), (figures.f_flag & ST_RDONLY) != 0};
  }

  NvidiaAnswer nvidia() const override { return ask_nvidia(libraries_, variable("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"); }

  // Level Zero is not opened here; cards are listed from sysfs and the reason is given.
  std::optional<LevelZeroAnswer> level_zero() const override { return std::nullopt; }
  std::optional<bool> amd_fusion(std::string_view pci_address) const override {
    return amdgpu_fusion(std::string(pci_address));
  }
  std::optional<WindowsAnswer> windows() const override { return std::nullopt; }

 private:
  NvidiaLibraries libraries_;
};

}  // namespace

std::unique_ptr<System> real_system(NvidiaLibraries libraries) {
  return std::make_unique<RealSystem>(std::move(libraries));
}

Machine measure(const ProbeRequest& request) { return measured(*real_system(), request); }

}  // namespace whyfail::probes
