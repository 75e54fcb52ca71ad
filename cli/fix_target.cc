// Takes the names in frames to the file that the user has given.
#include "cli/fix_target.h"

#include <filesystem>

#include "cli/commands.h"
#include "cli/input.h"

namespace whyfail::cli {
namespace {

namespace fs = std::filesystem;

std::string last_part(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool of_a_package(const fs::path& file) {
  for (const fs::path& part : file) {
    if (part == "site-packages" || part == "dist-packages") return true;
  }
  return false;
}

bool inside(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// A frame's file in a folder: the path itself where it lies inside, else the same name under the folder, with as much
// of its path as is there.
std::optional<std::string> in_folder(const std::string& folder, const std::string& frame_file) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return std::nullopt;
  std::string rest = frame_file;
  for (;;) {
    const fs::path file = fs::canonical(fs::path(rest).is_absolute() ? fs::path(rest) : root / rest, error);
    if (!error && fs::is_regular_file(file, error) && inside(file, root) && !of_a_package(file)) return file.string();
    const std::size_t slash = rest.find_first_of("/\\", rest.empty() || (rest[0] != '/' && rest[0] != '\\') ? 0 : 1);
    if (slash == std::string::npos) return std::nullopt;
    rest = rest.substr(slash + 1);
  }
}

}  // namespace

FixTarget::FixTarget(std::string named) : named_(std::move(named)) {
  std::error_code error;
  folder_ = fs::is_directory(named_, error);
  if (folder_) return;
  if (of_a_package(fs::absolute(named_, error)) || of_a_package(fs::canonical(named_, error)))
    throw Failure(named_ + ": belongs to an installed package; give the script that calls it");
  open(named_);
}

void FixTarget::open(const std::string& file) {
  const std::optional<std::string> text = read_text_file(file);
  if (!text) throw Failure(file + ": cannot be read, or is no file of at most 16 MiB");
  file_ = file;
  text_ = *text;
  notebook_.reset();
  if (!file.ends_with(".ipynb")) return;
  notebook_ = Notebook::read(text_);
  if (!notebook_) throw Failure(file + ": is no notebook that can be read (JSON with cells)");
}

std::optional<std::string> FixTarget::code(const std::string& frame_file) {
  if (folder_) {
    const auto file = in_folder(named_, frame_file);
    if (!file || file->ends_with(".ipynb")) return std::nullopt;
    open(*file);
    return code_ = text_;
  }
  if (!notebook_) {
    if (last_part(frame_file) != last_part(file_)) return std::nullopt;
    return code_ = text_;
  }
  const auto cell = notebook_->cell_named(frame_file);
  if (!cell) return std::nullopt;
  cell_ = *cell;
  return code_ = notebook_->cells()[cell_].source;
}

std::string FixTarget::name() const {
  if (!notebook_) return file_.empty() ? named_ : file_;
  if (code_.empty()) return file_;
  const auto& count = notebook_->cells()[cell_].execution_count;
  return file_ + (count ? ", cell " + std::to_string(*count) : ", the cell that failed");
}

std::string FixTarget::file_with(const std::string& new_code) const {
  return notebook_ ? notebook_->with_source(cell_, new_code) : new_code;
}

}  // namespace whyfail::cli
