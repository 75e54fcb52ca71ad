// How an image file is laid out: an ordinary SQLite database, then the anchor filter, then a footer of 24 bytes:
// database size, filter size (both 8 bytes, little endian), "whyfail1". The filter stands outside of the tables so
// that a paste in which no anchor is seen is answered without opening the database.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace whyfail::kb {

struct ImageParts {
  std::string_view database;
  std::string_view filter;
};

std::string assemble_image(std::string_view database, std::string_view filter);
// Views into `image`; nullopt: not an image of this layout.
std::optional<ImageParts> image_parts(std::string_view image);

}  // namespace whyfail::kb
