// The knowledge base is built without knowing the fixer; here both are known.
#include "cli/kb_strategies.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fixer/plan/strategy.h"

namespace whyfail::cli {
namespace {

// Recipes that propose a command or another call, not an edit of the loading call (fixer/plan/commands.cc).
constexpr std::array<std::string_view, 4> without_edit = {"install-package", "environment-line", "restart-kernel",
                                                          "shrink-generation"};

std::vector<std::string_view> all_strategies() {
  std::vector<std::string_view> names(without_edit.begin(), without_edit.end());
  for (const fixer::Strategy& strategy : fixer::strategies()) names.push_back(strategy.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void add_unknown_strategies(kb::BuildResult& result) {
  const std::vector<std::string_view> names = all_strategies();
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  for (const kb::RecipeUse& recipe : result.recipes) {
    if (recipe.strategy.empty() || std::binary_search(names.begin(), names.end(), recipe.strategy)) continue;
    result.findings.push_back(
        {recipe.file, recipe.line, "there is no strategy '" + recipe.strategy + "'; there are " + list});
  }
  std::stable_sort(result.findings.begin(), result.findings.end(), [](const auto& left, const auto& right) {
    return std::tie(left.file, left.line) < std::tie(right.file, right.line);
  });
}

}  // namespace whyfail::cli
