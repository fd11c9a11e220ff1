// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/core/model_config.h"

namespace carryover {

/// A Hugging Face config.json, of transformers 4 (`rope_theta`, `rope_scaling`) or 5 (`rope_parameters`), as a
/// validated ModelConfig. `name` is what people call the model. Throws EngineError{BadInput} naming `where` and the
/// field, or {Unsupported} naming the architecture or feature and what is supported.
ModelConfig hf_config_from_json(const nlohmann::json& json, const std::string& name, const std::string& where);

}  // namespace carryover
