// whyfail-kb-build [--keep-going | --coverage] DATA_FOLDER FILE: run by the build; prints what is wrong with the data
// and fails. With --keep-going it leaves out what is wrong and makes the image from the rest. With --coverage it writes
// the page about what is covered (docs/coverage.md) instead of the image.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "kb/build/build.h"

int main(int argument_count, char** arguments) {
  const bool keep_going = argument_count > 1 && std::strcmp(arguments[1], "--keep-going") == 0;
  const bool coverage = argument_count > 1 && std::strcmp(arguments[1], "--coverage") == 0;
  if (argument_count != (keep_going || coverage ? 4 : 3)) {
    std::fputs("usage: whyfail-kb-build [--keep-going | --coverage] DATA_FOLDER FILE\n", stderr);
    return 2;
  }
  const char* const folder = arguments[argument_count - 2];
  const char* const target = arguments[argument_count - 1];
  const whyfail::kb::BuildResult built = whyfail::kb::build_image(folder);
  for (const whyfail::kb::Finding& finding : built.findings) {
    std::fprintf(stderr, "%s/%s:%d: %s\n", folder, finding.file.c_str(), finding.line, finding.reason.c_str());
  }
  if (built.image.empty() || (!built.findings.empty() && !keep_going)) return 1;
  const std::string& text = coverage ? built.coverage : built.image;
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "%s: cannot be written\n", target);
    return 2;
  }
  return 0;
}
