// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include "engine/families/model_config.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

struct TinyModelOptions {
  std::string dtype = "F32";  ///< "F32", "F16" or "BF16"
  int shards = 1;             ///< more than one: model-0000i-of-0000n.safetensors and their index
  bool newer_config = false;  ///< `rope_parameters` and `dtype` in place of `rope_theta`, `rope_scaling`, `torch_dtype`
};

/// A LLaMA with 4 layers, 4 query heads in 2 groups, d = 16 and 256 tokens of vocabulary, where not said otherwise.
inline ModelConfig tiny_config(std::int64_t layers = 4, std::int64_t heads = 4, std::int64_t kv_heads = 2,
                               std::int64_t head_dim = 16, std::int64_t vocabulary = 256) {
  ModelConfig config;
  config.architecture = "llama";
  config.name = "tiny";
  config.layers = layers;
  config.heads = heads;
  config.kv_heads = kv_heads;
  config.head_dim = head_dim;
  config.hidden = heads * head_dim;
  config.intermediate = 2 * config.hidden;
  config.vocabulary = vocabulary;
  config.context = 2048;
  config.bos_id = 1;
  config.eos_id = 2;
  return config;
}

using TensorShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// Those of GPT-NeoX, where every linear map but the head has a bias.
inline TensorShapes neox_tensor_shapes(const ModelConfig& c) {
  TensorShapes shapes{{"gpt_neox.embed_in.weight", {c.vocabulary, c.hidden}}};
  const auto add = [&](const std::string& module, std::vector<std::int64_t> shape) {
    shapes.push_back({"gpt_neox." + module + ".weight", shape});
    shapes.push_back({"gpt_neox." + module + ".bias", {shape[0]}});
  };
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    const std::string at = "layers." + std::to_string(layer) + ".";
    add(at + "input_layernorm", {c.hidden});
    add(at + "attention.query_key_value", {3 * c.heads * c.head_dim, c.hidden});
    add(at + "attention.dense", {c.hidden, c.heads * c.head_dim});
    add(at + "post_attention_layernorm", {c.hidden});
    add(at + "mlp.dense_h_to_4h", {c.intermediate, c.hidden});
    add(at + "mlp.dense_4h_to_h", {c.hidden, c.intermediate});
  }
  add("final_layer_norm", {c.hidden});
  if (!c.tied_embeddings) shapes.push_back({"embed_out.weight", {c.vocabulary, c.hidden}});
  return shapes;
}

/// Names and shapes of all tensors of an HF checkpoint of this config, in the order that HF lists them.
inline TensorShapes hf_tensor_shapes(const ModelConfig& c) {
  if (c.architecture == "gpt_neox") return neox_tensor_shapes(c);
  TensorShapes shapes;
  const std::int64_t queries = c.heads * c.head_dim, keys = c.kv_heads * c.head_dim;
  const bool gemma = c.architecture.starts_with("gemma"), olmo = c.architecture.starts_with("olmo"),
             fused = c.architecture == "phi3";
  shapes.push_back({"model.embed_tokens.weight", {c.vocabulary, c.hidden}});
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    const auto add = [&](const char* name, std::vector<std::int64_t> shape) {
      shapes.push_back({"model.layers." + std::to_string(layer) + "." + name, std::move(shape)});
    };
    if (!olmo) add("input_layernorm.weight", {c.hidden});
    if (fused) {
      add("self_attn.qkv_proj.weight", {queries + 2 * keys, c.hidden});
    } else {
      add("self_attn.q_proj.weight", {queries, c.hidden});
      add("self_attn.k_proj.weight", {keys, c.hidden});
      add("self_attn.v_proj.weight", {keys, c.hidden});
    }
    if (c.architecture == "qwen2") {
      add("self_attn.q_proj.bias", {queries});
      add("self_attn.k_proj.bias", {keys});
      add("self_attn.v_proj.bias", {keys});
    }
    add("self_attn.o_proj.weight", {c.hidden, queries});
    if (c.architecture == "qwen3" || c.architecture == "gemma3_text" || olmo) {
      add("self_attn.q_norm.weight", {olmo ? queries : c.head_dim});
      add("self_attn.k_norm.weight", {olmo ? keys : c.head_dim});
    }
    add("post_attention_layernorm.weight", {c.hidden});
    if (gemma) add("pre_feedforward_layernorm.weight", {c.hidden});
    if (gemma || olmo) add("post_feedforward_layernorm.weight", {c.hidden});
    if (fused) {
      add("mlp.gate_up_proj.weight", {2 * c.intermediate, c.hidden});
    } else {
      add("mlp.gate_proj.weight", {c.intermediate, c.hidden});
      add("mlp.up_proj.weight", {c.intermediate, c.hidden});
    }
    add("mlp.down_proj.weight", {c.hidden, c.intermediate});
  }
  shapes.push_back({"model.norm.weight", {c.hidden}});
  if (!c.tied_embeddings) shapes.push_back({"lm_head.weight", {c.vocabulary, c.hidden}});
  return shapes;
}

/// Random weights under their HF names, row-major: N(0, 1/fan-in) for matrices (embeddings N(0, 1)), 1 + N(0, 0.1²) for
/// norms, N(0, 0.5²) for biases; so activations stay near one and attention is neither flat nor saturated.
inline std::map<std::string, std::vector<float>> random_weights(const ModelConfig& config, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::map<std::string, std::vector<float>> weights;
  for (const auto& [name, shape] : hf_tensor_shapes(config)) {
    const bool vector = shape.size() == 1;
    const bool embedding = name == "model.embed_tokens.weight" || name == "gpt_neox.embed_in.weight";
    const auto columns = static_cast<float>(shape.back());
    std::vector<float> values(static_cast<std::size_t>(vector ? shape[0] : shape[0] * shape[1]));
    const bool bias = name.ends_with(".bias");
    const float scale = bias ? 0.5f : vector ? 0.1f : embedding ? 1.0f : 1.0f / std::sqrt(columns);
    for (float& value : values) value = (vector && !bias ? 1.0f : 0.0f) + scale * normal(random);
    weights[name] = std::move(values);
  }
  return weights;
}

inline nlohmann::json hf_rope_json(const RopeConfig& rope, const char* kind_key) {
  nlohmann::json json{{kind_key, rope_kind_name(rope.kind)}};
  if (rope.kind != RopeConfig::Kind::Default) json["factor"] = rope.factor;
  if (rope.original_context != 0) json["original_max_position_embeddings"] = rope.original_context;
  if (rope.kind == RopeConfig::Kind::Llama3) {
    json["low_freq_factor"] = rope.low_frequency_factor;
    json["high_freq_factor"] = rope.high_frequency_factor;
  }
  if (rope.attention_factor > 0) json["attention_factor"] = rope.attention_factor;
  if (rope.kind == RopeConfig::Kind::Yarn)
    json.update({{"beta_fast", rope.fast_turns}, {"beta_slow", rope.slow_turns}});
  if (rope.kind == RopeConfig::Kind::Longrope)
    json.update({{"short_factor", rope.short_factors}, {"long_factor", rope.long_factors}});
  return json;
}

/// Returns the config.json of this model, in the older or newer spelling.
inline nlohmann::json hf_config_json(const ModelConfig& c, const TinyModelOptions& options = {}) {
  const std::map<std::string, std::string> classes{
      {"llama", "LlamaForCausalLM"},     {"mistral", "MistralForCausalLM"}, {"qwen2", "Qwen2ForCausalLM"},
      {"qwen3", "Qwen3ForCausalLM"},     {"gemma2", "Gemma2ForCausalLM"},   {"gemma3_text", "Gemma3ForCausalLM"},
      {"phi3", "Phi3ForCausalLM"},       {"olmo2", "Olmo2ForCausalLM"},     {"olmo3", "Olmo3ForCausalLM"},
      {"granite", "GraniteForCausalLM"}, {"smollm3", "SmolLM3ForCausalLM"}, {"gpt_neox", "GPTNeoXForCausalLM"}};
  // Dynamic scaling begins behind the model's context: its reader knows no other.
  const bool own_context = c.rope.kind == RopeConfig::Kind::Dynamic && c.rope.original_context != 0;
  nlohmann::json json{{"architectures", {classes.at(c.architecture)}},
                      {"model_type", c.architecture},
                      {"hidden_size", c.hidden},
                      {"intermediate_size", c.intermediate},
                      {"num_hidden_layers", c.layers},
                      {"num_attention_heads", c.heads},
                      {"num_key_value_heads", c.kv_heads},
                      {"head_dim", c.head_dim},
                      {"vocab_size", c.vocabulary},
                      {"max_position_embeddings", own_context ? c.rope.original_context : c.context},
                      {"rms_norm_eps", c.norm_epsilon},
                      {"tie_word_embeddings", c.tied_embeddings}};
  if (c.window > 0) {
    json["sliding_window"] = c.window;
    if (c.architecture.starts_with("qwen")) json["use_sliding_window"] = true;
    for (int layer = 0; layer < c.layers; ++layer)
      json["layer_types"].push_back(c.is_windowed(layer) ? "sliding_attention" : "full_attention");
  }
  if (c.architecture.starts_with("gemma")) {
    json.update({{"hidden_activation", "gelu_pytorch_tanh"},
                 {"query_pre_attn_scalar", static_cast<double>(c.head_dim) / (c.query_scale * c.query_scale)}});
    if (c.architecture == "gemma2")
      json.update({{"attn_logit_softcapping", c.score_cap}, {"final_logit_softcapping", c.logit_cap}});
    else
      json["rope_local_base_freq"] = c.window_rope ? c.window_rope->theta : 1e4;
    if (c.window == 0) json["sliding_window_pattern"] = 1;  // without it, five of six layers have a window
  } else {
    json["hidden_act"] = c.architecture == "gpt_neox" ? "gelu" : "silu";
  }
  if (c.architecture == "gpt_neox")
    json.update({{"layer_norm_eps", c.norm_epsilon}, {"use_parallel_residual", c.parallel_blocks}});
  if (c.architecture == "granite")
    json.update({{"embedding_multiplier", c.embedding_scale},
                 {"attention_multiplier", c.query_scale / std::sqrt(static_cast<double>(c.head_dim))},
                 {"residual_multiplier", c.residual_scale},
                 {"logits_scaling", c.logit_divisor}});
  if (c.architecture == "phi3" && c.rope.original_context != 0)
    json["original_max_position_embeddings"] = c.rope.original_context;
  if (c.rotated_dims != 0)
    json["partial_rotary_factor"] = static_cast<double>(c.rotated_dims) / static_cast<double>(c.head_dim);
  if (c.architecture == "olmo3" && c.window == 0)  // without it, three of four layers have a window
    json["layer_types"] = std::vector<std::string>(static_cast<std::size_t>(c.layers), "full_attention");
  if (c.architecture == "smollm3")
    for (int layer = 0; layer < c.layers; ++layer) json["no_rope_layers"].push_back(c.is_rotated(layer) ? 1 : 0);
  if (c.bos_id) json["bos_token_id"] = *c.bos_id;
  if (c.eos_id) json["eos_token_id"] = *c.eos_id;
  const std::string dtype = options.dtype == "F32" ? "float32" : options.dtype == "F16" ? "float16" : "bfloat16";
  json[options.newer_config ? "dtype" : "torch_dtype"] = dtype;
  if (options.newer_config) {
    json["rope_parameters"] = hf_rope_json(c.rope, "rope_type");
    json["rope_parameters"]["rope_theta"] = c.rope.theta;
  } else {
    json["rope_theta"] = c.rope.theta;
    json["rope_scaling"] =
        c.rope.kind == RopeConfig::Kind::Default ? nlohmann::json() : hf_rope_json(c.rope, "rope_type");
  }
  return json;
}

/// Writes an HF folder with the given weights and gives its path back. `dir` is made where it is missing.
inline std::string write_tiny_model(const std::filesystem::path& dir, const ModelConfig& config,
                                    const std::map<std::string, std::vector<float>>& weights,
                                    const TinyModelOptions& options = {}) {
  std::filesystem::create_directories(dir);
  write_bytes(dir / "config.json", hf_config_json(config, options).dump(1));
  const auto shapes = hf_tensor_shapes(config);
  const auto shards = static_cast<std::size_t>(options.shards);
  std::vector<std::vector<SafetensorsEntry>> files(shards);
  nlohmann::json index{{"metadata", {{"total_size", 0}}}, {"weight_map", nlohmann::json::object()}};
  const auto shard_name = [&](std::size_t shard) {
    char name[64];
    std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", shard + 1, shards);
    return std::string(shards == 1 ? "model.safetensors" : name);
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto& [name, shape] = shapes[i];
    const std::size_t shard = i * shards / shapes.size();
    files[shard].push_back({name, options.dtype, shape, encode_values(weights.at(name), options.dtype)});
    index["weight_map"][name] = shard_name(shard);
  }
  for (std::size_t shard = 0; shard < shards; ++shard) {
    write_bytes(dir / shard_name(shard), make_safetensors(files[shard]));
  }
  if (shards > 1) write_bytes(dir / "model.safetensors.index.json", index.dump(1));
  return dir.string();
}

inline std::string write_tiny_model(const std::filesystem::path& dir, const ModelConfig& config, unsigned seed,
                                    const TinyModelOptions& options = {}) {
  return write_tiny_model(dir, config, random_weights(config, seed), options);
}

}  // namespace carryover::test
