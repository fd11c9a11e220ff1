// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/model_json.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"

namespace carryover {

namespace {

RopeConfig rope_from(const nlohmann::json& json, const std::string& where) {
  RopeConfig rope;
  const std::string name = json.at("kind").get<std::string>();
  const auto kind = find_rope_kind(name);
  if (!kind)
    throw EngineError(Fault::Unsupported, where, "RoPE scaling '" + name.substr(0, 60) + "' is not supported",
                      "Supported: " + rope_kind_names() + ".");
  rope.kind = *kind;
  json.at("theta").get_to(rope.theta);
  json.at("factor").get_to(rope.factor);
  json.at("low_frequency_factor").get_to(rope.low_frequency_factor);
  json.at("high_frequency_factor").get_to(rope.high_frequency_factor);
  get_integer(json, "original_context", rope.original_context);
  return rope;
}

std::optional<std::int64_t> id_from(const nlohmann::json& id) {
  return id.is_null() ? std::nullopt : std::optional(integer_of(id));
}

}  // namespace

ModelConfig model_config_from_json(const nlohmann::json& json, const std::string& where) {
  ModelConfig model;
  try {
    json.at("architecture").get_to(model.architecture);
    json.at("name").get_to(model.name);
    get_integer(json, "layers", model.layers);
    get_integer(json, "hidden", model.hidden);
    get_integer(json, "intermediate", model.intermediate);
    get_integer(json, "heads", model.heads);
    get_integer(json, "kv_heads", model.kv_heads);
    get_integer(json, "head_dim", model.head_dim);
    get_integer(json, "vocabulary", model.vocabulary);
    get_integer(json, "context", model.context);
    json.at("norm_epsilon").get_to(model.norm_epsilon);
    json.at("tied_embeddings").get_to(model.tied_embeddings);
    model.rope = rope_from(json.at("rope"), where);
    model.bos_id = id_from(json.at("bos_id"));
    model.eos_id = id_from(json.at("eos_id"));
  } catch (const nlohmann::json::exception& error) {
    throw EngineError(Fault::BadInput, where, std::string("doesn't describe a model: ") + error.what(),
                      "Use a config.json that this program wrote.");
  }
  model.validate(where);
  return model;
}

}  // namespace carryover
