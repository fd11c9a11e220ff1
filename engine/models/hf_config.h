// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/families/model_config.h"

namespace carryover {

/// A Hugging Face config.json, of transformers 4 (`rope_theta`, `rope_scaling`) or 5 (`rope_parameters`), as a
/// validated ModelConfig. `name` is what people call the model. Throws EngineError{BadInput} naming `where` and the
/// field, or {Unsupported} naming the architecture or feature and what is supported.
ModelConfig hf_config_from_json(const nlohmann::json& json, const std::string& name, const std::string& where);

/// The same the other way, in transformers 4's spelling, which 5 reads too. `dtype`: "float32", "bfloat16", …
nlohmann::json hf_config_to_json(const ModelConfig& model, const std::string& dtype);

}  // namespace carryover
