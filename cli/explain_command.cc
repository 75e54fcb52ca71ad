// whyfail [FILE...]: explains pasted text.
#include "cli/commands.h"
#include "cli/diagnose.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/report.h"

namespace whyfail::cli {
namespace {

std::string printed(const Diagnosis& diagnosis, const Options& options) {
  if (options.format == Format::json) return report_json(diagnosis);
  if (options.quiet) return report_call(diagnosis);
  if (options.format == Format::markdown) return report_markdown(diagnosis);
  return report_text(diagnosis, colors_wanted(options.color));
}

}  // namespace

int explain_command(const Options& options) {
  const Knowledge knowledge(options.kb_files);
  const std::vector<std::string> files = options.words.empty() ? std::vector<std::string>{"-"} : options.words;
  const fixer::ReadSource read_source = [&](const std::string& file) {
    return options.no_probe ? std::nullopt : read_text_file(file);
  };
  bool all_explained = true;
  for (const std::string& file : files) {
    const Diagnosis diagnosis = diagnose(*open_paste(file), knowledge, options, read_source);
    all_explained = all_explained && diagnosis.status == Status::explained;
    if (files.size() > 1 && options.format == Format::text && !options.quiet) print("\n== " + file + "\n");
    print(printed(diagnosis, options));
  }
  return all_explained ? 0 : 1;
}

}  // namespace whyfail::cli
