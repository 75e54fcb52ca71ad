// whyfail-kb-build [--keep-going] DATA_FOLDER IMAGE: run by the build; prints what is wrong with the data and fails.
// With --keep-going it leaves out what is wrong and makes the image from the rest.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "kb/build/build.h"

int main(int argument_count, char** arguments) {
  const bool keep_going = argument_count > 1 && std::strcmp(arguments[1], "--keep-going") == 0;
  if (argument_count != (keep_going ? 4 : 3)) {
    std::fputs("usage: whyfail-kb-build [--keep-going] DATA_FOLDER IMAGE\n", stderr);
    return 2;
  }
  const char* const folder = arguments[argument_count - 2];
  const char* const image = arguments[argument_count - 1];
  const whyfail::kb::BuildResult built = whyfail::kb::build_image(folder);
  for (const whyfail::kb::Finding& finding : built.findings) {
    std::fprintf(stderr, "%s/%s:%d: %s\n", folder, finding.file.c_str(), finding.line, finding.reason.c_str());
  }
  if (built.image.empty() || (!built.findings.empty() && !keep_going)) return 1;
  std::ofstream file(image, std::ios::binary | std::ios::trunc);
  file.write(built.image.data(), static_cast<std::streamsize>(built.image.size()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "%s: cannot be written\n", image);
    return 2;
  }
  return 0;
}
