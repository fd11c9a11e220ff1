// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/family.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace carryover {

namespace {

const Family* find(std::string_view Family::*field, std::string_view value) {
  const auto found = std::ranges::find(families(), value, field);
  return value.empty() || found == families().end() ? nullptr : &*found;
}

std::string listed(std::string_view Family::*field) {
  std::string all;
  for (const Family& family : families()) all.append(all.empty() ? "" : ", ").append(family.*field);
  return all;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> table{
      {.name = "llama",
       .hf_class = "LlamaForCausalLM",
       .models = "LLaMA 2, 3, 3.1, 3.2, SmolLM2, TinyLlama",
       .gguf_name = "llama",
       .interleaved_gguf = true,
       .written_flags = {{"attention_bias", false}, {"mlp_bias", false}}},
      {.name = "mistral",
       .hf_class = "MistralForCausalLM",
       .models = "Mistral",
       .gguf_name = "llama",
       .interleaved_gguf = true,
       .default_kv_heads = 8,
       .default_window = 4096,
       .window = SlidingWindowRule::Stated},
      {.name = "qwen2",
       .hf_class = "Qwen2ForCausalLM",
       .models = "Qwen2, Qwen2.5",
       .gguf_name = "qwen2",
       .biases = Biases::Qkv,
       .default_kv_heads = 32,
       .default_window = 4096,
       .window = SlidingWindowRule::Opted},
      {.name = "qwen3",
       .hf_class = "Qwen3ForCausalLM",
       .models = "Qwen3",
       .gguf_name = "qwen3",
       .head_norms = HeadNorms::EachHead,
       .default_kv_heads = 32,
       .default_head_dim = 128,
       .default_window = 4096,
       .window = SlidingWindowRule::Opted,
       .written_flags = {{"attention_bias", false}}},
      {.name = "gemma3_text",
       .hf_class = "Gemma3ForCausalLM",
       .models = "Gemma 3 (text)",
       .gguf_name = "gemma3",
       .head_norms = HeadNorms::EachHead,
       .activation = Activation::GeluTanh,
       .norm_offset = 1,
       .norms_after_blocks = true,
       .scaled_embedding = true,
       .query_scalar = true,
       .layers_of_other_scale = 62,
       .starts_with_bos = true,
       .default_tied = true,
       .default_heads = 8,
       .default_vocabulary = 262208,
       .default_context = 131072,
       .default_kv_heads = 4,
       .default_head_dim = 256,
       .default_theta = 1e6,
       .default_window_theta = 1e4,
       .window_theta_key = "rope_local_base_freq",
       .window_pattern = 6,
       .default_window = 4096,
       .window = SlidingWindowRule::Patterned,
       .written_flags = {{"attention_bias", false}}},
      {.name = "gemma2",
       .hf_class = "Gemma2ForCausalLM",
       .models = "Gemma 2",
       .gguf_name = "gemma2",
       .activation = Activation::GeluTanh,
       .norm_offset = 1,
       .norms_after_blocks = true,
       .scaled_embedding = true,
       .query_scalar = true,
       .default_score_cap = 50,
       .default_logit_cap = 30,
       .layers_of_other_scale = 46,
       .starts_with_bos = true,
       .default_tied = true,
       .default_kv_heads = 4,
       .default_head_dim = 256,
       .window_pattern = 2,
       .default_window = 4096,
       .window = SlidingWindowRule::Patterned,
       .written_flags = {{"attention_bias", false}}},
      {.name = "phi3",
       .hf_class = "Phi3ForCausalLM",
       .models = "Phi-3, Phi-3.5, Phi-4-mini",
       .gguf_name = "phi3",
       .partial_rotary = true,
       .projections = StoredProjections::Fused,
       .default_epsilon = 1e-5,
       .default_original_context = 4096,
       .window = SlidingWindowRule::Stated},
      {.name = "olmo2",
       .hf_class = "Olmo2ForCausalLM",
       .models = "OLMo 2",
       .gguf_name = "olmo2",
       .head_norms = HeadNorms::WholeProjection,
       .norms_before_blocks = false,
       .norms_after_blocks = true,
       .default_epsilon = 1e-5,
       .written_flags = {{"attention_bias", false}}},
      {.name = "olmo3",
       .hf_class = "Olmo3ForCausalLM",
       .models = "OLMo 3",
       .gguf_name = "olmo2",
       .head_norms = HeadNorms::WholeProjection,
       .norms_before_blocks = false,
       .norms_after_blocks = true,
       .default_epsilon = 1e-5,
       .default_theta = 5e5,
       .default_window_theta = 5e5,
       .window_pattern = 4,
       .default_window = 4096,
       .window = SlidingWindowRule::Patterned,
       .written_flags = {{"attention_bias", false}}},
      {.name = "granite",
       .hf_class = "GraniteForCausalLM",
       .models = "Granite 3",
       .gguf_name = "granite",
       .multipliers = true,
       .interleaved_gguf = true,
       .written_flags = {{"attention_bias", false}, {"mlp_bias", false}}},
      {.name = "smollm3",
       .hf_class = "SmolLM3ForCausalLM",
       .models = "SmolLM3",
       .gguf_name = "smollm3",
       .default_tied = true,
       .interleaved_gguf = true,
       .default_kv_heads = 4,
       .default_theta = 2e6,
       .unrotated_pattern = 4,
       .written_flags = {{"attention_bias", false}, {"mlp_bias", false}, {"use_sliding_window", false}}},
      {.name = "gpt_neox",
       .hf_class = "GPTNeoXForCausalLM",
       .models = "Pythia, GPT-NeoX",
       .gguf_name = "gptneox",
       .tensors = {.root = "gpt_neox.",
                   .embedding = "embed_in",
                   .final_norm = "final_layer_norm",
                   .head = "embed_out",
                   .qkv = "attention.query_key_value",
                   .output = "attention.dense",
                   .up = "mlp.dense_h_to_4h",
                   .down = "mlp.dense_4h_to_h"},
       .biases = Biases::All,
       .activation = Activation::Gelu,
       .gated_feed_forward = false,
       .layer_norms = true,
       .parallel_key = true,
       .partial_rotary = true,
       .projections = StoredProjections::FusedByHead,
       .default_epsilon = 1e-5,
       .default_rotary = 0.25,
       .theta_key = "rotary_emb_base",
       .rotary_key = "rotary_pct",
       .written_flags = {{"attention_bias", true}}},
  };
  return table;
}

const Family* find_family(std::string_view name) {
  return find(&Family::name, name);
}

const Family* find_class_family(std::string_view hf_class) {
  return find(&Family::hf_class, hf_class);
}

const Family* find_gguf_family(std::string_view gguf_name, bool windowed) {
  for (const Family& family : families())
    if (family.gguf_name == gguf_name && windowed == (family.window != SlidingWindowRule::Ignored)) return &family;
  return find(&Family::gguf_name, gguf_name);
}

const Family& family_of(const ModelConfig& model) {
  if (const Family* family = find_family(model.architecture)) return *family;
  throw EngineError(Fault::Unsupported, model.name,
                    "the architecture '" + model.architecture.substr(0, 60) + "' is not supported",
                    "Supported: " + supported_classes() + ".");
}

void set_family_facts(const Family& family, ModelConfig& model) {
  model.architecture = family.name;
  if (family.scaled_embedding) model.embedding_scale = std::sqrt(static_cast<double>(model.hidden));
}

std::vector<int> layers_but_every(std::int64_t every, std::int64_t layers, std::int64_t first) {
  std::vector<int> found;
  for (std::int64_t layer = std::max<std::int64_t>(0, first); layer < layers; ++layer)
    if (every > 0 && (layer + 1) % every != 0) found.push_back(static_cast<int>(layer));
  return found;
}

std::string supported_classes() {
  return listed(&Family::hf_class);
}

std::string supported_models() {
  return listed(&Family::models);
}

}  // namespace carryover
