// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/config/model_config.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"

namespace carryover {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& field, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, field + " " + problem, "Check that the file is complete and unchanged.");
}

void check_range(const std::string& where, const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  refuse(where, field,
         "is " + std::to_string(value) + ", outside " + std::to_string(low) + " to " + std::to_string(high));
}

void check_rope(const RopeConfig& rope, const std::string& where) {
  const auto check_real = [&](const char* field, double value, double low) {
    if (!(value >= low && value <= 1e12)) refuse(where, field, "is " + std::to_string(value) + ", out of range");
  };
  check_real("rope theta", rope.theta, 1.0);
  check_real("rope factor", rope.factor, 1.0);
  check_range(where, "rope original context", rope.original_context, 0, std::int64_t{1} << 31);
  if (rope.kind != RopeConfig::Kind::Llama3) return;
  check_real("rope low_freq_factor", rope.low_frequency_factor, 1e-6);
  check_real("rope high_freq_factor", rope.high_frequency_factor, 1e-6);
  if (rope.high_frequency_factor <= rope.low_frequency_factor) {
    refuse(where, "rope high_freq_factor", "is not above low_freq_factor");
  }
}

double required_number(const nlohmann::json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) {
    refuse(where, std::string("the RoPE scaling's ") + key, "is missing or not a number");
  }
  return found->get<double>();
}

std::int64_t context_field(const nlohmann::json& object, const std::string& where) {
  const char* key = "original_max_position_embeddings";
  if (!object.contains(key) || object.at(key).is_null()) return 0;
  const double value = required_number(object, key, where);
  if (!(value >= 1 && value <= 2147483648.0) || value != std::floor(value)) {
    refuse(where, key, "is not a number of tokens");
  }
  return static_cast<std::int64_t>(value);
}

/// Returns the name of the RoPE scaling's kind, which may be under either of two keys.
std::string kind_name(const nlohmann::json& object, const std::string& where) {
  for (const char* key : {"rope_type", "type"}) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) continue;
    if (!found->is_string()) refuse(where, key, "of the RoPE scaling is not a string");
    return found->get<std::string>();
  }
  return "default";
}

RopeConfig::Kind kind_from_name(const std::string& name, const std::string& where) {
  using enum RopeConfig::Kind;
  for (RopeConfig::Kind kind : {Default, Linear, Dynamic, Llama3}) {
    if (name == rope_kind_name(kind)) return kind;
  }
  throw EngineError(Fault::Unsupported, where, "RoPE scaling '" + name.substr(0, 60) + "' is not supported",
                    "Supported: default, linear, dynamic, llama3.");
}

}  // namespace

std::string_view rope_kind_name(RopeConfig::Kind kind) {
  switch (kind) {
    case RopeConfig::Kind::Default:
      return "default";
    case RopeConfig::Kind::Linear:
      return "linear";
    case RopeConfig::Kind::Dynamic:
      return "dynamic";
    case RopeConfig::Kind::Llama3:
      return "llama3";
  }
  return "unknown";
}

std::int64_t ModelConfig::parameters() const {
  const std::int64_t attention = 2 * hidden * head_dim * (heads + kv_heads);
  const std::int64_t layer = attention + 3 * hidden * intermediate + 2 * hidden;
  return layers * layer + hidden + vocabulary * hidden * (tied_embeddings ? 1 : 2);
}

void ModelConfig::validate(const std::string& where) const {
  // These limits are far above any real model, and keep every product of sizes and parameters() · 8 bytes in 63 bits.
  check_range(where, "the number of layers", layers, 1, 1024);
  check_range(where, "the hidden size", hidden, 1, 1 << 18);
  check_range(where, "the feed-forward size", intermediate, 1, 1 << 20);
  check_range(where, "the number of heads", heads, 1, 4096);
  check_range(where, "the number of KV heads", kv_heads, 1, heads);
  check_range(where, "the head size", head_dim, 2, 4096);
  check_range(where, "the vocabulary size", vocabulary, 1, 1 << 26);
  check_range(where, "the context length", context, 1, std::int64_t{1} << 31);
  if (heads % kv_heads != 0) refuse(where, "the number of heads", "is not a multiple of the number of KV heads");
  if (head_dim % 2 != 0) refuse(where, "the head size", "is odd, but RoPE rotates pairs");
  if (!(norm_epsilon >= 0 && norm_epsilon < 1)) refuse(where, "the norm's epsilon", "is out of range");
  if (bos_id) check_range(where, "the BOS id", *bos_id, 0, vocabulary - 1);
  if (eos_id) check_range(where, "the EOS id", *eos_id, 0, vocabulary - 1);
  check_rope(rope, where);
}

void to_json(nlohmann::json& json, const RopeConfig& rope) {
  json = {{"kind", rope_kind_name(rope.kind)},
          {"theta", rope.theta},
          {"factor", rope.factor},
          {"low_frequency_factor", rope.low_frequency_factor},
          {"high_frequency_factor", rope.high_frequency_factor},
          {"original_context", rope.original_context}};
}

void to_json(nlohmann::json& json, const ModelConfig& model) {
  const auto optional = [](const std::optional<std::int64_t>& id) {
    return id ? nlohmann::json(*id) : nlohmann::json();
  };
  json = {{"architecture", model.architecture},
          {"name", model.name},
          {"layers", model.layers},
          {"hidden", model.hidden},
          {"intermediate", model.intermediate},
          {"heads", model.heads},
          {"kv_heads", model.kv_heads},
          {"head_dim", model.head_dim},
          {"vocabulary", model.vocabulary},
          {"context", model.context},
          {"norm_epsilon", model.norm_epsilon},
          {"tied_embeddings", model.tied_embeddings},
          {"parameters", model.parameters()},
          {"rope", model.rope},
          {"bos_id", optional(model.bos_id)},
          {"eos_id", optional(model.eos_id)}};
}

RopeConfig rope_from_json(const nlohmann::json& object, double theta, const std::string& where) {
  RopeConfig rope;
  rope.theta = theta;
  if (object.is_null()) return rope;
  if (!object.is_object()) refuse(where, "the RoPE scaling", "is not a JSON object");
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      throw EngineError(Fault::Unsupported, where, "RoPE parameters by layer type ('" + key.substr(0, 60) + "')",
                        "Supported: one setting for all layers.");
    }
  }
  if (object.contains("rope_theta")) rope.theta = required_number(object, "rope_theta", where);
  rope.kind = kind_from_name(kind_name(object, where), where);
  if (rope.kind == RopeConfig::Kind::Default) return rope;
  rope.factor = required_number(object, "factor", where);
  const bool llama3 = rope.kind == RopeConfig::Kind::Llama3;
  if (rope.kind != RopeConfig::Kind::Linear) rope.original_context = context_field(object, where);
  if (llama3) {  // no silent defaults: another value makes another model
    rope.low_frequency_factor = required_number(object, "low_freq_factor", where);
    rope.high_frequency_factor = required_number(object, "high_freq_factor", where);
  }
  return rope;
}

}  // namespace carryover
