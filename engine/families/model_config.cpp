// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/model_config.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/families/config_range.h"
#include "engine/families/family.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

void check_layers(const std::vector<int>& list, const char* what, const ModelConfig& model, const std::string& where) {
  if (list.empty()) return;
  for (const int end : {list.front(), list.back()}) check_range(where, what, end, 0, model.layers - 1);
  if (std::ranges::adjacent_find(list, std::greater_equal()) != list.end())
    refuse_value(where, std::string("the list of ") + what, "is not ascending");
}

void check_windows(const ModelConfig& model, const std::string& where) {
  check_layers(model.window_layers, "windowed layers", model, where);
  if (!model.window_layers.empty())
    check_range(where, "the window", model.window, 1, std::int64_t{1} << 31);
  else if (model.window != 0)
    refuse_value(where, "the window", "belongs to no layer");
  if (!model.window_rope) return;
  model.window_rope->validate(model.rope_dims(), where);
  if (depends_on_length(model.window_rope->kind))
    refuse_value(where, "the RoPE of windowed layers", "depends on the length of a run");
}

void check_scales(const ModelConfig& model, const std::string& where) {
  for (const auto& [scale, field] : {std::pair(model.embedding_scale, "the scale of embeddings"),
                                     std::pair(model.query_scale, "the scale of queries"),
                                     std::pair(model.residual_scale, "the scale of what a block adds"),
                                     std::pair(model.logit_divisor, "what logits are divided by")})
    if (!(scale > 0 && scale < 1e6)) refuse_value(where, field, "is out of range");
  for (const auto& [cap, field] :
       {std::pair(model.score_cap, "the soft cap of scores"), std::pair(model.logit_cap, "the soft cap of logits")})
    if (!(cap == 0 || (cap > 1e-3 && cap < 1e6))) refuse_value(where, field, "is out of range");
}

}  // namespace

std::int64_t ModelConfig::parameters() const {
  const auto sum = [](const std::vector<SlotShape>& slots) {
    std::int64_t values = 0;
    for (const SlotShape& slot : slots) values += slot.values();
    return values;
  };
  return sum(slot_shapes(rows_before_layers(*this))) + layers * sum(layer_slots(*this)) +
         sum(slot_shapes(rows_after_layers(*this)));
}

bool ModelConfig::is_windowed(int layer) const {
  return std::ranges::binary_search(window_layers, layer);
}

bool ModelConfig::is_rotated(int layer) const {
  return !std::ranges::binary_search(unrotated_layers, layer);
}

std::vector<int> ModelConfig::global_layers() const {
  std::vector<int> global;
  for (int layer = 0; layer < layers; ++layer)
    if (!is_windowed(layer)) global.push_back(layer);
  return global;
}

void ModelConfig::validate(const std::string& where) const {
  if (find_family(architecture) == nullptr)
    refuse_value(where, "the architecture", "is '" + architecture.substr(0, 60) + "', which is not known");
  // These limits are far above any real model, and keep every product of sizes and parameters() · 8 bytes in 63 bits.
  check_range(where, "the number of layers", layers, 1, 1024);
  check_range(where, "the hidden size", hidden, 1, 1 << 18);
  check_range(where, "the feed-forward size", intermediate, 1, 1 << 20);
  check_range(where, "the number of heads", heads, 1, 4096);
  check_range(where, "the number of KV heads", kv_heads, 1, heads);
  check_range(where, "the head size", head_dim, 2, 4096);
  check_range(where, "the size of what RoPE rotates", rope_dims(), 2, head_dim);
  check_range(where, "the vocabulary size", vocabulary, 1, 1 << 26);
  check_range(where, "the context length", context, 1, std::int64_t{1} << 31);
  if (heads % kv_heads != 0) refuse_value(where, "the number of heads", "is not a multiple of the number of KV heads");
  if (find_family(architecture)->projections == StoredProjections::FusedByHead && kv_heads != heads)
    refuse_value(where, "the number of KV heads", "is not the number of heads, but files store them head by head");
  if (head_dim % 2 != 0) refuse_value(where, "the head size", "is odd, but RoPE rotates pairs");
  if (rotated_dims % 2 != 0) refuse_value(where, "the size of what RoPE rotates", "is odd, but it rotates pairs");
  if (!(norm_epsilon >= 0 && norm_epsilon < 1)) refuse_value(where, "the norm's epsilon", "is out of range");
  check_scales(*this, where);
  if (bos_id) check_range(where, "the BOS id", *bos_id, 0, vocabulary - 1);
  if (eos_id) check_range(where, "the EOS id", *eos_id, 0, vocabulary - 1);
  rope.validate(rope_dims(), where);
  if (rope.factor < 1) refuse_value(where, "rope.factor", "is below 1");
  check_windows(*this, where);
  check_layers(unrotated_layers, "layers without RoPE", *this, where);
}

void to_json(nlohmann::json& json, const ModelConfig& model) {
  json = json_of_fields(model);
  json["parameters"] = model.parameters();
}

ModelConfig model_config_from_json(const nlohmann::json& json, const std::string& where) {
  if (!json.is_object()) refuse_value(where, "the model", "is not a JSON object");
  auto model = fields_of_json<ModelConfig>(json, where, "model.");
  model.validate(where);
  return model;
}

}  // namespace carryover
