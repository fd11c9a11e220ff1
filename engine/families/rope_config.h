// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// The RoPE settings of real checkpoints (app:rope). An angle is position · rope_frequency().
struct RopeConfig {
  enum class Kind { Default, Linear, Dynamic, Llama3 };
  Kind kind = Kind::Default;
  double theta = 10000.0;
  double factor = 1.0;                 ///< linear, dynamic, llama3
  double low_frequency_factor = 1.0;   ///< llama3
  double high_frequency_factor = 4.0;  ///< llama3
  std::int64_t original_context = 0;   ///< llama3, dynamic: tokens; 0 means the model's context

  /// Throws EngineError{BadInput} naming `where` and the field where a number is out of range.
  void validate(const std::string& where) const;

  bool operator==(const RopeConfig&) const = default;
};

std::string_view rope_kind_name(RopeConfig::Kind kind);

/// Returns the kind of that name, or nothing. Every reader of a kind calls this.
std::optional<RopeConfig::Kind> find_rope_kind(std::string_view name);

/// "default, linear, dynamic, llama3", for messages.
std::string rope_kind_names();

/// Applies llama3's scaling to one pair's frequency, radians per token. `original_context`: tokens.
double llama3_frequency(double frequency, const RopeConfig& rope, double original_context);

/// Returns the frequency of pair `pair` of a head of `head_dim` dimensions, in radians per token. `context`, the
/// model's in tokens, counts if the settings name no original context. `length`: tokens to which dynamic scaling
/// stretches.
double rope_frequency(const RopeConfig& rope, std::int64_t pair, std::int64_t head_dim, std::int64_t context,
                      std::int64_t length);

void to_json(nlohmann::json& json, const RopeConfig& rope);

/// Reads the value of `rope_scaling` (with `type` or `rope_type`; null is none) or of the newer `rope_parameters`.
/// `theta` is the base if the object has no `rope_theta`. Throws EngineError{Unsupported} for a kind that
/// find_rope_kind() does not know, and {BadInput} if a number is missing.
RopeConfig rope_from_json(const nlohmann::json& object, double theta, const std::string& where);

}  // namespace carryover
