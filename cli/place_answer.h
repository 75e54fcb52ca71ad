// Answers one placement request.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/place_request.h"

namespace whyfail::cli {

// {"device_map", "max_memory", "buffer_warning"} as far as the entry has them, or {"error", "message", …}.
nlohmann::json answer(const PlaceRequest& request);

}  // namespace whyfail::cli
