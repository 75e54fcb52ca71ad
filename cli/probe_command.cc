// whyfail probe: what machine it sees, and where each figure comes from.
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/mask.h"
#include "cli/output.h"
#include "cli/words.h"
#include "probes/sources.h"

namespace whyfail::cli {
namespace {

std::string probe_text(const probes::Machine& machine) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& says) {
    if (!says.empty()) text += name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + says + "\n";
  };
  if (machine.os) {
    line("system", machine.os->name + " " + machine.os->version + (machine.os->wsl ? " (WSL)" : "") +
                       (machine.os->container ? " in " + *machine.os->container : ""));
  }
  Facts facts;
  facts.machine = machine;
  for (const Row& row : machine_rows(facts)) line(row.name, row.says);
  line("Python", machine.python + (machine.python_origin.empty() ? "" : ", " + machine.python_origin));
  for (const auto& [name, version] : machine.packages) line(name, version);
  for (const auto& [name, value] : machine.environment) line(name, value);
  for (const auto& [group, reason] : machine.unknown) line(group, "not known: " + reason);
  return text;
}

}  // namespace

int probe_command(const Options& options) {
  const probes::Machine machine = machine_for(options);
  print(options.format == Format::json ? masked(probes::machine_json(machine)) + "\n" : masked(probe_text(machine)));
  return 0;
}

}  // namespace whyfail::cli
