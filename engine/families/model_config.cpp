// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/families/model_config.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/families/config_range.h"
#include "engine/families/family.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

void check_windows(const ModelConfig& model, const std::string& where) {
  const std::vector<int>& windowed = model.window_layers;
  if (windowed.empty()) {
    if (model.window != 0) refuse_value(where, "the window", "belongs to no layer");
    return;
  }
  check_range(where, "the window", model.window, 1, std::int64_t{1} << 31);
  check_range(where, "a windowed layer", windowed.front(), 0, model.layers - 1);
  check_range(where, "a windowed layer", windowed.back(), 0, model.layers - 1);
  if (std::ranges::adjacent_find(windowed, std::greater_equal()) != windowed.end())
    refuse_value(where, "the list of windowed layers", "is not ascending");
  if (model.window_rope) model.window_rope->validate(where);
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
  check_range(where, "the vocabulary size", vocabulary, 1, 1 << 26);
  check_range(where, "the context length", context, 1, std::int64_t{1} << 31);
  if (heads % kv_heads != 0) refuse_value(where, "the number of heads", "is not a multiple of the number of KV heads");
  if (head_dim % 2 != 0) refuse_value(where, "the head size", "is odd, but RoPE rotates pairs");
  if (!(norm_epsilon >= 0 && norm_epsilon < 1)) refuse_value(where, "the norm's epsilon", "is out of range");
  if (!(query_scale > 0 && query_scale < 1e6)) refuse_value(where, "the scale of queries", "is out of range");
  if (bos_id) check_range(where, "the BOS id", *bos_id, 0, vocabulary - 1);
  if (eos_id) check_range(where, "the EOS id", *eos_id, 0, vocabulary - 1);
  rope.validate(where);
  check_windows(*this, where);
}

void to_json(nlohmann::json& json, const ModelConfig& model) {
  const auto optional = [](const std::optional<std::int64_t>& id) {
    return id ? nlohmann::json(*id) : nlohmann::json();
  };
  json = {{"architecture", model.architecture},
          {"name", model.name},
          {"layers", model.layers},
          {"hidden", model.hidden},
          {"intermediate", model.intermediate},
          {"heads", model.heads},
          {"kv_heads", model.kv_heads},
          {"head_dim", model.head_dim},
          {"vocabulary", model.vocabulary},
          {"context", model.context},
          {"norm_epsilon", model.norm_epsilon},
          {"tied_embeddings", model.tied_embeddings},
          {"parameters", model.parameters()},
          {"rope", model.rope},
          {"bos_id", optional(model.bos_id)},
          {"eos_id", optional(model.eos_id)}};
  if (model.query_scale != 1) json["query_scale"] = model.query_scale;
  if (model.window_layers.empty()) return;
  json["window"] = model.window;
  json["window_layers"] = model.window_layers;
  if (model.window_rope) json["window_rope"] = *model.window_rope;
}

}  // namespace carryover
