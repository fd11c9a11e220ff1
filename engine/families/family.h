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
  Stated,     ///< the window holds in all layers; Family::default_window where the key is absent, none where it is null
  Patterned,  ///< the window holds in the layers that `layer_types` names, or in all but every g-th
  Opted,  ///< only with `use_sliding_window`, the window holds in the layers that `layer_types` names, or from layer
          ///< `max_window_layers` on
};

/// The norms of queries and keys before RoPE.
enum class HeadNorms {
  None,
  EachHead,        ///< each head's own values are normed
  WholeProjection  ///< the values of all heads are normed together
};

/// The linear maps that add a bias.
enum class Biases {
  None,
  Qkv,  ///< the projections to queries, keys and values
  All   ///< those of attention and of the feed-forward
};

/// How files store the projections to queries, keys and values, and those of the feed-forward's gate and up.
enum class StoredProjections {
  Apart,       ///< each is a tensor
  Fused,       ///< one tensor for Q, K and V, in this order, and one for gate and up
  FusedByHead  ///< one tensor for Q, K and V: of each head the rows of its query, key and value; no gate
};

/// The names of a family's tensors in Hugging Face files, without ".weight" and ".bias".
struct TensorNames {
  std::string_view root = "model.";  ///< before all names but the head's
  std::string_view embedding = "embed_tokens", final_norm = "norm", head = "lm_head";
  // behind "layers.0."
  std::string_view qkv = "self_attn.qkv_proj", output = "self_attn.o_proj";
  std::string_view up = "mlp.up_proj", down = "mlp.down_proj";
};

/// A key that config.json needs where transformers' default is another model.
struct WrittenFlag {
  std::string_view key;
  bool value;
};

/// The facts that tell one model family from another. A family is one row of the table in family.cpp; whoever needs a
/// fact asks the row, and never compares names. Immutable; any thread.
struct Family {
  std::string_view name;       ///< `model_type` in config.json, and ModelConfig::architecture
  std::string_view hf_class;   ///< the entry of `architectures` in config.json
  std::string_view models;     ///< for people: "Qwen2, Qwen2.5"
  std::string_view gguf_name;  ///< `general.architecture`
  TensorNames tensors = {};
  Biases biases = Biases::None;
  HeadNorms head_norms = HeadNorms::None;
  Activation activation = Activation::Silu;
  bool gated_feed_forward = true;  ///< the feed-forward multiplies activation(gate) by up; else it is activation(up)
  bool layer_norms = false;        ///< norms are LayerNorms, which centre values and add a bias, in place of RMS norms
  bool parallel_key = false;       ///< config.json says by `use_parallel_residual` if a layer's blocks run in parallel
  /// Norms add this to their weights before they multiply: 1 where weights are stored as differences from 1. A GGUF
  /// stores the sums.
  double norm_offset = 0;
  bool norms_before_blocks = true;  ///< what attention and the feed-forward read is normed
  bool norms_after_blocks = false;  ///< what they add is normed
  bool scaled_embedding = false;    ///< embeddings are multiplied by √D
  bool query_scalar = false;        ///< config.json has query_pre_attn_scalar: scores are divided by its root
  double default_score_cap = 0;     ///< of soft-capped scores, where a file does not say; 0: the family caps nothing
  double default_logit_cap = 0;     ///< the same of logits
  std::int64_t layers_of_other_scale = 0;  ///< the number of layers of the one model whose scores are divided by
                                           ///< √(D/H), which no key of a GGUF says; 0: there is none
  bool multipliers = false;                ///< config.json has factors of embeddings, scores, residuals and logits
  bool partial_rotary = false;             ///< RoPE may rotate only the first dimensions of a head
  StoredProjections projections = StoredProjections::Apart;
  bool starts_with_bos = false;   ///< the model was trained on texts that begin with BOS, and is far worse without
  bool default_tied = false;      ///< where config.json has no `tie_word_embeddings`
  bool interleaved_gguf = false;  ///< a GGUF stores the rows of Q and K pair by pair (llama.cpp's permutation)
  /// Used where config.json does not say them, as those of Gemma 3; 0: it has to.
  std::int64_t default_heads = 0, default_vocabulary = 0, default_context = 0;
  std::int64_t default_kv_heads = 0;  ///< where config.json has no `num_key_value_heads`; 0: as many as query heads
  std::int64_t default_head_dim = 0;  ///< where config.json has no `head_dim`; 0: the width divided by the query heads
  double default_epsilon = 1e-6;      ///< of norms, where config.json does not say
  double default_rotary = 1;          ///< the part of a head that RoPE rotates, where config.json does not say
  double default_theta = 10000;       ///< RoPE's base where a file has none
  std::int64_t default_original_context = 0;  ///< of RoPE scaling, where config.json names none; 0: the context
  double default_window_theta = 0;            ///< the same of windowed layers; 0: they have no RoPE of their own
  /// The keys of RoPE's base and of the part of a head that it rotates, in config.json.
  std::string_view theta_key = "rope_theta", rotary_key = "partial_rotary_factor";
  std::string_view window_theta_key = {};  ///< the key of that base in config.json; empty: only rope_parameters says it
  std::int64_t window_pattern = 0;         ///< g: with SlidingWindowRule::Patterned, every g-th layer is global
  std::int64_t default_window = 0;         ///< tokens, where config.json has no `sliding_window`; 0: no layer has one
  std::int64_t unrotated_pattern =
      0;  ///< every n-th layer has no RoPE, where config.json does not say; 0: all have one
  SlidingWindowRule window = SlidingWindowRule::Ignored;
  std::vector<WrittenFlag> written_flags = {};

  /// Returns true if some layers may have a window and others not.
  bool window_by_layer() const { return window == SlidingWindowRule::Opted || window == SlidingWindowRule::Patterned; }
};

const std::vector<Family>& families();

/// The row of a `model_type`, of a class; null where no family has it.
const Family* find_family(std::string_view name);
const Family* find_class_family(std::string_view hf_class);

/// The row of a `general.architecture`. Two families may share such a name: one of them has windows, the other has
/// none.
const Family* find_gguf_family(std::string_view gguf_name, bool windowed);

/// The row of a model's architecture. Throws EngineError{Unsupported} where there is none.
const Family& family_of(const ModelConfig& model);

/// Sets what is no key of any file, but follows from the family.
void set_family_facts(const Family& family, ModelConfig& model);

/// Returns the layers from `first` on but every g-th, `every`, counted from 1; none if `every` is below 1.
std::vector<int> layers_but_every(std::int64_t every, std::int64_t layers, std::int64_t first = 0);

/// "LlamaForCausalLM, MistralForCausalLM", for messages.
std::string supported_classes();

/// "LLaMA 2, 3, …, Qwen3": the models of all families, for messages.
std::string supported_models();

}  // namespace carryover
