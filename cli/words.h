// Pieces of sentences that the text and the Markdown report share. Unmasked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/diagnose.h"

namespace whyfail::cli {

std::string size_text(std::uint64_t bytes);            // "22.5 GiB"
std::string device_text(const fixer::Device& device);  // "GPU 0", "CPU", "disk", "mps"

// {capture} names in the texts of an entry are replaced by what the paste says.
std::string filled_in(const std::string& text, const std::map<std::string, std::string>& captures);

// "transformers 4.44.1 or 4.44.2 (from the frames), accelerate not known; 0.33.0 was current"
std::string releases_words(const Facts& facts);

// A row each for GPUs, memory and disks: name and figures. Empty: nothing is known.
struct Row {
  std::string name;
  std::string says;
};
std::vector<Row> machine_rows(const Facts& facts);
std::string model_words(const fixer::Model& model);
// A row a device: weights, budget, what is left free and why.
std::vector<Row> placement_rows(const fixer::Fix& fix);
std::string change_words(const fixer::Change& change);
// The exception line that was read where no failure is known; empty: none.
std::string last_error_words(const Diagnosis& diagnosis);

}  // namespace whyfail::cli
