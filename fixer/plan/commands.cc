// Makes shell lines of the recipes that are no edits.
#include "fixer/plan/commands.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "fixer/placement/rules.h"
#include "fixer/plan/budget.h"
#include "probes/memory_error.h"

namespace whyfail::fixer {
namespace {

std::string setting(const kb::Recipe& recipe, std::string_view name) {
  for (const auto& [key, value] : recipe.settings) {
    if (key == name) return value;
  }
  return {};
}

std::string captured(const Situation& situation, const std::string& name) {
  if (situation.match == nullptr) return {};
  const auto at = situation.match->captures.find(name);
  return at == situation.match->captures.end() ? std::string() : at->second;
}

bool in_notebook(const Situation& situation) {
  if (situation.reading == nullptr) return false;
  constexpr std::array<std::string_view, 4> cells = {"Cell In", "Input In", "<ipython-input", "ipykernel_"};
  for (const matchers::Chain& chain : situation.reading->chains) {
    for (const matchers::Raised& raised : chain.raised) {
      for (const matchers::Frame& frame : raised.frames) {
        if (std::any_of(cells.begin(), cells.end(),
                        [&](std::string_view cell) { return frame.file.find(cell) != std::string::npos; }))
          return true;
      }
    }
  }
  return false;
}

bool on_windows(const Situation& situation) {
  return situation.machine != nullptr && situation.machine->os && situation.machine->os->name == "windows";
}

// "accelerate" or "accelerate>=0.26.0": a name and one comparison, nothing that a shell would read; empty: neither.
std::string requirement_in(std::string text) {
  text.erase(
      std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\'' || c == '"' || c == '`'; }),
      text.end());
  const auto letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
  };
  const auto name_end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), letter) - text.begin());
  if (name_end == 0 || std::isalnum(static_cast<unsigned char>(text.front())) == 0) return {};
  std::string name = text.substr(0, name_end);
  if (text.size() > name_end + 2 && text.substr(name_end, 2) == ">=") {
    const std::string version =
        text.substr(name_end + 2, text.find_first_not_of("0123456789.", name_end + 2) - name_end - 2);
    if (!version.empty()) return name + ">=" + version.substr(0, version.find_last_not_of('.') + 1);
  }
  return name;
}

std::string install_line(const Situation& situation, const std::string& package) {
  const std::string quoted = package.find('>') == std::string::npos ? package : '"' + package + '"';
  return (in_notebook(situation) ? "%pip install -U " : "python -m pip install -U ") + quoted;
}

std::optional<Command> install_package(const Situation& situation, const kb::Recipe& recipe) {
  std::string package = setting(recipe, "package");
  if (package == "{package}") package = captured(situation, "package");
  package = requirement_in(package);
  const std::string stated = requirement_in(captured(situation, "requirement"));
  if (stated.rfind(package, 0) == 0) package = stated;
  if (package.empty()) return std::nullopt;
  if (in_notebook(situation)) return Command{install_line(situation, package), "in a cell of this notebook"};
  std::string why = "with the python that failed";
  if (package == "torch")
    why += "; for another CUDA than the default, and on Windows, with the index that pytorch.org names";
  return Command{install_line(situation, package), why};
}

// Only where torch holds more unused memory than the request asked for, in pieces: more than is free in one.
std::optional<Command> environment_line(const Situation& situation, const kb::Recipe& recipe) {
  const std::string line = setting(recipe, "line");
  if (situation.match == nullptr || line.empty() || on_windows(situation)) return std::nullopt;
  const auto error = probes::memory_error(situation.match->message);
  if (!error || !error->unallocated_bytes || *error->unallocated_bytes < error->requested_bytes) return std::nullopt;
  return Command{line, "torch holds " + readable_size(*error->unallocated_bytes) +
                           " in pieces that are too small for " + readable_size(error->requested_bytes) +
                           "; with it the pieces can grow"};
}

std::optional<Command> restart_kernel(const Situation& situation) {
  if (!in_notebook(situation)) return std::nullopt;
  return Command{"", "restart the kernel: what was imported before the installation stays the old one"};
}

}  // namespace

std::optional<Command> newer_torch(const Situation& situation, const Model& model,
                                   const std::vector<ReleasePair>& releases) {
  if (model.safetensors || situation.machine == nullptr) return std::nullopt;
  const auto installed = situation.machine->packages.find("torch");
  if (installed == situation.machine->packages.end()) return std::nullopt;
  const auto torch = kb::Release::parse(installed->second);
  for (const ReleasePair& pair : releases) {
    const auto needed = rules_for(pair.transformers, pair.accelerate).pickle_needs_torch;
    if (!torch || !needed || !(*torch < *needed)) continue;
    return Command{install_line(situation, "torch>=" + needed->text()),
                   "the weights are .bin files, which transformers " + pair.transformers.text() +
                       " opens only with that torch; " + installed->second +
                       " is installed. A copy of the model with safetensors files does without"};
  }
  return std::nullopt;
}

std::vector<Command> commands_for(const Situation& situation) {
  std::vector<Command> commands;
  if (!situation.failure) return commands;
  for (const kb::Recipe& recipe : situation.failure->recipes) {
    std::optional<Command> command;
    if (recipe.strategy == "install-package") command = install_package(situation, recipe);
    if (recipe.strategy == "environment-line") command = environment_line(situation, recipe);
    if (recipe.strategy == "restart-kernel") command = restart_kernel(situation);
    if (command) commands.push_back(std::move(*command));
  }
  return commands;
}

}  // namespace whyfail::fixer
