// zlib reads plain files as they are, so one call serves both.
#include "cli/gzip_file.h"

#include <zlib.h>

#include <memory>

namespace whyfail::cli {

std::optional<std::string> read_gzip_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return std::nullopt;
  std::string content;
  char block[1 << 16];
  while (true) {
    const int count = gzread(file.get(), block, sizeof block);
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    content.append(block, static_cast<std::size_t>(count));
    if (content.size() > most_bytes) return std::nullopt;
  }
  int status = Z_OK;
  gzerror(file.get(), &status);
  if (status != Z_OK) return std::nullopt;
  return content;
}

}  // namespace whyfail::cli
