// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/llama_tensors.h"

namespace carryover {

std::vector<LlamaTensor> llama_tensors(const ModelConfig& c) {
  const std::int64_t query_rows = c.heads * c.head_dim, kv_rows = c.kv_heads * c.head_dim;
  std::vector<LlamaTensor> tensors;
  tensors.push_back({"model.embed_tokens.weight", "token_embd.weight", {c.vocabulary, c.hidden}});
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    const std::string hf = "model.layers." + std::to_string(layer) + ".", gguf = "blk." + std::to_string(layer) + ".";
    const auto add = [&](const char* hf_name, const char* gguf_name, std::vector<std::int64_t> shape,
                         std::int64_t permuted_heads = 0) {
      tensors.push_back({hf + hf_name + ".weight", gguf + gguf_name + ".weight", std::move(shape), permuted_heads});
    };
    add("input_layernorm", "attn_norm", {c.hidden});
    add("self_attn.q_proj", "attn_q", {query_rows, c.hidden}, c.heads);
    add("self_attn.k_proj", "attn_k", {kv_rows, c.hidden}, c.kv_heads);
    add("self_attn.v_proj", "attn_v", {kv_rows, c.hidden});
    add("self_attn.o_proj", "attn_output", {c.hidden, query_rows});
    add("post_attention_layernorm", "ffn_norm", {c.hidden});
    add("mlp.gate_proj", "ffn_gate", {c.intermediate, c.hidden});
    add("mlp.up_proj", "ffn_up", {c.intermediate, c.hidden});
    add("mlp.down_proj", "ffn_down", {c.hidden, c.intermediate});
  }
  tensors.push_back({"model.norm.weight", "output_norm.weight", {c.hidden}});
  if (!c.tied_embeddings) tensors.push_back({"lm_head.weight", "output.weight", {c.vocabulary, c.hidden}});
  return tensors;
}

std::vector<LlamaTensor> gate_tensors(const ModelConfig& c) {
  std::vector<LlamaTensor> tensors;
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    const std::string name = "model.layers." + std::to_string(layer) + ".self_attn.g_proj";
    tensors.push_back({name + ".weight", {}, {3 * c.heads, c.hidden}});
    tensors.push_back({name + ".bias", {}, {3 * c.heads}});
  }
  return tensors;
}

}  // namespace carryover
