// Answers one placement request.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/place_request.h"

namespace whyfail::cli {

// {"device_map", "max_memory", "buffer_warning"} as far as the entry has them, or {"error", "message", …}.
// `argument`: the request's device_map as it was written, for arguments that the library passes on unread.
nlohmann::json answer(const PlaceRequest& request, const nlohmann::json& argument);

}  // namespace whyfail::cli
