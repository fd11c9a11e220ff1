// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace carryover {

/// The RoPE settings of real checkpoints (app:rope). Angles are position · inv_freq, where inv_freq follows from theta
/// and this scaling.
struct RopeConfig {
  enum class Kind { Default, Linear, Dynamic, Llama3 };
  Kind kind = Kind::Default;
  double theta = 10000.0;
  double factor = 1.0;                 ///< linear, dynamic, llama3
  double low_frequency_factor = 1.0;   ///< llama3
  double high_frequency_factor = 4.0;  ///< llama3
  std::int64_t original_context = 0;   ///< llama3, dynamic: tokens; 0 means the model's context

  bool operator==(const RopeConfig&) const = default;
};

std::string_view rope_kind_name(RopeConfig::Kind kind);

/// The shape of a LLaMA-architecture decoder, whatever file it came from. A plain value; any thread.
struct ModelConfig {
  std::string architecture;       ///< "llama" or "mistral"
  std::string name;               ///< for people; from the file or the folder's name
  std::int64_t layers = 0;        ///< L
  std::int64_t hidden = 0;        ///< D
  std::int64_t intermediate = 0;  ///< feed-forward width
  std::int64_t heads = 0;         ///< H, query heads
  std::int64_t kv_heads = 0;      ///< H_kv; divides H
  std::int64_t head_dim = 0;      ///< d, even
  std::int64_t vocabulary = 0;    ///< V
  std::int64_t context = 0;       ///< trained context, tokens
  double norm_epsilon = 1e-5;
  bool tied_embeddings = false;  ///< lm_head shares model.embed_tokens.weight
  RopeConfig rope;
  std::optional<std::int64_t> bos_id, eos_id;

  std::int64_t group_size() const { return heads / kv_heads; }  ///< query heads per KV head
  std::int64_t parameters() const;

  /// Throws EngineError{BadInput}, which names `where` and the field, if a number is out of range or sizes overflow.
  void validate(const std::string& where) const;
};

void to_json(nlohmann::json& json, const RopeConfig& rope);
void to_json(nlohmann::json& json, const ModelConfig& model);

/// Reads the value of `rope_scaling` (with `type` or `rope_type`; null is none) or of the newer `rope_parameters`.
/// `theta` is the base if the object has no `rope_theta`. Throws EngineError{Unsupported} for a kind other than
/// default, linear, dynamic and llama3, and {BadInput} if a number is missing.
RopeConfig rope_from_json(const nlohmann::json& object, double theta, const std::string& where);

}  // namespace carryover
