// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
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
  std::int64_t vocabulary = 0;         ///< V
  std::int64_t context = 0;            ///< trained context, tokens
  double norm_epsilon = 1e-5;
  double query_scale = 1;        ///< multiplies queries, where attention's scores have another factor than 1/√d
  bool tied_embeddings = false;  ///< lm_head shares model.embed_tokens.weight
  RopeConfig rope;
  std::int64_t window = 0;                ///< W, tokens: a query of a windowed layer sees the last W keys, its own
                                          ///< included; 0 if no layer is windowed
  std::vector<int> window_layers;         ///< the windowed layers, ascending; the others are global
  std::optional<RopeConfig> window_rope;  ///< the RoPE of windowed layers, if it differs from that of global ones
  std::optional<std::int64_t> bos_id, eos_id;

  std::int64_t group_size() const { return heads / kv_heads; }  ///< query heads per KV head
  std::int64_t parameters() const;
  bool is_windowed(int layer) const;       ///< true if the layer's attention has the model's own window
  std::vector<int> global_layers() const;  ///< those whose attention sees the whole past, ascending
  std::int64_t windowed_layers() const { return static_cast<std::int64_t>(window_layers.size()); }

  /// Throws EngineError{BadInput}, which names `where` and the field, if a number is out of range, if sizes
  /// overflow, or if no family has the architecture.
  void validate(const std::string& where) const;
};

void to_json(nlohmann::json& json, const ModelConfig& model);

}  // namespace carryover
