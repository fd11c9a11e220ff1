// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/weight_rows.h"

#include <algorithm>
#include <numeric>

#include "engine/families/family.h"

namespace carryover {

namespace {

constexpr std::string_view kSlotNames[kWeightSlots] = {"attention_norm",
                                                       "qkv",
                                                       "qkv_bias",
                                                       "output",
                                                       "query_norm",
                                                       "key_norm",
                                                       "gate_rows",
                                                       "gate_bias",
                                                       "attention_out_norm",
                                                       "feed_forward_norm",
                                                       "feed_forward_out_norm",
                                                       "gate_up",
                                                       "down",
                                                       "embedding",
                                                       "final_norm",
                                                       "head"};

/// Appends the tensors of one layer, each behind the rows of its slot that came before.
class LayerRows {
 public:
  LayerRows(const Family& family, std::int64_t layer)
      : norm_offset_(family.norm_offset),
        hf_("model.layers." + std::to_string(layer) + "."),
        gguf_("blk." + std::to_string(layer) + ".") {}

  void matrix(const char* hf, const char* gguf, WeightSlot slot, std::int64_t rows, std::int64_t columns,
              std::int64_t permuted_heads = 0) {
    WeightRow& row = add(hf, gguf, ".weight", slot, rows);
    row.columns = columns;
    row.permuted_heads = permuted_heads;
    row.module = std::string(hf).substr(std::string_view(hf).find('.') + 1);
  }
  void norm(const char* hf, const char* gguf, WeightSlot slot, std::int64_t values) {
    add(hf, gguf, ".weight", slot, values).gguf_offset = norm_offset_;
  }
  void bias(const char* hf, const char* gguf, WeightSlot slot, std::int64_t values) {
    add(hf, gguf, ".bias", slot, values);
  }
  void gates(std::int64_t heads, std::int64_t hidden) {
    add("self_attn.g_proj", "", ".weight", WeightSlot::GateRows, 3 * heads).columns = hidden;
    add("self_attn.g_proj", "", ".bias", WeightSlot::GateBias, 3 * heads);
  }

  std::vector<WeightRow> take() { return std::move(rows_); }

 private:
  WeightRow& add(const std::string& hf, const std::string& gguf, const char* suffix, WeightSlot slot,
                 std::int64_t count) {
    std::int64_t& used = used_[static_cast<std::size_t>(slot)];
    rows_.push_back({hf_ + hf + suffix, gguf.empty() ? "" : gguf_ + gguf + suffix, slot, used, count});
    used += count;
    return rows_.back();
  }

  double norm_offset_;
  std::string hf_, gguf_;
  std::vector<WeightRow> rows_;
  std::int64_t used_[kWeightSlots] = {};
};

}  // namespace

std::string_view slot_name(WeightSlot slot) {
  return kSlotNames[static_cast<std::size_t>(slot)];
}

std::vector<std::int64_t> WeightRow::shape() const {
  return is_vector() ? std::vector{rows} : std::vector{rows, columns};
}

std::string WeightRow::module_path() const {
  return hf_name.substr(0, hf_name.rfind('.'));
}

namespace {

void add_attention(const Family& family, const ModelConfig& c, LayerRows& rows) {
  const std::int64_t queries = c.heads * c.head_dim, keys = c.kv_heads * c.head_dim;
  const std::int64_t permuted = family.interleaved_gguf ? c.heads : 0;
  const std::int64_t permuted_keys = family.interleaved_gguf ? c.kv_heads : 0;
  using enum WeightSlot;
  if (family.norms_before_blocks) rows.norm("input_layernorm", "attn_norm", AttentionNorm, c.hidden);
  if (family.fused_projections) {
    rows.matrix("self_attn.qkv_proj", "attn_qkv", Qkv, queries + 2 * keys, c.hidden);
  } else {
    rows.matrix("self_attn.q_proj", "attn_q", Qkv, queries, c.hidden, permuted);
    rows.matrix("self_attn.k_proj", "attn_k", Qkv, keys, c.hidden, permuted_keys);
    rows.matrix("self_attn.v_proj", "attn_v", Qkv, keys, c.hidden);
  }
  if (family.qkv_bias) {
    rows.bias("self_attn.q_proj", "attn_q", QkvBias, queries);
    rows.bias("self_attn.k_proj", "attn_k", QkvBias, keys);
    rows.bias("self_attn.v_proj", "attn_v", QkvBias, keys);
  }
  rows.matrix("self_attn.o_proj", "attn_output", Output, c.hidden, queries);
  if (family.head_norms != HeadNorms::None) {
    const bool whole = family.head_norms == HeadNorms::WholeProjection;
    rows.norm("self_attn.q_norm", "attn_q_norm", QueryNorm, whole ? queries : c.head_dim);
    rows.norm("self_attn.k_norm", "attn_k_norm", KeyNorm, whole ? keys : c.head_dim);
  }
  rows.gates(c.heads, c.hidden);
}

/// A family that norms what blocks add calls the norm of what the feed-forward reads by another name.
void add_feed_forward(const Family& family, const ModelConfig& c, LayerRows& rows) {
  using enum WeightSlot;
  const bool after = family.norms_after_blocks;
  if (after) rows.norm("post_attention_layernorm", "post_attention_norm", AttentionOutNorm, c.hidden);
  if (family.norms_before_blocks)
    rows.norm(after ? "pre_feedforward_layernorm" : "post_attention_layernorm", "ffn_norm", FeedForwardNorm, c.hidden);
  if (after) rows.norm("post_feedforward_layernorm", "post_ffw_norm", FeedForwardOutNorm, c.hidden);
  if (family.fused_projections) {
    rows.matrix("mlp.gate_up_proj", "ffn_up", GateUp, 2 * c.intermediate, c.hidden);
  } else {
    rows.matrix("mlp.gate_proj", "ffn_gate", GateUp, c.intermediate, c.hidden);
    rows.matrix("mlp.up_proj", "ffn_up", GateUp, c.intermediate, c.hidden);
  }
  rows.matrix("mlp.down_proj", "ffn_down", Down, c.hidden, c.intermediate);
}

}  // namespace

std::vector<WeightRow> layer_rows(const ModelConfig& c, std::int64_t layer) {
  const Family& family = family_of(c);
  LayerRows rows(family, layer);
  add_attention(family, c, rows);
  add_feed_forward(family, c, rows);
  return rows.take();
}

std::vector<WeightRow> rows_before_layers(const ModelConfig& c) {
  return {{"model.embed_tokens.weight", "token_embd.weight", WeightSlot::Embedding, 0, c.vocabulary, c.hidden}};
}

std::vector<WeightRow> rows_after_layers(const ModelConfig& c) {
  std::vector<WeightRow> rows{{"model.norm.weight", "output_norm.weight", WeightSlot::FinalNorm, 0, c.hidden}};
  rows[0].gguf_offset = family_of(c).norm_offset;
  if (!c.tied_embeddings)
    rows.push_back({"lm_head.weight", "output.weight", WeightSlot::Head, 0, c.vocabulary, c.hidden});
  return rows;
}

std::vector<WeightRow> model_tensors(const ModelConfig& model) {
  std::vector<WeightRow> tensors = rows_before_layers(model);
  for (std::int64_t layer = 0; layer < model.layers; ++layer)
    for (WeightRow& row : layer_rows(model, layer))
      if (!row.is_gate()) tensors.push_back(std::move(row));
  for (WeightRow& row : rows_after_layers(model)) tensors.push_back(std::move(row));
  return tensors;
}

std::vector<WeightRow> gate_tensors(const ModelConfig& model) {
  std::vector<WeightRow> tensors;
  for (std::int64_t layer = 0; layer < model.layers; ++layer)
    for (WeightRow& row : layer_rows(model, layer))
      if (row.is_gate()) tensors.push_back(std::move(row));
  return tensors;
}

std::int64_t SlotShape::rows() const {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

std::vector<SlotShape> slot_shapes(const std::vector<WeightRow>& rows) {
  std::vector<SlotShape> shapes;
  for (const WeightRow& row : rows) {
    auto shape = std::ranges::find(shapes, row.slot, &SlotShape::slot);
    if (shape == shapes.end()) shape = shapes.insert(shape, {row.slot, {}, row.columns});
    shape->parts.push_back(row.rows);
  }
  return shapes;
}

std::vector<SlotShape> layer_slots(const ModelConfig& model) {
  std::vector<WeightRow> rows = layer_rows(model, 0);
  std::erase_if(rows, &WeightRow::is_gate);
  return slot_shapes(rows);
}

std::vector<std::string> lora_modules_of(const ModelConfig& model) {
  std::vector<std::string> names;
  for (const WeightRow& row : layer_rows(model, 0))
    if (!row.module.empty()) names.push_back(row.module);
  return names;
}

const std::vector<std::string>& lora_modules() {
  static const std::vector<std::string> modules = [] {
    std::vector<std::string> names;
    for (const Family& family : families()) {
      ModelConfig model;
      model.architecture = family.name;
      for (std::string& name : lora_modules_of(model))
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
  }();
  return modules;
}

}  // namespace carryover
