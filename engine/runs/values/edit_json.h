// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/runs/values/what_if.h"

namespace carryover {

/// Returns no_carry, prefix (and seed if it is random), dropped, added, banned, and what else the edit has.
nlohmann::json edit_json(const SegmentEdit& edit);
/// Reads what edit_json() wrote. Throws EngineError{BadInput}, which names `where`.
SegmentEdit edit_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
