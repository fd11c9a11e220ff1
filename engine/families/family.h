// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/activation.h"
#include "engine/families/model_config.h"

namespace carryover {

/// How transformers reads `sliding_window` from a family's config.json.
enum class SlidingWindowRule {
  Ignored,    ///< the family has no window, whatever the file says
  Stated,     ///< the window holds in all layers; 4096 tokens where the key is absent, none where it is null
  Patterned,  ///< the window holds in the layers that `layer_types` names, or in all but every g-th
  Opted,  ///< only with `use_sliding_window`, the window holds in the layers that `layer_types` names, or from layer
          ///< `max_window_layers` on
};

/// A key that config.json needs where transformers' default is another model.
struct WrittenFlag {
  std::string_view key;
  bool value;
};

/// The facts that tell one model family from another. A family is one row of the table in family.cpp; whoever needs a
/// fact asks the row, and never compares names. Immutable; any thread.
struct Family {
  std::string_view name;         ///< `model_type` in config.json, and ModelConfig::architecture
  std::string_view hf_class;     ///< the entry of `architectures` in config.json
  std::string_view models;       ///< for people: "Qwen2, Qwen2.5"
  std::string_view gguf_name;    ///< `general.architecture`; empty where GGUF files use another family's name
  bool qkv_bias = false;         ///< the projections to queries, keys and values add a bias
  bool query_key_norms = false;  ///< each head's queries and keys are normed before RoPE
  Activation activation = Activation::Silu;
  /// Norms add this to their weights before they multiply: 1 where weights are stored as differences from 1. A GGUF
  /// stores the sums.
  double norm_offset = 0;
  bool norms_after_blocks = false;    ///< what attention and the feed-forward add is normed, too
  bool scaled_embedding = false;      ///< embeddings are multiplied by √D
  bool starts_with_bos = false;       ///< the model was trained on texts that begin with BOS, and is far worse without
  bool default_tied = false;          ///< where config.json has no `tie_word_embeddings`
  bool interleaved_gguf = false;      ///< a GGUF stores the rows of Q and K pair by pair (llama.cpp's permutation)
  std::int64_t default_kv_heads = 0;  ///< where config.json has no `num_key_value_heads`; 0: as many as query heads
  std::int64_t default_head_dim = 0;  ///< where config.json has no `head_dim`; 0: the width divided by the query heads
  double default_theta = 10000;       ///< RoPE's base where a file has none
  double default_window_theta = 0;    ///< the same of windowed layers; 0: they have no RoPE of their own
  std::int64_t window_pattern = 0;    ///< g: with SlidingWindowRule::Patterned, every g-th layer is global
  SlidingWindowRule window = SlidingWindowRule::Ignored;
  std::vector<WrittenFlag> written_flags = {};

  /// Returns true if some layers may have a window and others not.
  bool window_by_layer() const { return window == SlidingWindowRule::Opted || window == SlidingWindowRule::Patterned; }
};

const std::vector<Family>& families();

/// The row of a `model_type`, of a class, of a `general.architecture`; null where no family has it.
const Family* find_family(std::string_view name);
const Family* find_class_family(std::string_view hf_class);
const Family* find_gguf_family(std::string_view gguf_name);

/// The row of a model's architecture. Throws EngineError{Unsupported} where there is none.
const Family& family_of(const ModelConfig& model);

/// Returns the layers from `first` on but every g-th, `every`, counted from 1; none if `every` is below 1.
std::vector<int> layers_but_every(std::int64_t every, std::int64_t layers, std::int64_t first = 0);

/// "LlamaForCausalLM, MistralForCausalLM", for messages.
std::string supported_classes();

/// "LLaMA 2, 3, …, Qwen3": the models of all families, for messages.
std::string supported_models();

}  // namespace carryover
