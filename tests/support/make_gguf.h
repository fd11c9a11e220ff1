// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/tiny_model.h"

namespace carryover::test {

/// Writes GGUF files, correct ones unless told otherwise: fields that a test wants broken are public.
class GgufWriter {
 public:
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;     ///< used for padding; written as general.alignment only by add_int
  std::uint64_t extra_tensors = 0;  ///< added to the number of tensors that the header claims
  std::uint64_t extra_pairs = 0;    ///< added to the number of pairs that the header claims

  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  static std::string text(std::string_view value) { return raw<std::uint64_t>(value.size()) + std::string(value); }

  void add_pair(std::string_view key, std::uint32_t type, const std::string& value) {
    pairs_ += text(key) + raw(type) + value;
    ++pair_count_;
  }
  void add_int(std::string_view key, std::uint32_t value) { add_pair(key, 4, raw(value)); }
  void add_float(std::string_view key, float value) { add_pair(key, 6, raw(value)); }
  void add_bool(std::string_view key, bool value) { add_pair(key, 7, raw(static_cast<std::uint8_t>(value))); }
  void add_string(std::string_view key, std::string_view value) { add_pair(key, 8, text(value)); }
  void add_strings(std::string_view key, const std::vector<std::string>& values) {
    std::string bytes = raw<std::uint32_t>(8) + raw<std::uint64_t>(values.size());
    for (const std::string& value : values) bytes += text(value);
    add_pair(key, 9, bytes);
  }
  void add_floats(std::string_view key, const std::vector<float>& values) {
    std::string bytes = raw<std::uint32_t>(6) + raw<std::uint64_t>(values.size());
    for (const float value : values) bytes += raw(value);
    add_pair(key, 9, bytes);
  }
  void add_bools(std::string_view key, const std::vector<bool>& values) {
    std::string all = raw(std::uint32_t{7}) + raw(static_cast<std::uint64_t>(values.size()));
    for (const bool value : values) all += static_cast<char>(value ? 1 : 0);
    add_pair(key, 9, all);
  }
  void add_ints(std::string_view key, const std::vector<std::int32_t>& values) {
    std::string bytes = raw<std::uint32_t>(5) + raw<std::uint64_t>(values.size());
    for (const std::int32_t value : values) bytes += raw(value);
    add_pair(key, 9, bytes);
  }

  /// `shape` row-major; `type` is ggml's number; `bytes` go into the data section at the next aligned offset.
  void add_tensor(std::string_view name, const std::vector<std::int64_t>& shape, std::uint32_t type,
                  const std::string& bytes) {
    add_tensor_at(name, shape, type, data_.size());
    data_ += bytes;
    pad(data_);
  }
  /// A directory entry alone, with whatever offset.
  void add_tensor_at(std::string_view name, const std::vector<std::int64_t>& shape, std::uint32_t type,
                     std::uint64_t offset) {
    directory_ += text(name) + raw(static_cast<std::uint32_t>(shape.size()));
    for (auto size = shape.rbegin(); size != shape.rend(); ++size) directory_ += raw(*size);
    directory_ += raw(type) + raw(offset);
    ++tensor_count_;
  }

  std::string bytes() const {
    std::string file = "GGUF" + raw(version) + raw(tensor_count_ + extra_tensors) + raw(pair_count_ + extra_pairs) +
                       pairs_ + directory_;
    pad(file);
    return file + data_;
  }

 private:
  void pad(std::string& bytes) const {
    while (bytes.size() % alignment != 0) bytes += '\0';
  }
  std::string pairs_, directory_, data_;
  std::uint64_t pair_count_ = 0, tensor_count_ = 0;
};

/// Rows of an HF Q or K projection in the order that a GGUF stores them.
inline std::vector<float> permute_heads(const std::vector<float>& values, std::int64_t heads, std::int64_t rows) {
  const std::int64_t columns = static_cast<std::int64_t>(values.size()) / rows, head_dim = rows / heads;
  std::vector<float> permuted(values.size());
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t half = 0; half < 2; ++half) {
      for (std::int64_t pair = 0; pair < head_dim / 2; ++pair) {
        const std::int64_t from = head * head_dim + half * (head_dim / 2) + pair;
        const std::int64_t to = head * head_dim + 2 * pair + half;
        std::copy_n(values.begin() + from * columns, columns, permuted.begin() + to * columns);
      }
    }
  }
  return permuted;
}

/// The rows of GPT-NeoX's fused projection, or of its bias, as a GGUF stores them: the queries of all heads, then the
/// keys, then the values. An HF file has them head by head.
inline std::vector<float> part_by_part(const std::vector<float>& values, const ModelConfig& c) {
  const auto of_part = static_cast<std::ptrdiff_t>(values.size()) / (3 * c.heads);  // of one head
  std::vector<float> parts;
  for (std::ptrdiff_t part = 0; part < 3; ++part)
    for (std::ptrdiff_t head = 0; head < c.heads; ++head) {
      const auto first = values.begin() + (3 * head + part) * of_part;
      parts.insert(parts.end(), first, first + of_part);
    }
  return parts;
}

/// `after`: the family norms what blocks add.
inline std::string gguf_tensor_name(const std::string& hf_name, bool after = false) {
  static const std::map<std::string, std::string> kNamesAfter{{"post_attention_layernorm", "post_attention_norm"},
                                                              {"pre_feedforward_layernorm", "ffn_norm"},
                                                              {"post_feedforward_layernorm", "post_ffw_norm"}};
  static const std::map<std::string, std::string> kNames{{"model.embed_tokens", "token_embd"},
                                                         {"model.norm", "output_norm"},
                                                         {"lm_head", "output"},
                                                         {"input_layernorm", "attn_norm"},
                                                         {"self_attn.q_proj", "attn_q"},
                                                         {"self_attn.k_proj", "attn_k"},
                                                         {"self_attn.v_proj", "attn_v"},
                                                         {"self_attn.qkv_proj", "attn_qkv"},
                                                         {"self_attn.o_proj", "attn_output"},
                                                         {"self_attn.q_norm", "attn_q_norm"},
                                                         {"self_attn.k_norm", "attn_k_norm"},
                                                         {"post_attention_layernorm", "ffn_norm"},
                                                         {"mlp.gate_proj", "ffn_gate"},
                                                         {"mlp.up_proj", "ffn_up"},
                                                         {"mlp.gate_up_proj", "ffn_up"},
                                                         {"mlp.down_proj", "ffn_down"},
                                                         {"gpt_neox.embed_in", "token_embd"},
                                                         {"gpt_neox.final_layer_norm", "output_norm"},
                                                         {"embed_out", "output"},
                                                         {"attention.query_key_value", "attn_qkv"},
                                                         {"attention.dense", "attn_output"},
                                                         {"mlp.dense_h_to_4h", "ffn_up"},
                                                         {"mlp.dense_4h_to_h", "ffn_down"}};
  const std::string stem = hf_name.substr(0, hf_name.rfind('.')), suffix = hf_name.substr(stem.size());
  const std::string layers = hf_name.starts_with("gpt_neox.") ? "gpt_neox.layers." : "model.layers.";
  if (!stem.starts_with(layers)) return kNames.at(stem) + suffix;
  const std::size_t dot = stem.find('.', layers.size());
  const std::string part = stem.substr(dot + 1);
  const std::string name = after && kNamesAfter.contains(part) ? kNamesAfter.at(part) : kNames.at(part);
  return "blk." + stem.substr(layers.size(), dot - layers.size()) + "." + name + suffix;
}

/// The keys of a GGUF of this model's family. Linear RoPE scaling is written; llama3's is a tensor that the test adds.
inline void add_llama_keys(GgufWriter& writer, const ModelConfig& c) {
  static const std::map<std::string, std::string> kOther{
      {"gemma3_text", "gemma3"}, {"mistral", "llama"}, {"olmo3", "olmo2"}, {"gpt_neox", "gptneox"}};
  const std::string family = kOther.contains(c.architecture) ? kOther.at(c.architecture) : c.architecture;
  const auto add = [&](const std::string& key, std::int64_t value) {
    writer.add_int(key, static_cast<std::uint32_t>(value));
  };
  writer.add_string("general.architecture", family);
  writer.add_string("general.name", c.name);
  add(family + ".block_count", c.layers);
  add(family + ".context_length", c.context);
  add(family + ".embedding_length", c.hidden);
  add(family + ".feed_forward_length", c.intermediate);
  add(family + ".attention.head_count", c.heads);
  add(family + ".attention.head_count_kv", c.kv_heads);
  add(family + ".attention.key_length", c.head_dim);
  add(family + ".attention.value_length", c.head_dim);
  add(family + ".rope.dimension_count", c.rope_dims());
  add(family + ".vocab_size", c.vocabulary);
  writer.add_float(family + ".rope.freq_base", static_cast<float>(c.rope.theta));
  const bool neox = family == "gptneox";
  writer.add_float(family + (neox ? ".attention.layer_norm_epsilon" : ".attention.layer_norm_rms_epsilon"),
                   static_cast<float>(c.norm_epsilon));
  if (neox) writer.add_bool(family + ".use_parallel_residual", c.parallel_blocks);
  if (c.window > 0) add(family + ".attention.sliding_window", c.window);
  if (family == "gemma2") {
    writer.add_float(family + ".attn_logit_softcapping", static_cast<float>(c.score_cap));
    writer.add_float(family + ".final_logit_softcapping", static_cast<float>(c.logit_cap));
  }
  if (c.window > 0 && !family.starts_with("gemma")) {  // whose pattern follows from the architecture
    std::vector<bool> marks;
    for (int layer = 0; layer < c.layers; ++layer) marks.push_back(c.is_windowed(layer));
    writer.add_bools(family + ".attention.sliding_window_pattern", marks);
  }
  if (family == "granite") {
    writer.add_float(family + ".embedding_scale", static_cast<float>(c.embedding_scale));
    writer.add_float(family + ".residual_scale", static_cast<float>(c.residual_scale));
    writer.add_float(family + ".logit_scale", static_cast<float>(c.logit_divisor));
    writer.add_float(family + ".attention.scale",
                     static_cast<float>(c.query_scale / std::sqrt(static_cast<double>(c.head_dim))));
  }
  if (c.rope.kind == RopeConfig::Kind::Linear) {
    writer.add_string(family + ".rope.scaling.type", "linear");
    writer.add_float(family + ".rope.scaling.factor", static_cast<float>(c.rope.factor));
  }
  if (c.rope.kind == RopeConfig::Kind::Yarn) {
    writer.add_string(family + ".rope.scaling.type", "yarn");
    writer.add_float(family + ".rope.scaling.factor", static_cast<float>(c.rope.factor));
  }
  if (c.rope.kind == RopeConfig::Kind::Longrope)
    writer.add_float(family + ".rope.scaling.attn_factor", static_cast<float>(c.rope.attention_factor));
  if (c.rope.kind == RopeConfig::Kind::Yarn || c.rope.kind == RopeConfig::Kind::Longrope)
    add(family + ".rope.scaling.original_context_length", c.rope.original_context);
  if (c.bos_id) add("tokenizer.ggml.bos_token_id", *c.bos_id);
  if (c.eos_id) add("tokenizer.ggml.eos_token_id", *c.eos_id);
}

/// Adds all weights, or those whose number in the list is `wanted`, Q and K permuted where the family's are; matrices
/// as `dtype` ("F32", "F16", "BF16"), vectors as F32.
inline void add_llama_tensors(GgufWriter& writer, const ModelConfig& c,
                              const std::map<std::string, std::vector<float>>& weights,
                              const std::string& dtype = "F32",
                              const std::function<bool(std::size_t number)>& wanted = {}) {
  std::size_t number = 0;
  for (const auto& [name, factors] : {std::pair("rope_factors_long.weight", &c.rope.long_factors),
                                      std::pair("rope_factors_short.weight", &c.rope.short_factors)})
    if (!factors->empty())
      writer.add_tensor(name, {std::ssize(*factors)}, 0, encode_values({factors->begin(), factors->end()}, "F32"));
  for (const auto& [name, shape] : hf_tensor_shapes(c)) {
    if (wanted && !wanted(number++)) continue;
    std::vector<float> values = weights.at(name);
    const bool gemma = c.architecture.starts_with("gemma");
    static const std::set<std::string> kPermuted{"llama", "mistral", "granite", "smollm3"};
    const bool permuted = kPermuted.contains(c.architecture);
    if (gemma && name.ends_with("norm.weight"))
      for (float& value : values) value += 1;
    if (permuted && name.find("q_proj") != std::string::npos) values = permute_heads(values, c.heads, shape[0]);
    if (permuted && name.find("k_proj") != std::string::npos) values = permute_heads(values, c.kv_heads, shape[0]);
    if (name.find("query_key_value") != std::string::npos) values = part_by_part(values, c);
    const std::string type = shape.size() == 1 ? "F32" : dtype;
    const std::uint32_t number = type == "F32" ? 0 : type == "F16" ? 1 : 30;
    writer.add_tensor(gguf_tensor_name(name, gemma || c.architecture.starts_with("olmo")), shape, number,
                      encode_values(values, type));
  }
}

/// A model in `count` files, as llama-gguf-split writes it with a first file without tensors: NAME-00001-of-0000N.gguf.
/// change(writer, number) is called for each file, counted from 0, before its tensors are added.
inline std::vector<std::string> write_split_gguf(
    const std::filesystem::path& folder, const ModelConfig& config,
    const std::map<std::string, std::vector<float>>& weights, std::size_t count,
    const std::function<void(GgufWriter& writer, std::size_t number)>& change = {}) {
  std::vector<std::string> paths;
  for (std::size_t part = 0; part < count; ++part) {
    GgufWriter writer;
    if (part == 0) add_llama_keys(writer, config);
    if (change) {
      change(writer, part);
    } else {
      writer.add_int("split.no", static_cast<std::uint32_t>(part));
      writer.add_int("split.count", static_cast<std::uint32_t>(count));
      writer.add_int("split.tensors.count", static_cast<std::uint32_t>(hf_tensor_shapes(config).size()));
    }
    if (part > 0)
      add_llama_tensors(writer, config, weights, "F32",
                        [&](std::size_t number) { return number % (count - 1) == part - 1; });
    paths.push_back(
        (folder / ("split-0000" + std::to_string(part + 1) + "-of-0000" + std::to_string(count) + ".gguf")).string());
    write_bytes(paths.back(), writer.bytes());
  }
  return paths;
}

/// A GGUF with every storage type, of random but finite blocks.
inline std::string make_mixed_gguf() {
  ModelConfig c = tiny_config(1, 2, 1, 16, 16);
  c.hidden = 256;
  c.intermediate = 32;
  GgufWriter writer;
  add_llama_keys(writer, c);
  writer.add_bool("tokenizer.ggml.add_bos_token", true);
  writer.add_strings("tokenizer.ggml.tokens", {"<s>", "a", "b", "ab"});
  writer.add_ints("tokenizer.ggml.token_type", {3, 1, 1, 1});
  writer.add_floats("tokenizer.ggml.scores", {0, -1, -2, -3});
  std::mt19937 random(5);
  const auto add = [&](const char* name, std::vector<std::int64_t> shape, std::uint32_t type, std::int64_t block,
                       std::int64_t size) {
    std::string bytes(static_cast<std::size_t>(shape[0] * (shape.size() == 2 ? shape[1] : 1) / block * size), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() & 0x3f);
    writer.add_tensor(name, shape, type, bytes);
  };
  add("token_embd.weight", {16, 256}, 13, 256, 176);
  add("blk.0.attn_norm.weight", {256}, 0, 1, 4);
  add("blk.0.attn_q.weight", {32, 256}, 12, 256, 144);
  add("blk.0.attn_k.weight", {16, 256}, 14, 256, 210);
  add("blk.0.attn_v.weight", {16, 256}, 6, 32, 22);
  add("blk.0.attn_output.weight", {256, 32}, 8, 32, 34);
  add("blk.0.ffn_norm.weight", {256}, 30, 1, 2);
  add("blk.0.ffn_gate.weight", {32, 256}, 2, 32, 18);
  add("blk.0.ffn_up.weight", {32, 256}, 7, 32, 24);
  add("blk.0.ffn_down.weight", {256, 32}, 3, 32, 20);
  add("output_norm.weight", {256}, 1, 1, 2);
  return writer.bytes();
}

}  // namespace carryover::test
