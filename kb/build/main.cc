// whyfail-kb-build DATA_FOLDER IMAGE: run by the build; prints what is wrong with the data and fails.
#include <cstdio>
#include <fstream>

#include "kb/build/build.h"

int main(int argument_count, char** arguments) {
  if (argument_count != 3) {
    std::fputs("usage: whyfail-kb-build DATA_FOLDER IMAGE\n", stderr);
    return 2;
  }
  const whyfail::kb::BuildResult built = whyfail::kb::build_image(arguments[1]);
  for (const whyfail::kb::Finding& finding : built.findings) {
    std::fprintf(stderr, "%s/%s:%d: %s\n", arguments[1], finding.file.c_str(), finding.line, finding.reason.c_str());
  }
  if (!built.findings.empty()) return 1;
  std::ofstream file(arguments[2], std::ios::binary | std::ios::trunc);
  file.write(built.image.data(), static_cast<std::streamsize>(built.image.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "%s: cannot be written\n", arguments[2]);
    return 2;
  }
  return 0;
}
