// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/cost/cost_model.h"

#include <algorithm>
#include <limits>

namespace carryover {

namespace {

__extension__ typedef __int128 Wide;

/// A forecast may be asked for absurd lengths; it then says "more than any machine has" and never wraps around.
std::int64_t saturated(Wide value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return value > most ? most : static_cast<std::int64_t>(value);
}

/// K and V of one position of one KV head, bytes.
Wide pair_bytes(const CostModel& cost) {
  return Wide{2} * cost.model.head_dim * cost.bytes_per_value;
}

/// Heads that sinks are kept for in a layer: KV heads of local heads, and long query heads.
Wide sink_rows(const CostModel& cost, int layer) {
  const Grouping& grouping = cost.config.grouping;
  return std::ssize(grouping.local_kv_heads(layer, cost.model)) + std::ssize(grouping.long_heads(layer));
}

Wide sink_bytes(const CostModel& cost) {
  Wide rows = 0;
  for (int layer = 0; layer < cost.model.layers; ++layer) rows += sink_rows(cost, layer);
  return rows * cost.config.sink_length * pair_bytes(cost);
}

/// Positions × heads of the prefixes that attention reads in one segment, over all layers. A retrieved prefix belongs
/// to a query head, a carried one to a KV head.
Wide prefix_slots(const CostModel& cost) {
  const Grouping& grouping = cost.config.grouping;
  Wide slots = 0;
  for (int layer = 0; layer < cost.model.layers; ++layer) {
    slots += Wide{cost.config.carry_length} * std::ssize(grouping.local_kv_heads(layer, cost.model));
    slots += Wide{cost.config.sink_length} * sink_rows(cost, layer);
    if (grouping.retrieves(layer)) {
      slots += Wide{cost.config.retrieval_length} * std::ssize(grouping.long_heads(layer));
    }
  }
  return slots;
}

/// The same of the segment's own keys and values, `length` tokens of them.
Wide segment_slots(const CostModel& cost, std::int64_t length) {
  return Wide{length} * cost.model.kv_heads * cost.model.layers;
}

/// An open segment's buffers, all layers: keys, their rotated copies, values, and twice the tail of its queries.
Wide open_bytes(const CostModel& cost) {
  const std::int64_t S = cost.config.segment_length, tail = std::min(cost.config.query_length, S);
  const Wide queries =
      Wide{2} * tail * cost.model.heads * cost.model.layers * cost.model.head_dim * cost.bytes_per_value;
  return segment_slots(cost, S) * pair_bytes(cost) * 3 / 2 + queries;
}

/// CostModel::activation_bytes of a chunk each of whose heads sees `past` more.
Wide temporaries(const CostModel& cost, std::int64_t chunk, std::int64_t past, bool loss) {
  const ModelConfig& model = cost.model;
  const std::int64_t bytes_per_value = cost.bytes_per_value;
  const auto unpacked = [&](Wide values) -> Wide {  // for one row they are not
    return cost.packed_weights ? std::min<Wide>(unpacked_block_bytes, values * bytes_per_value) : 0;
  };
  const Wide stream = 3 * model.hidden;  // the residual before and behind, and its normalised copy or what joins it
  const Wide seen = Wide{2} * model.kv_heads * (past + chunk);  // keys and values as attention's products read them
  const Wide attention = (seen + (Wide{3} * model.heads + 3 * model.kv_heads) * chunk) *
                         model.head_dim;                           // q, k, v, rotated q and k, output
  const Wide feed_forward = Wide{3} * model.intermediate * chunk;  // gate, up, product
  const Wide layer = (stream * chunk + std::max(attention, feed_forward)) * bytes_per_value +
                     unpacked(Wide{2} * model.intermediate * model.hidden);
  const Wide row = Wide{model.vocabulary} * bytes_per_value;
  const Wide logits =
      loss ? std::min<Wide>(logit_block_bytes, row * chunk) + unpacked(Wide{model.vocabulary} * model.hidden) : row;
  return std::max(layer, Wide{model.hidden} * chunk * bytes_per_value + logits);
}

}  // namespace

std::int64_t CostModel::weight_bytes() const {
  if (!packed_weights) return saturated(Wide{model.parameters()} * bytes_per_value);
  const auto matrix = [this](std::initializer_list<std::int64_t> parts, std::int64_t inner) {  // as model/weights packs
    constexpr std::int64_t block = 32, block_bytes = 34, whole_rows = 16;
    bool packs = inner % block == 0;
    Wide values = 0;
    for (const std::int64_t rows : parts) {
      packs = packs && rows % whole_rows == 0;
      values += Wide{rows} * inner;
    }
    return packs ? values / block * block_bytes : values * bytes_per_value;
  };
  const std::int64_t D = model.hidden, I = model.intermediate, q = model.heads * model.head_dim,
                     kv = model.kv_heads * model.head_dim;
  const Wide layer = matrix({q, kv, kv}, D) + matrix({D}, q) + matrix({I, I}, D) + matrix({D}, I);
  const Wide vectors = (Wide{2} * model.layers + 1) * D * bytes_per_value;
  return saturated(model.layers * layer + (model.tied_embeddings ? 1 : 2) * matrix({model.vocabulary}, D) + vectors);
}

std::int64_t CostModel::segmented_attention_bytes() const {
  return saturated((prefix_slots(*this) + segment_slots(*this, config.segment_length)) * pair_bytes(*this));
}

std::int64_t CostModel::carry_bytes() const {
  Wide heads = 0;
  for (int layer = 0; layer < model.layers; ++layer) heads += std::ssize(config.grouping.local_kv_heads(layer, model));
  return saturated(heads * config.carry_length * pair_bytes(*this));
}

std::int64_t CostModel::pool_bytes_per_token() const {
  if (config.retrieval_length == 0) return 0;
  Wide heads = 0;
  for (int layer : config.grouping.long_range_layers()) {
    heads += std::ssize(config.grouping.long_kv_heads(layer, model));
  }
  const Wide key = pool_key_bytes(config.pool_keys, model.head_dim, bytes_per_value);
  return saturated(heads * (key + Wide{model.head_dim} * bytes_per_value));
}

std::int64_t CostModel::pool_bytes(std::int64_t tokens) const {
  return saturated(Wide{pool_bytes_per_token()} * tokens);
}

std::int64_t CostModel::full_attention_bytes(std::int64_t tokens) const {
  return saturated(Wide{model.layers} * model.kv_heads * tokens * pair_bytes(*this));
}

std::int64_t CostModel::activation_bytes(std::int64_t chunk, bool loss) const {
  return saturated(temporaries(*this, chunk, 0, loss));
}

double CostModel::visible_positions() const {
  double prefix = 0;
  for (int layer = 0; layer < model.layers; ++layer) {
    const double taken = static_cast<double>(config.grouping.long_heads(layer).size());
    prefix += (static_cast<double>(model.heads) - taken) * static_cast<double>(config.carry_length);
    if (config.grouping.is_long_layer(layer)) prefix += taken * static_cast<double>(config.retrieval_length);
  }
  return static_cast<double>(config.segment_length + config.sink_length) +
         prefix / static_cast<double>(model.layers * model.heads);
}

MemoryBytes CostModel::segmented(std::int64_t tokens, RunUse use) const {
  const std::int64_t length = std::min(tokens, config.segment_length);
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = activation_bytes(length, use.loss);
  const Wide prefixes = prefix_slots(*this) * pair_bytes(*this), own = segment_slots(*this, length) * pair_bytes(*this);
  bytes.attention_kv = saturated(prefixes + own);
  bytes.carry = carry_bytes();
  bytes.pool = pool_bytes(tokens);
  // A segment that is read at once has one layer's keys and values at a time. The first has no prefix to read and no
  // carry beside the one that it leaves.
  const bool alone = tokens <= config.segment_length;
  const Wide kept = (alone ? 0 : prefixes) + (use.decoding ? open_bytes(*this) : own / model.layers);
  const Wide carries = (alone ? 1 : 2) * Wide{bytes.carry};
  bytes.device_peak =
      saturated(Wide{bytes.weights} + bytes.activations + kept + carries + sink_bytes(*this) + bytes.pool);
  return bytes;
}

MemoryBytes CostModel::full(std::int64_t tokens, RunUse use) const {
  const std::int64_t length = std::min(tokens, config.segment_length);
  const Wide newest = use.decoding ? open_bytes(*this) : Wide{full_attention_bytes(length)};
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = saturated(temporaries(*this, length, tokens - length, use.loss) + newest);
  bytes.attention_kv = full_attention_bytes(tokens);
  bytes.device_peak = saturated(Wide{bytes.weights} + bytes.activations + bytes.attention_kv);
  return bytes;
}

CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype) {
  return {model, config, bytes_per_value(dtype), dtype == DType::Q8};
}

}  // namespace carryover
