// A System that answers from a folder.
#include "probes/recorded_system.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "probes/answers_json.h"
#include "probes/paths.h"

namespace whyfail::probes {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_file = 16U << 20U;

std::optional<std::string> file_text(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(file, error))) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text;
  char block[8192];
  while (text.size() < largest_file && (stream.read(block, sizeof block), stream.gcount() > 0)) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

class RecordedSystem final : public System {
 public:
  explicit RecordedSystem(const fs::path& folder) : folder_(folder) {
    windows_text_ = file_text(folder / "windows.json");
    darwin_text_ = file_text(folder / "darwin.json");
    environment_ = strings_from(file_text(folder / "environment.json").value_or("{}"));
    unreadable_ = strings_from(file_text(folder / "unreadable.json").value_or("{}"));
    file_systems_ = file_systems_from(file_text(folder / "statfs.json").value_or("{}"));
    fusion_ = amd_fusion_from(file_text(folder / "amdgpu.json").value_or("{}"));
    working_folder_ = file_text(folder / "cwd").value_or("/");
    working_folder_ = working_folder_.substr(0, working_folder_.find_first_of("\r\n"));
  }

  SystemKind kind() const override {
    if (windows_text_) return SystemKind::windows;
    return darwin_text_ ? SystemKind::darwin : SystemKind::linux_kernel;
  }

  std::string origin() const override { return "recording " + folder_.filename().string(); }

  std::optional<std::string> read(std::string_view path) const override {
    if (is_unreadable(path)) return std::nullopt;
    const auto file = inside(path);
    return file ? file_text(*file) : std::nullopt;
  }

  bool exists(std::string_view path) const override {
    if (is_unreadable(path)) return true;
    const auto file = inside(path);
    std::error_code error;
    return file && fs::exists(fs::symlink_status(*file, error));
  }

  bool is_folder(std::string_view path) const override {
    if (holds_unreadable(path)) return true;
    const auto file = inside(path);
    std::error_code error;
    return file && fs::is_directory(fs::symlink_status(*file, error));
  }

  std::vector<std::string> list(std::string_view folder) const override {
    std::vector<std::string> names;
    if (!is_folder(folder) || is_unreadable(folder)) return names;
    std::error_code error;
    const auto place = inside(folder);
    for (fs::directory_iterator entry(place.value_or(fs::path()), error), end; !error && entry != end;
         entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    add_unreadable_names(folder, names);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  std::map<std::string, std::string> environment() const override { return environment_; }
  std::string working_folder() const override { return working_folder_; }

  std::optional<FileSystemFigures> file_system(std::string_view path) const override {
    const std::string* longest = nullptr;
    for (const auto& [prefix, figures] : file_systems_) {
      if (is_below(path, prefix, kind()) && (longest == nullptr || prefix.size() > longest->size())) longest = &prefix;
    }
    if (longest == nullptr) return std::nullopt;
    return file_systems_.at(*longest);
  }

  NvidiaAnswer nvidia() const override { return nvidia_from(file_text(folder_ / "nvidia.json").value_or("{}")); }

  std::optional<LevelZeroAnswer> level_zero() const override {
    const auto text = file_text(folder_ / "levelzero.json");
    if (!text) return std::nullopt;
    return level_zero_from(*text);
  }

  std::optional<bool> amd_fusion(std::string_view pci_address) const override {
    const auto found = fusion_.find(std::string(pci_address));
    if (found == fusion_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<WindowsAnswer> windows() const override {
    if (!windows_text_) return std::nullopt;
    return windows_from(*windows_text_);
  }

  std::optional<DarwinAnswer> darwin() const override {
    if (!darwin_text_) return std::nullopt;
    return darwin_from(*darwin_text_);
  }

 private:
  bool is_unreadable(std::string_view path) const {
    return std::any_of(unreadable_.begin(), unreadable_.end(),
                       [&](const auto& entry) { return same_path(path, entry.first, kind()); });
  }

  // A file that cannot be read is there all the same, and so are the folders above it.
  bool holds_unreadable(std::string_view folder) const {
    return std::any_of(unreadable_.begin(), unreadable_.end(), [&](const auto& entry) {
      return is_below(entry.first, folder, kind()) && !same_path(entry.first, folder, kind());
    });
  }

  void add_unreadable_names(std::string_view folder, std::vector<std::string>& names) const {
    const std::size_t depth = components(folder, kind()).size();
    for (const auto& [path, error] : unreadable_) {
      const auto parts = components(path, kind());
      if (parts.size() > depth && is_below(path, folder, kind())) names.push_back(parts[depth]);
    }
  }

  // The file of the recording for a path of the machine; none if a link would lead elsewhere.
  std::optional<fs::path> inside(std::string_view path) const {
    fs::path file = folder_ / "root";
    std::error_code error;
    for (const std::string& part : components(path, kind())) {
      if (part.find('\0') != std::string::npos || part.find('/') != std::string::npos) return std::nullopt;
      file /= part;
      if (fs::is_symlink(fs::symlink_status(file, error))) return std::nullopt;
    }
    return file;
  }

  fs::path folder_;
  std::optional<std::string> windows_text_;
  std::optional<std::string> darwin_text_;
  std::map<std::string, std::string> environment_;
  std::map<std::string, std::string> unreadable_;
  std::map<std::string, FileSystemFigures> file_systems_;
  std::map<std::string, bool> fusion_;
  std::string working_folder_;
};

}  // namespace

std::unique_ptr<System> recorded_system(const fs::path& folder) {
  std::error_code error;
  for (const char* part : {"environment.json", "statfs.json", "root", "windows.json", "darwin.json", "nvidia.json"}) {
    if (fs::exists(folder / part, error)) return std::make_unique<RecordedSystem>(folder);
  }
  return nullptr;
}

}  // namespace whyfail::probes
