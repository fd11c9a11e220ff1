// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/families/model_config.h"

namespace carryover {

/// How transformers reads `sliding_window` from a family's config.json.
enum class SlidingWindowRule {
  Ignored,  ///< the family has no window, whatever the file says
  Stated,   ///< the window holds in all layers; 4096 tokens where the key is absent, none where it is null
  Opted,    ///< only with `use_sliding_window`, the window holds in the layers that `layer_types` names, or from layer
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
  std::string_view name;              ///< `model_type` in config.json, and ModelConfig::architecture
  std::string_view hf_class;          ///< the entry of `architectures` in config.json
  std::string_view models;            ///< for people: "Qwen2, Qwen2.5"
  std::string_view gguf_name;         ///< `general.architecture`; empty where GGUF files use another family's name
  bool qkv_bias = false;              ///< the projections to queries, keys and values add a bias
  bool query_key_norms = false;       ///< each head's queries and keys are normed before RoPE
  bool interleaved_gguf = false;      ///< a GGUF stores the rows of Q and K pair by pair (llama.cpp's permutation)
  std::int64_t default_kv_heads = 0;  ///< where config.json has no `num_key_value_heads`; 0: as many as query heads
  std::int64_t default_head_dim = 0;  ///< where config.json has no `head_dim`; 0: the width divided by the query heads
  SlidingWindowRule window = SlidingWindowRule::Ignored;
  std::vector<WrittenFlag> written_flags = {};

  bool window_by_layer() const { return window == SlidingWindowRule::Opted; }  ///< some layers have it, others not
};

const std::vector<Family>& families();

/// The row of a `model_type`, of a class, of a `general.architecture`; null where no family has it.
const Family* find_family(std::string_view name);
const Family* find_class_family(std::string_view hf_class);
const Family* find_gguf_family(std::string_view gguf_name);

/// The row of a model's architecture. Throws EngineError{Unsupported} where there is none.
const Family& family_of(const ModelConfig& model);

/// "LlamaForCausalLM, MistralForCausalLM", for messages.
std::string supported_classes();

/// "LLaMA 2, 3, …, Qwen3": the models of all families, for messages.
std::string supported_models();

}  // namespace carryover
