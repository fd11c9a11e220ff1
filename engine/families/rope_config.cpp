// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/rope_config.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "engine/base/error.h"
#include "engine/families/config_range.h"

namespace carryover {

namespace {

using Kind = RopeConfig::Kind;
constexpr std::pair<Kind, std::string_view> kKinds[] = {
    {Kind::Default, "default"}, {Kind::Linear, "linear"}, {Kind::Dynamic, "dynamic"}, {Kind::Llama3, "llama3"}};

double required_number(const nlohmann::json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) {
    refuse_value(where, std::string("the RoPE scaling's ") + key, "is missing or not a number");
  }
  return found->get<double>();
}

std::int64_t context_field(const nlohmann::json& object, const std::string& where) {
  const char* key = "original_max_position_embeddings";
  if (!object.contains(key) || object.at(key).is_null()) return 0;
  const double value = required_number(object, key, where);
  if (!(value >= 1 && value <= 2147483648.0) || value != std::floor(value)) {
    refuse_value(where, key, "is not a number of tokens");
  }
  return static_cast<std::int64_t>(value);
}

/// Returns the name of the RoPE scaling's kind, which may be under either of two keys.
std::string kind_name(const nlohmann::json& object, const std::string& where) {
  for (const char* key : {"rope_type", "type"}) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) continue;
    if (!found->is_string()) refuse_value(where, key, "of the RoPE scaling is not a string");
    return found->get<std::string>();
  }
  return "default";
}

}  // namespace

std::string_view rope_kind_name(RopeConfig::Kind kind) {
  for (const auto& [own, name] : kKinds)
    if (own == kind) return name;
  return "unknown";
}

std::optional<RopeConfig::Kind> find_rope_kind(std::string_view name) {
  for (const auto& [kind, own] : kKinds)
    if (own == name) return kind;
  return std::nullopt;
}

std::string rope_kind_names() {
  std::string names;
  for (const auto& [kind, name] : kKinds) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

double llama3_frequency(double frequency, const RopeConfig& rope, double original_context) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double longest = original_context / rope.low_frequency_factor;
  const double shortest = original_context / rope.high_frequency_factor;
  if (wavelength < shortest) return frequency;
  if (wavelength > longest) return frequency / rope.factor;
  const double blend = (original_context / wavelength - rope.low_frequency_factor) /
                       (rope.high_frequency_factor - rope.low_frequency_factor);
  return (1 - blend) * frequency / rope.factor + blend * frequency;
}

double rope_frequency(const RopeConfig& rope, std::int64_t pair, std::int64_t head_dim, std::int64_t context,
                      std::int64_t length) {
  const double d = static_cast<double>(head_dim), n = static_cast<double>(length);
  const double original = static_cast<double>(rope.original_context > 0 ? rope.original_context : context);
  double theta = rope.theta;
  if (rope.kind == Kind::Dynamic && n > original)
    theta *= std::pow(rope.factor * n / original - (rope.factor - 1), d / (d - 2));
  const double frequency = std::pow(theta, -2.0 * static_cast<double>(pair) / d);
  if (rope.kind == Kind::Linear) return frequency / rope.factor;
  return rope.kind == Kind::Llama3 ? llama3_frequency(frequency, rope, original) : frequency;
}

void RopeConfig::validate(const std::string& where) const {
  const auto check_real = [&](const char* field, double value, double low) {
    if (!(value >= low && value <= 1e12)) refuse_value(where, field, "is " + std::to_string(value) + ", out of range");
  };
  check_real("rope theta", theta, 1.0);
  check_real("rope factor", factor, 1.0);
  check_range(where, "rope original context", original_context, 0, std::int64_t{1} << 31);
  if (kind != Kind::Llama3) return;
  check_real("rope low_freq_factor", low_frequency_factor, 1e-6);
  check_real("rope high_freq_factor", high_frequency_factor, 1e-6);
  if (high_frequency_factor <= low_frequency_factor) {
    refuse_value(where, "rope high_freq_factor", "is not above low_freq_factor");
  }
}

void to_json(nlohmann::json& json, const RopeConfig& rope) {
  json = {{"kind", rope_kind_name(rope.kind)},
          {"theta", rope.theta},
          {"factor", rope.factor},
          {"low_frequency_factor", rope.low_frequency_factor},
          {"high_frequency_factor", rope.high_frequency_factor},
          {"original_context", rope.original_context}};
}

RopeConfig rope_from_json(const nlohmann::json& object, double theta, const std::string& where) {
  RopeConfig rope;
  rope.theta = theta;
  if (object.is_null()) return rope;
  if (!object.is_object()) refuse_value(where, "the RoPE scaling", "is not a JSON object");
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      throw EngineError(Fault::Unsupported, where, "RoPE parameters by layer type ('" + key.substr(0, 60) + "')",
                        "Supported: one setting for all layers.");
    }
  }
  if (object.contains("rope_theta")) rope.theta = required_number(object, "rope_theta", where);
  const std::string name = kind_name(object, where);
  const auto kind = find_rope_kind(name);
  if (!kind) {
    throw EngineError(Fault::Unsupported, where, "RoPE scaling '" + name.substr(0, 60) + "' is not supported",
                      "Supported: " + rope_kind_names() + ".");
  }
  rope.kind = *kind;
  if (rope.kind == Kind::Default) return rope;
  rope.factor = required_number(object, "factor", where);
  const bool llama3 = rope.kind == Kind::Llama3;
  if (rope.kind != Kind::Linear) rope.original_context = context_field(object, where);
  if (llama3) {  // no silent defaults: another value makes another model
    rope.low_frequency_factor = required_number(object, "low_freq_factor", where);
    rope.high_frequency_factor = required_number(object, "high_freq_factor", where);
  }
  return rope;
}

}  // namespace carryover
