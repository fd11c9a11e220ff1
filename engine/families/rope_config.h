// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/field_json.h"

namespace carryover {

/// The RoPE settings of real checkpoints (app:rope). An angle is position · rope_frequency(); cosine and sine are
/// multiplied by rope_amplitude().
struct RopeConfig {
  enum class Kind { Default, Linear, Dynamic, Llama3, Yarn, Longrope };
  Kind kind = Kind::Default;
  double theta = 10000.0;
  double factor = 1.0;                     ///< all but default
  double low_frequency_factor = 1.0;       ///< llama3
  double high_frequency_factor = 4.0;      ///< llama3
  std::int64_t original_context = 0;       ///< llama3, dynamic, yarn, longrope: tokens; 0 means the model's context
  double fast_turns = 32, slow_turns = 1;  ///< yarn (β_fast, β_slow): pairs that turn more often than fast_turns times
                                           ///< within the original context keep their frequency, those that turn less
                                           ///< often than slow_turns times have it divided by the factor
  bool whole_pairs = true;      ///< yarn: the ramp between the two begins and ends at whole pairs
  double attention_factor = 0;  ///< yarn, longrope: the amplitude; 0: the one that follows from the factor
  std::vector<double> short_factors = {},
                      long_factors = {};  ///< longrope: divisors of the pairs' frequencies, for runs up to
                                          ///< the original context and for longer ones, [d/2]

  /// Throws EngineError{BadInput} naming `where` and the field where a number is out of range, or where there is not a
  /// factor for each pair of `dims` rotated dimensions.
  void validate(std::int64_t dims, const std::string& where) const;

  bool operator==(const RopeConfig&) const = default;
};

/// Calls field(key, pointer to member, InJson) for each member.
template <typename Field>
void each_field(const RopeConfig&, Field field) {
  using enum InJson;
  field("kind", &RopeConfig::kind, Needed);
  field("theta", &RopeConfig::theta, Needed);
  field("factor", &RopeConfig::factor, Written);
  field("low_frequency_factor", &RopeConfig::low_frequency_factor, Written);
  field("high_frequency_factor", &RopeConfig::high_frequency_factor, Written);
  field("original_context", &RopeConfig::original_context, Written);
  field("fast_turns", &RopeConfig::fast_turns, IfChanged);
  field("slow_turns", &RopeConfig::slow_turns, IfChanged);
  field("whole_pairs", &RopeConfig::whole_pairs, IfChanged);
  field("attention_factor", &RopeConfig::attention_factor, IfChanged);
  field("short_factors", &RopeConfig::short_factors, IfChanged);
  field("long_factors", &RopeConfig::long_factors, IfChanged);
}

std::string_view rope_kind_name(RopeConfig::Kind kind);

/// Returns the kind of that name, or nothing. Every reader of a kind calls this.
std::optional<RopeConfig::Kind> find_rope_kind(std::string_view name);

/// "default, linear, dynamic, llama3, yarn, longrope", for messages.
std::string rope_kind_names();

/// Returns true if the frequencies depend on how long a run is.
bool depends_on_length(RopeConfig::Kind kind);

/// Returns the frequency of pair `pair` of `dims` rotated dimensions, in radians per token. `context`, the
/// model's in tokens, counts if the settings name no original context. `length`: tokens to which dynamic scaling
/// stretches, and by which longrope chooses its factors.
double rope_frequency(const RopeConfig& rope, std::int64_t pair, std::int64_t dims, std::int64_t context,
                      std::int64_t length);

/// Returns what cosines and sines are multiplied by. `context`: as for rope_frequency().
double rope_amplitude(const RopeConfig& rope, std::int64_t context);

void to_json(nlohmann::json& json, const RopeConfig& rope);
void to_json(nlohmann::json& json, RopeConfig::Kind kind);

/// Read what to_json() wrote. Throw EngineError{BadInput}.
void read_field(const nlohmann::json& value, const std::string& where, const std::string& field, RopeConfig& rope);
void read_field(const nlohmann::json& value, const std::string& where, const std::string& field,
                RopeConfig::Kind& kind);

/// Reads the value of `rope_scaling` (with `type` or `rope_type`; null is none) or of the newer `rope_parameters`.
/// `theta` is the base if the object has no `rope_theta`; `context` the model's, in tokens. Throws
/// EngineError{Unsupported} for a kind that find_rope_kind() does not know, and {BadInput} if a number is missing.
RopeConfig rope_from_json(const nlohmann::json& object, double theta, std::int64_t context, const std::string& where);

/// Returns what rope_from_json() reads; null for the default kind.
nlohmann::json rope_scaling_json(const RopeConfig& rope);

}  // namespace carryover
