// Puts image files together and takes them apart again.
#include "kb/image_layout.h"

#include <cstdint>

namespace whyfail::kb {
namespace {

constexpr std::string_view mark = "whyfail1";
constexpr std::size_t footer_size = 24;
constexpr std::string_view sqlite_mark("SQLite format 3\0", 16);

void append_size(std::string& bytes, std::uint64_t size) {
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>((size >> shift) & 0xffU));
}

std::uint64_t size_at(std::string_view bytes, std::size_t position) {
  std::uint64_t size = 0;
  for (std::size_t i = 8; i-- > 0;) size = size << 8U | static_cast<unsigned char>(bytes[position + i]);
  return size;
}

}  // namespace

std::string assemble_image(std::string_view database, std::string_view filter) {
  std::string image;
  image.reserve(database.size() + filter.size() + footer_size);
  image.append(database).append(filter);
  append_size(image, database.size());
  append_size(image, filter.size());
  image.append(mark);
  return image;
}

std::optional<ImageParts> image_parts(std::string_view image) {
  if (image.size() < footer_size || image.substr(image.size() - mark.size()) != mark) return std::nullopt;
  const std::size_t footer = image.size() - footer_size;
  const std::uint64_t database = size_at(image, footer);
  const std::uint64_t filter = size_at(image, footer + 8);
  if (database > footer || filter != footer - database) return std::nullopt;
  if (image.substr(0, sqlite_mark.size()) != sqlite_mark) return std::nullopt;
  return ImageParts{image.substr(0, database), image.substr(database, filter)};
}

}  // namespace whyfail::kb
