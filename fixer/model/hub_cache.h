// Where a name leads: a folder on this machine, the Hugging Face cache, or nowhere.
// Cache layout: huggingface_hub 0.25, "Understand caching": models--ORG--NAME/refs/main holds a commit,
// snapshots/COMMIT holds the files (links into blobs).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whyfail::fixer {

// The folder that `name` means as a path seen from `working_folder`: itself, or the one that holds the named file
// (config.json, model.safetensors). nullopt: no such folder.
std::optional<std::filesystem::path> local_folder(std::string_view name, const std::filesystem::path& working_folder);

// The snapshot of a model id in the first cache folder that has it. `revision`: a branch, tag or commit; empty: main.
std::optional<std::filesystem::path> cached_snapshot(std::string_view model_id, std::string_view revision,
                                                     const std::vector<std::filesystem::path>& cache_folders);

}  // namespace whyfail::fixer
