// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/core/run/what_if.h"

namespace carryover {

/// no_carry, prefix (and seed, where it is random), dropped, added, banned, and config where there is one.
nlohmann::json edit_json(const SegmentEdit& edit);
/// What edit_json() wrote. Throws EngineError{BadInput} naming `where`.
SegmentEdit edit_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
