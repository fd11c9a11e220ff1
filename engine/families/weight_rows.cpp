// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/weight_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/families/family.h"

namespace carryover {

namespace {

constexpr std::string_view kSlotNames[kWeightSlots] = {"attention_norm",
                                                       "attention_norm_bias",
                                                       "qkv",
                                                       "qkv_bias",
                                                       "output",
                                                       "output_bias",
                                                       "query_norm",
                                                       "key_norm",
                                                       "gate_rows",
                                                       "gate_bias",
                                                       "attention_out_norm",
                                                       "feed_forward_norm",
                                                       "feed_forward_norm_bias",
                                                       "feed_forward_out_norm",
                                                       "gate_up",
                                                       "up_bias",
                                                       "down",
                                                       "down_bias",
                                                       "embedding",
                                                       "final_norm",
                                                       "final_norm_bias",
                                                       "head"};

/// Appends tensors, each behind the rows of its slot that came before.
class Rows {
 public:
  /// `hf`, `gguf`: what comes before all names.
  Rows(const Family& family, std::string hf, std::string gguf)
      : family_(family), hf_(std::move(hf)), gguf_(std::move(gguf)) {}

  WeightRow& matrix(std::string_view hf, std::string_view gguf, WeightSlot slot, std::int64_t rows,
                    std::int64_t columns) {
    WeightRow& row = add(hf, gguf, ".weight", slot, rows);
    row.columns = columns;
    return row;
  }
  WeightRow& bias(std::string_view hf, std::string_view gguf, WeightSlot slot, std::int64_t values) {
    return add(hf, gguf, ".bias", slot, values);
  }
  /// A matrix that an adapter may target.
  WeightRow& module(std::string_view hf, std::string_view gguf, WeightSlot slot, std::int64_t rows,
                    std::int64_t columns) {
    WeightRow& row = matrix(hf, gguf, slot, rows, columns);
    row.module = hf.substr(hf.find('.') + 1);
    return row;
  }
  /// A norm's gains and, of a LayerNorm, its biases.
  void norm(std::string_view hf, std::string_view gguf, WeightSlot gains, std::optional<WeightSlot> biases,
            std::int64_t values) {
    add(hf, gguf, ".weight", gains, values).gguf_offset = family_.norm_offset;
    if (family_.layer_norms && biases) add(hf, gguf, ".bias", *biases, values);
  }

  std::vector<WeightRow> take() { return std::move(rows_); }

 private:
  WeightRow& add(std::string_view hf, std::string_view gguf, const char* suffix, WeightSlot slot, std::int64_t count) {
    const auto named = [&](const std::string& before, std::string_view name) {
      return (before + std::string(name)).append(suffix);
    };
    std::int64_t& used = used_[static_cast<std::size_t>(slot)];
    rows_.push_back({named(hf_, hf), gguf.empty() ? "" : named(gguf_, gguf), slot, used, count});
    used += count;
    return rows_.back();
  }

  const Family& family_;
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

/// The projections to queries, keys and values.
void add_qkv(const Family& family, const ModelConfig& c, Rows& rows) {
  struct Projection {
    std::string_view hf, gguf;
    std::int64_t rows;
    GgufRows order;
    std::int64_t heads;
  };
  const std::int64_t queries = c.heads * c.head_dim, keys = c.kv_heads * c.head_dim;
  const GgufRows pairs = family.interleaved_gguf ? GgufRows::PairByPair : GgufRows::Same;
  const GgufRows fused = family.projections == StoredProjections::FusedByHead ? GgufRows::PartByPart : GgufRows::Same;
  const std::vector<Projection> apart{{"self_attn.q_proj", "attn_q", queries, pairs, c.heads},
                                      {"self_attn.k_proj", "attn_k", keys, pairs, c.kv_heads},
                                      {"self_attn.v_proj", "attn_v", keys, GgufRows::Same, c.kv_heads}},
      together{{family.tensors.qkv, "attn_qkv", queries + 2 * keys, fused, c.heads}};
  const auto& all = family.projections == StoredProjections::Apart ? apart : together;
  const auto ordered = [](WeightRow& row, const Projection& projection) {
    row.gguf_rows = projection.order;
    row.heads = projection.heads;
  };
  for (const Projection& p : all) ordered(rows.module(p.hf, p.gguf, WeightSlot::Qkv, p.rows, c.hidden), p);
  if (family.biases == Biases::None) return;
  for (const Projection& p : all) ordered(rows.bias(p.hf, p.gguf, WeightSlot::QkvBias, p.rows), p);
}

void add_attention(const Family& family, const ModelConfig& c, Rows& rows) {
  const std::int64_t queries = c.heads * c.head_dim, keys = c.kv_heads * c.head_dim;
  using enum WeightSlot;
  if (family.norms_before_blocks) rows.norm("input_layernorm", "attn_norm", AttentionNorm, AttentionNormBias, c.hidden);
  add_qkv(family, c, rows);
  rows.module(family.tensors.output, "attn_output", Output, c.hidden, queries);
  if (family.biases == Biases::All) rows.bias(family.tensors.output, "attn_output", OutputBias, c.hidden);
  if (family.head_norms != HeadNorms::None) {
    const bool whole = family.head_norms == HeadNorms::WholeProjection;
    rows.norm("self_attn.q_norm", "attn_q_norm", QueryNorm, {}, whole ? queries : c.head_dim);
    rows.norm("self_attn.k_norm", "attn_k_norm", KeyNorm, {}, whole ? keys : c.head_dim);
  }
  rows.matrix("self_attn.g_proj", "", GateRows, 3 * c.heads, c.hidden);
  rows.bias("self_attn.g_proj", "", GateBias, 3 * c.heads);
}

/// A family that norms what blocks add calls the norm of what the feed-forward reads by another name.
void add_feed_forward(const Family& family, const ModelConfig& c, Rows& rows) {
  using enum WeightSlot;
  const bool after = family.norms_after_blocks;
  if (after) rows.norm("post_attention_layernorm", "post_attention_norm", AttentionOutNorm, {}, c.hidden);
  if (family.norms_before_blocks)
    rows.norm(after ? "pre_feedforward_layernorm" : "post_attention_layernorm", "ffn_norm", FeedForwardNorm,
              FeedForwardNormBias, c.hidden);
  if (after) rows.norm("post_feedforward_layernorm", "post_ffw_norm", FeedForwardOutNorm, {}, c.hidden);
  if (family.projections == StoredProjections::Fused) {
    rows.module("mlp.gate_up_proj", "ffn_up", GateUp, 2 * c.intermediate, c.hidden);
  } else {
    if (family.gated_feed_forward) rows.module("mlp.gate_proj", "ffn_gate", GateUp, c.intermediate, c.hidden);
    rows.module(family.tensors.up, "ffn_up", GateUp, c.intermediate, c.hidden);
  }
  if (family.biases == Biases::All) rows.bias(family.tensors.up, "ffn_up", UpBias, c.intermediate);
  rows.module(family.tensors.down, "ffn_down", Down, c.hidden, c.intermediate);
  if (family.biases == Biases::All) rows.bias(family.tensors.down, "ffn_down", DownBias, c.hidden);
}

}  // namespace

std::vector<WeightRow> layer_rows(const ModelConfig& c, std::int64_t layer) {
  const Family& family = family_of(c);
  const std::string number = std::to_string(layer);
  Rows rows(family, std::string(family.tensors.root) + "layers." + number + ".", "blk." + number + ".");
  add_attention(family, c, rows);
  add_feed_forward(family, c, rows);
  return rows.take();
}

std::vector<WeightRow> rows_before_layers(const ModelConfig& c) {
  const Family& family = family_of(c);
  Rows rows(family, std::string(family.tensors.root), "");
  rows.matrix(family.tensors.embedding, "token_embd", WeightSlot::Embedding, c.vocabulary, c.hidden);
  return rows.take();
}

std::vector<WeightRow> rows_after_layers(const ModelConfig& c) {
  const Family& family = family_of(c);
  Rows rows(family, std::string(family.tensors.root), "");
  rows.norm(family.tensors.final_norm, "output_norm", WeightSlot::FinalNorm, WeightSlot::FinalNormBias, c.hidden);
  std::vector<WeightRow> all = rows.take();
  if (c.tied_embeddings) return all;
  Rows head(family, "", "");
  head.matrix(family.tensors.head, "output", WeightSlot::Head, c.vocabulary, c.hidden);
  for (WeightRow& row : head.take()) all.push_back(std::move(row));
  return all;
}

std::string embedding_name(const ModelConfig& model) {
  const TensorNames& names = family_of(model).tensors;
  return std::string(names.root).append(names.embedding).append(".weight");
}

std::string head_name(const ModelConfig& model) {
  return std::string(family_of(model).tensors.head) + ".weight";
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
