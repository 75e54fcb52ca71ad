// Tells by path: packages and the standard library lie in folders with fixed names (sysconfig's install schemes).
#include "fixer/call/user_frames.h"

#include <algorithm>
#include <array>
#include <string>

namespace whyfail::fixer {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Folders and files of the standard library that show up under failing code; Windows keeps them right under "Lib".
constexpr std::array<std::string_view, 19> standard_modules = {
    "asyncio/",      "concurrent/",  "multiprocessing/", "importlib/", "json/",     "logging/",
    "urllib/",       "http/",        "unittest/",        "re/",        "runpy.py",  "threading.py",
    "contextlib.py", "functools.py", "subprocess.py",    "pickle.py",  "socket.py", "ssl.py",
    "traceback.py"};

bool in_windows_library(std::string_view path) {
  const std::size_t folder = path.rfind("/lib/");
  if (folder == std::string_view::npos) return false;
  const std::string_view inside = path.substr(folder + 5);
  const std::string_view before = path.substr(0, folder);
  const bool of_python = has(before, "python") || has(before, "conda") || has(before, "/envs/") ||
                         has(before, "miniforge") || has(before, "/env");
  return of_python || std::any_of(standard_modules.begin(), standard_modules.end(),
                                  [&](std::string_view name) { return inside.substr(0, name.size()) == name; });
}

// Packages put beside a script or on PYTHONPATH (pip install --target): told by a folder of the package's name and a
// file of its own behind it.
struct Package {
  std::string_view folder;
  std::array<std::string_view, 8> files;
};
constexpr std::array<Package, 7> packages = {{
    {"/transformers/",
     {"modeling_utils.py", "models/", "integrations/", "pipelines/", "quantizers/", "utils/", "generation/",
      "trainer.py"}},
    {"/transformers/",
     {"core_model_loading.py", "configuration_utils.py", "dynamic_module_utils.py", "tokenization_utils",
      "initialization.py", "cache_utils.py", "safetensors_conversion.py", "image_processing"}},
    {"/accelerate/",
     {"big_modeling.py", "hooks.py", "utils/", "accelerator.py", "state.py", "commands/", "launchers.py",
      "data_loader.py"}},
    {"/torch/",
     {"nn/", "_tensor.py", "utils/", "serialization.py", "cuda/", "_utils.py", "storage.py", "distributed/"}},
    {"/diffusers/",
     {"pipelines/", "models/", "loaders/", "utils/", "configuration_utils.py", "hooks/", "quantizers/", "hooks/"}},
    {"/peft/",
     {"peft_model.py", "tuners/", "utils/", "mapping", "auto.py", "config.py", "helpers.py", "mixed_model.py"}},
    {"/bitsandbytes/",
     {"nn/", "autograd/", "functional.py", "_ops.py", "backends/", "cextension.py", "cuda_setup/", "optim/"}},
}};

bool in_package(std::string_view path) {
  return std::any_of(packages.begin(), packages.end(), [&](const Package& package) {
    const std::size_t folder = path.rfind(package.folder);
    if (folder == std::string_view::npos) return false;
    const std::string_view inside = path.substr(folder + package.folder.size());
    return std::any_of(package.files.begin(), package.files.end(),
                       [&](std::string_view file) { return inside.substr(0, file.size()) == file; });
  });
}

}  // namespace

bool is_users_own(std::string_view file) {
  if (file.empty()) return true;
  std::string path(file);
  const bool windows = file.find('\\') != std::string_view::npos || (file.size() > 2 && file[1] == ':');
  for (char& byte : path) {
    if (byte == '\\') byte = '/';
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  for (std::size_t twice = 0; (twice = path.find("//", twice)) != std::string::npos;) path.erase(twice, 1);
  if (has(path, "site-packages/") || has(path, "dist-packages/") || has(path, "<frozen") ||
      has(path, "<__array_function__"))
    return false;
  if (has(path, "lib/python3") || has(path, "lib/python2") || has(path, "lib64/python3") ||
      (windows && in_windows_library(path)))
    return false;
  if (in_package(path)) return false;
  if (has(path, "src/transformers/") || has(path, "src/accelerate/") || has(path, "src/diffusers/") ||
      has(path, "src/peft/"))
    return false;
  const bool script = path.size() > 3 && path.compare(path.size() - 3, 3, ".py") == 0;
  if (!script && (has(path, "/bin/") || has(path, "/scripts/"))) return false;  // launchers: torchrun, accelerate
  const auto ends = [&](std::string_view end) {
    return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  return !(ends(".pyx") || ends(".so") || ends(".cpp") || ends(".pxi"));
}

}  // namespace whyfail::fixer
