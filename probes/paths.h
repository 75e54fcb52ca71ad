// Paths of a machine that need not be this one, as text: Windows paths are understood on Linux and the other way round.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/system.h"

namespace whyfail::probes {

// The parts of an absolute path without separators, "." dropped and ".." applied; on Windows the drive letter is the
// first, in upper case, without its colon.
std::vector<std::string> components(std::string_view path, SystemKind kind);
bool is_absolute(std::string_view path, SystemKind kind);
// Whole components decide; letter case does not on Windows. A path is below itself.
bool is_below(std::string_view path, std::string_view folder, SystemKind kind);
bool same_path(std::string_view left, std::string_view right, SystemKind kind);
std::string parent_of(std::string_view path, SystemKind kind);
std::string name_of(std::string_view path, SystemKind kind);
// `folder` and `name` with the machine's separator; `name` alone if it is absolute.
std::string joined(std::string_view folder, std::string_view name, SystemKind kind);

}  // namespace whyfail::probes
