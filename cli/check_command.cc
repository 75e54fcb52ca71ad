// whyfail check FILE.py...: what will fail, before it runs.
#include "cli/check_findings.h"
#include "cli/commands.h"
#include "cli/facts.h"
#include "cli/input.h"
#include "cli/output.h"

namespace whyfail::cli {

int check_command(const Options& options) {
  std::vector<CheckedFile> files;
  for (const std::string& file : options.words) {
    auto text = read_text_file(file);
    if (!text) throw Failure(file + ": cannot be read, or is no file of at most 16 MiB");
    files.push_back({file, std::move(*text)});
  }
  const Knowledge knowledge(options.kb_files);
  const probes::Machine machine = machine_for(options);
  const CheckContext context{knowledge, machine, options, releases_to_check(options, machine, knowledge.shipped())};
  std::vector<Finding> findings;
  for (const CheckedFile& file : files) {
    CheckedCalls checked = findings_in(file.name, file.text, context);
    if (checked.cut) {
      print_error(file.name + ": holds more loading calls than are looked at; the first " + std::to_string(most_calls) +
                  " were checked");
    }
    for (Finding& finding : checked.findings) findings.push_back(std::move(finding));
  }
  switch (options.format) {
    case Format::json:
      print(findings_json(findings, files.size()));
      break;
    case Format::sarif:
      print(findings_sarif(findings, files));
      break;
    case Format::text:
    case Format::markdown:
      print(findings_text(findings));
      break;
  }
  return findings.empty() ? 0 : 1;
}

}  // namespace whyfail::cli
