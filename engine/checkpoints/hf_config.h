// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/families/model_config.h"

namespace carryover {

/// Returns a Hugging Face config.json as a validated ModelConfig. The file may be from transformers 4 (`rope_theta`,
/// `rope_scaling`) or 5 (`rope_parameters`). Of a model that reads images, too, it is the text half. `name` is what
/// people call the model. Throws EngineError{BadInput}, which names `where` and the field, or {Unsupported}, which
/// names the architecture or feature and what is supported.
ModelConfig hf_config_from_json(const nlohmann::json& whole, const std::string& name, const std::string& where);

/// Returns the config.json of a model as transformers 4 spells it, which 5 reads too. `dtype`: "float32", "bfloat16", …
nlohmann::json hf_config_to_json(const ModelConfig& model, const std::string& dtype);

}  // namespace carryover
