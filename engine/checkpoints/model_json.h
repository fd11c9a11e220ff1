// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/families/model_config.h"

namespace carryover {

/// Reads the shape that to_json(ModelConfig) wrote into a run's config.json, and validates it. Throws
/// EngineError{BadInput, Unsupported}, which names `where`.
ModelConfig model_config_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
