// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/model_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/families/config_range.h"

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

/// Returns a layer's number; validate() knows how many there are.
int layer_of(const nlohmann::json& layer, const std::string& where) {
  const std::int64_t number = integer_of(layer);
  check_range(where, "a windowed layer", number, 0, std::numeric_limits<int>::max());
  return static_cast<int>(number);
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
    if (json.contains("query_scale")) json.at("query_scale").get_to(model.query_scale);
    if (json.contains("window_layers")) {
      get_integer(json, "window", model.window);
      for (const nlohmann::json& layer : json.at("window_layers"))
        model.window_layers.push_back(layer_of(layer, where));
      if (json.contains("window_rope")) model.window_rope = rope_from(json.at("window_rope"), where);
    }
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
