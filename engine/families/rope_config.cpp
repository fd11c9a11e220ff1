// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/rope_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "engine/base/error.h"
#include "engine/families/config_range.h"

namespace carryover {

namespace {

using Kind = RopeConfig::Kind;
constexpr std::pair<Kind, std::string_view> kKinds[] = {{Kind::Default, "default"}, {Kind::Linear, "linear"},
                                                        {Kind::Dynamic, "dynamic"}, {Kind::Llama3, "llama3"},
                                                        {Kind::Yarn, "yarn"},       {Kind::Longrope, "longrope"}};
constexpr const char* kOriginalContext = "original_max_position_embeddings";

/// Returns the number of that key, or nothing where it is absent or null.
std::optional<double> find_number(const nlohmann::json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_number()) refuse_value(where, std::string("the RoPE scaling's ") + key, "is not a number");
  return found->get<double>();
}

double required_number(const nlohmann::json& object, const char* key, const std::string& where) {
  const auto number = find_number(object, key, where);
  if (!number) refuse_value(where, std::string("the RoPE scaling's ") + key, "is missing");
  return *number;
}

std::int64_t context_field(const nlohmann::json& object, const std::string& where) {
  const auto value = find_number(object, kOriginalContext, where);
  if (!value) return 0;
  if (!(*value >= 1 && *value <= 2147483648.0) || *value != std::floor(*value))
    refuse_value(where, kOriginalContext, "is not a number of tokens");
  return static_cast<std::int64_t>(*value);
}

std::vector<double> factors_field(const nlohmann::json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) refuse_value(where, std::string("the RoPE scaling's ") + key, "is missing");
  return read_reals(*found, where, key);
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

bool depends_on_length(Kind kind) {
  return kind == Kind::Dynamic || kind == Kind::Longrope;
}

namespace {

double original_context_of(const RopeConfig& rope, std::int64_t context) {
  return static_cast<double>(rope.original_context > 0 ? rope.original_context : context);
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

double yarn_frequency(double frequency, const RopeConfig& rope, double pair, double d, double original_context) {
  const auto pair_of = [&](double turns) {  // the pair that turns so often within the original context
    return d * std::log(original_context / (turns * 2 * std::numbers::pi)) / (2 * std::log(rope.theta));
  };
  double first = pair_of(rope.fast_turns), last = pair_of(rope.slow_turns);
  if (rope.whole_pairs) first = std::floor(first), last = std::ceil(last);
  first = std::max(first, 0.0);
  last = std::min(last, d - 1);
  if (first == last) last += 0.001;
  const double divided = std::clamp((pair - first) / (last - first), 0.0, 1.0);
  return frequency / rope.factor * divided + frequency * (1 - divided);
}

/// Returns 0.1 · weight · ln(factor) + 1, the factor of attention that yarn's authors propose.
double yarn_amplitude(double factor, double weight) {
  return factor <= 1 ? 1 : 0.1 * weight * std::log(factor) + 1;
}

}  // namespace

double rope_frequency(const RopeConfig& rope, std::int64_t pair, std::int64_t dims, std::int64_t context,
                      std::int64_t length) {
  const double d = static_cast<double>(dims), n = static_cast<double>(length), p = static_cast<double>(pair);
  const double original = original_context_of(rope, context);
  double theta = rope.theta;
  if (rope.kind == Kind::Dynamic && n > original)
    theta *= std::pow(rope.factor * n / original - (rope.factor - 1), d / (d - 2));
  const double frequency = std::pow(theta, -2.0 * p / d);
  switch (rope.kind) {
    case Kind::Linear:
      return frequency / rope.factor;
    case Kind::Llama3:
      return llama3_frequency(frequency, rope, original);
    case Kind::Yarn:
      return yarn_frequency(frequency, rope, p, d, original);
    case Kind::Longrope:
      return frequency / (n > original ? rope.long_factors : rope.short_factors).at(static_cast<std::size_t>(pair));
    default:
      return frequency;
  }
}

double rope_amplitude(const RopeConfig& rope, std::int64_t context) {
  if (rope.kind != Kind::Yarn && rope.kind != Kind::Longrope) return 1;
  if (rope.attention_factor > 0) return rope.attention_factor;
  if (rope.kind == Kind::Yarn) return yarn_amplitude(rope.factor, 1);
  const double original = original_context_of(rope, context);
  return rope.factor <= 1 || original <= 1 ? 1 : std::sqrt(1 + std::log(rope.factor) / std::log(original));
}

void RopeConfig::validate(std::int64_t dims, const std::string& where) const {
  const auto check_real = [&](const char* field, double value, double low) {
    if (!(value >= low && value <= 1e12))
      refuse_field(where, field, "is " + std::to_string(value) + ", out of range", "Correct it.");
  };
  check_real("rope.theta", theta, 1.0);
  check_real("rope.factor", factor, 1e-6);
  check_real("rope.low_frequency_factor", low_frequency_factor, 1e-6);
  check_real("rope.high_frequency_factor", high_frequency_factor, 1e-6);
  check_real("rope.attention_factor", attention_factor, 0);
  check_range(where, "rope.original_context", original_context, 0, std::int64_t{1} << 31);
  if (kind == Kind::Llama3 && high_frequency_factor <= low_frequency_factor)
    refuse_field(where, "rope.high_frequency_factor", "is not above low_frequency_factor", "Llama 3.1 uses 1 and 4.");
  if (kind == Kind::Yarn) {
    check_real("rope.theta", theta, 1.0 + 1e-6);  // whose logarithm is divided by
    check_real("rope.slow_turns", slow_turns, 1e-6);
    check_real("rope.fast_turns", fast_turns, slow_turns);
  }
  if (kind != Kind::Longrope) return;
  for (const std::vector<double>* factors : {&short_factors, &long_factors}) {
    if (std::ssize(*factors) != dims / 2)
      refuse_field(where, "a list of longrope's factors",
                   "has " + std::to_string(factors->size()) + " entries for " + std::to_string(dims / 2) + " pairs",
                   "Only a model brings such factors: take its own RoPE.");
    for (const double of_pair : *factors) check_real("rope's factor of a pair", of_pair, 1e-6);
  }
}

void to_json(nlohmann::json& json, Kind kind) {
  json = rope_kind_name(kind);
}

void to_json(nlohmann::json& json, const RopeConfig& rope) {
  json = json_of_fields(rope);
}

void read_field(const nlohmann::json& value, const std::string& where, const std::string& field, Kind& kind) {
  const auto found = value.is_string() ? find_rope_kind(value.get_ref<const std::string&>()) : std::nullopt;
  if (!found)
    refuse_field(where, field, "is not known: " + value.dump().substr(0, 60), "Use one of " + rope_kind_names() + ".");
  kind = *found;
}

/// A base that is missing would silently change the model, as would a field that is misspelt.
void read_field(const nlohmann::json& value, const std::string& where, const std::string& field, RopeConfig& rope) {
  if (!value.is_object()) refuse_field(where, field, "is not a JSON object", "Give kind, theta and factor, or null.");
  rope = fields_of_json<RopeConfig>(value, where, field + ".");
  for (const auto& [key, member] : value.items()) {
    bool known = false;
    each_field(rope, [&, name = &key](const char* field_key, auto, InJson) { known = known || *name == field_key; });
    if (!known) refuse_field(where, field + "." + key, "is not a field of rope", "Remove it, or correct its spelling.");
  }
}

namespace {

void read_yarn(const nlohmann::json& object, RopeConfig& rope, const std::string& where) {
  rope.fast_turns = find_number(object, "beta_fast", where).value_or(rope.fast_turns);
  rope.slow_turns = find_number(object, "beta_slow", where).value_or(rope.slow_turns);
  if (const auto truncate = object.find("truncate"); truncate != object.end() && !truncate->is_null())
    rope.whole_pairs = read_flag(*truncate, where, "truncate");
  const double weight = find_number(object, "mscale", where).value_or(0),
               weight_of_all = find_number(object, "mscale_all_dim", where).value_or(0);
  if (rope.attention_factor == 0 && weight != 0 && weight_of_all != 0)
    rope.attention_factor = yarn_amplitude(rope.factor, weight) / yarn_amplitude(rope.factor, weight_of_all);
}

}  // namespace

RopeConfig rope_from_json(const nlohmann::json& object, double theta, std::int64_t context, const std::string& where) {
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
  rope.theta = find_number(object, "rope_theta", where).value_or(theta);
  std::string name = kind_name(object, where);
  const bool longrope = name == "su" || (name == "yarn" && object.contains("short_factor"));  // as Phi-3's first files
  if (longrope) name = rope_kind_name(Kind::Longrope);
  const auto kind = find_rope_kind(name);
  if (!kind) {
    throw EngineError(Fault::Unsupported, where, "RoPE scaling '" + name.substr(0, 60) + "' is not supported",
                      "Supported: " + rope_kind_names() + ".");
  }
  rope.kind = *kind;
  if (rope.kind == Kind::Default) return rope;
  if (rope.kind != Kind::Linear) rope.original_context = context_field(object, where);
  const auto factor = find_number(object, "factor", where);
  const bool derived = rope.kind == Kind::Yarn || rope.kind == Kind::Longrope;
  if (!factor && !derived) refuse_value(where, "the RoPE scaling's factor", "is missing");
  rope.factor = factor ? *factor : std::max(1.0, static_cast<double>(context) / original_context_of(rope, context));
  rope.attention_factor = derived ? find_number(object, "attention_factor", where).value_or(0) : 0;
  if (rope.kind == Kind::Llama3) {  // no silent defaults: another value makes another model
    rope.low_frequency_factor = required_number(object, "low_freq_factor", where);
    rope.high_frequency_factor = required_number(object, "high_freq_factor", where);
  }
  if (rope.kind == Kind::Yarn) read_yarn(object, rope, where);
  if (rope.kind == Kind::Longrope) {
    rope.short_factors = factors_field(object, "short_factor", where);
    rope.long_factors = factors_field(object, "long_factor", where);
  }
  return rope;
}

nlohmann::json rope_scaling_json(const RopeConfig& rope) {
  if (rope.kind == Kind::Default) return {};
  nlohmann::json json{{"rope_type", rope_kind_name(rope.kind)}, {"factor", rope.factor}};
  if (rope.kind != Kind::Linear && rope.kind != Kind::Dynamic && rope.original_context != 0)
    json[kOriginalContext] = rope.original_context;
  if (rope.kind == Kind::Llama3) {
    json["low_freq_factor"] = rope.low_frequency_factor;
    json["high_freq_factor"] = rope.high_frequency_factor;
  }
  if (rope.attention_factor > 0) json["attention_factor"] = rope.attention_factor;
  if (rope.kind == Kind::Yarn)
    json.update({{"beta_fast", rope.fast_turns}, {"beta_slow", rope.slow_turns}, {"truncate", rope.whole_pairs}});
  if (rope.kind == Kind::Longrope)
    json.update({{"short_factor", rope.short_factors}, {"long_factor", rope.long_factors}});
  return json;
}

}  // namespace carryover
