// schema.sql as text, put into the build tool by the build.
#pragma once

#include <string_view>

namespace whyfail::kb {

std::string_view schema();
inline constexpr std::string_view format_version = "2";

}  // namespace whyfail::kb
