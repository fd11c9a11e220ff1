// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/families/rope_config.h"

namespace carryover {

/// The shape of a decoder of a known family, whatever file it came from. A plain value; any thread.
struct ModelConfig {
  std::string architecture = "llama";  ///< Family::name
  std::string name;                    ///< for people; from the file or the folder's name
  std::int64_t layers = 0;             ///< L
  std::int64_t hidden = 0;             ///< D
  std::int64_t intermediate = 0;       ///< feed-forward width
  std::int64_t heads = 0;              ///< H, query heads
  std::int64_t kv_heads = 0;           ///< H_kv; divides H
  std::int64_t head_dim = 0;           ///< d, even
  std::int64_t rotated_dims = 0;       ///< the first dimensions of a head, which RoPE rotates, even; 0: all of them
  std::int64_t vocabulary = 0;         ///< V
  std::int64_t context = 0;            ///< trained context, tokens
  double norm_epsilon = 1e-5;
  double embedding_scale = 1;    ///< multiplies embeddings
  double query_scale = 1;        ///< multiplies queries, where attention's scores have another factor than 1/√d
  double residual_scale = 1;     ///< multiplies what attention and the feed-forward add
  double logit_divisor = 1;      ///< logits are divided by it
  double score_cap = 0;          ///< c: attention's scores s become c·tanh(s/c) before they are masked; 0: they stay
  double logit_cap = 0;          ///< the same of logits
  bool tied_embeddings = false;  ///< the head is the embeddings
  bool parallel_blocks = false;  ///< the feed-forward reads what the layer's attention reads, not what that leaves
  RopeConfig rope;
  std::int64_t window = 0;                ///< W, tokens: a query of a windowed layer sees the last W keys, its own
                                          ///< included; 0 if no layer is windowed
  std::vector<int> window_layers;         ///< the windowed layers, ascending; the others are global
  std::optional<RopeConfig> window_rope;  ///< the RoPE of windowed layers, if it differs from that of global ones
  std::vector<int> unrotated_layers;      ///< layers without RoPE (NoPE), ascending
  std::optional<std::int64_t> bos_id, eos_id;

  std::int64_t rope_dims() const { return rotated_dims == 0 ? head_dim : rotated_dims; }
  std::int64_t group_size() const { return heads / kv_heads; }  ///< query heads per KV head
  std::int64_t parameters() const;
  bool is_windowed(int layer) const;       ///< true if the layer's attention has the model's own window
  bool is_rotated(int layer) const;        ///< false if the layer has no RoPE
  std::vector<int> global_layers() const;  ///< those whose attention sees the whole past, ascending
  std::int64_t windowed_layers() const { return static_cast<std::int64_t>(window_layers.size()); }

  /// Throws EngineError{BadInput}, which names `where` and the field, if a number is out of range, if sizes
  /// overflow, or if no family has the architecture.
  void validate(const std::string& where) const;
};

/// Calls field(key, pointer to member, InJson) for each member.
template <typename Field>
void each_field(const ModelConfig&, Field field) {
  using enum InJson;
  field("architecture", &ModelConfig::architecture, Needed);
  field("name", &ModelConfig::name, Needed);
  field("layers", &ModelConfig::layers, Needed);
  field("hidden", &ModelConfig::hidden, Needed);
  field("intermediate", &ModelConfig::intermediate, Needed);
  field("heads", &ModelConfig::heads, Needed);
  field("kv_heads", &ModelConfig::kv_heads, Needed);
  field("head_dim", &ModelConfig::head_dim, Needed);
  field("rotated_dims", &ModelConfig::rotated_dims, IfChanged);
  field("vocabulary", &ModelConfig::vocabulary, Needed);
  field("context", &ModelConfig::context, Needed);
  field("norm_epsilon", &ModelConfig::norm_epsilon, Needed);
  field("embedding_scale", &ModelConfig::embedding_scale, IfChanged);
  field("query_scale", &ModelConfig::query_scale, IfChanged);
  field("residual_scale", &ModelConfig::residual_scale, IfChanged);
  field("logit_divisor", &ModelConfig::logit_divisor, IfChanged);
  field("score_cap", &ModelConfig::score_cap, IfChanged);
  field("logit_cap", &ModelConfig::logit_cap, IfChanged);
  field("tied_embeddings", &ModelConfig::tied_embeddings, Needed);
  field("parallel_blocks", &ModelConfig::parallel_blocks, IfChanged);
  field("rope", &ModelConfig::rope, Needed);
  field("window", &ModelConfig::window, IfChanged);
  field("window_layers", &ModelConfig::window_layers, IfChanged);
  field("window_rope", &ModelConfig::window_rope, IfChanged);
  field("unrotated_layers", &ModelConfig::unrotated_layers, IfChanged);
  field("bos_id", &ModelConfig::bos_id, Needed);
  field("eos_id", &ModelConfig::eos_id, Needed);
}

/// Writes the shape, and its number of parameters, which a reader ignores.
void to_json(nlohmann::json& json, const ModelConfig& model);

/// Reads the shape that to_json() wrote, as into a run's config.json, and validates it. Throws EngineError{BadInput},
/// which names `where`.
ModelConfig model_config_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
