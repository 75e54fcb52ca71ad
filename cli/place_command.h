// `whyfail place --trees DIR`: answers placement requests, one JSON object a line.
#pragma once

#include <filesystem>
#include <iosfwd>

namespace whyfail::cli {

// Reads requests from `in` until it ends and writes one answer a line to `out`; holds one request at a time. Returns
// the exit status: 0 though single answers hold errors, 2 when the folder of trees can't be read (said on `errors`).
// Trees and contexts that a request holds itself need no folder: `trees` may be empty.
int place(std::istream& in, std::ostream& out, std::ostream& errors, const std::filesystem::path& trees);

}  // namespace whyfail::cli
