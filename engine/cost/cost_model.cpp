// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/cost_model.h"

#include <algorithm>
#include <limits>

#include "engine/config/head_reads.h"
#include "engine/cost/cost_terms.h"
#include "engine/cost/policy_table.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

/// The first token of a segment that is so late in a text that it reads all that a segment may read.
constexpr auto kLate = std::numeric_limits<std::int64_t>::max();

Int128 sink_bytes(const CostModel& cost) {
  return Int128{cost.global_layers()} * cost.model.kv_heads * cost.config.sink_length * pair_bytes(cost);
}

/// Returns positions × heads of the prefixes that attention reads in one segment, summed over all global layers.
Int128 prefix_slots(const CostModel& cost) {
  Int128 slots = 0;
  for (const int layer : cost.model.global_layers())
    for (const VisiblePrefix& seen : policy_row(kMethodPolicy).visible(cost.model, cost.config, layer, kLate))
      slots += Int128{seen.rows} * seen.length + Int128{seen.heads} * seen.chosen;
  return slots;
}

/// Returns the bytes of what a search per token holds beside the pool in the last segment of a run of `tokens`: of a
/// layer while it runs, or of all layers while a segment is open, the rotated copy of the keys that queries choose from
/// with their values, and each query's list; and the angles of all positions.
Int128 search_bytes(const CostModel& cost, std::int64_t tokens, bool decoding) {
  constexpr Int128 choice_bytes = 8 + 24;  // a range of a list, and a ranked entry
  const std::int64_t length = std::min(tokens, cost.config.segment_length);
  Int128 sum = 0, most = 0;
  for (const int layer : cost.model.global_layers()) {
    Int128 bytes = 0;
    for (const VisiblePrefix& seen : policy_row(kMethodPolicy).visible(cost.model, cost.config, layer, tokens - length))
      bytes += Int128{seen.rows} * seen.searched * pair_bytes(cost) * 2 +
               Int128{seen.heads} * seen.chosen * (decoding ? 1 : length) * choice_bytes;
    sum += bytes;
    most = std::max(most, bytes);
  }
  const Int128 angles = most == 0 ? 0 : Int128{tokens} * cost.model.rope_dims() * std::max(4, cost.bytes_per_value);
  return (decoding ? sum : most) + angles;
}

/// Bytes of a slot of packed weights: as empty_weights() packs them.
Int128 slot_bytes(const SlotShape& slot, int bytes_per_value) {
  constexpr std::int64_t block = 32, block_bytes = 34, whole_rows = 16;
  bool packs = !slot.is_vector() && slot.columns % block == 0;
  for (const std::int64_t rows : slot.parts) packs = packs && rows % whole_rows == 0;
  return packs ? Int128{slot.values()} / block * block_bytes : Int128{slot.values()} * bytes_per_value;
}

}  // namespace

std::int64_t CostModel::weight_bytes() const {
  if (!packed_weights) return saturated(Int128{model.parameters()} * bytes_per_value);
  const auto sum = [this](const std::vector<SlotShape>& slots) {
    Int128 bytes = 0;
    for (const SlotShape& slot : slots) bytes += slot_bytes(slot, bytes_per_value);
    return bytes;
  };
  return saturated(sum(slot_shapes(rows_before_layers(model))) + model.layers * sum(layer_slots(model)) +
                   sum(slot_shapes(rows_after_layers(model))));
}

std::int64_t CostModel::segmented_attention_bytes() const {
  const Int128 windows = Int128{model.windowed_layers()} * model.kv_heads * model.window;
  return saturated((prefix_slots(*this) + segment_slots(*this, config.segment_length) + windows) * pair_bytes(*this));
}

std::int64_t CostModel::carry_bytes() const {
  Int128 heads = 0;
  for (int layer = 0; layer < model.layers; ++layer) heads += std::ssize(carry_kv_heads(config, model, layer));
  return saturated(heads * config.carry_length * pair_bytes(*this));
}

std::int64_t CostModel::pool_bytes_per_token() const {
  Int128 heads = 0;
  for (int layer = 0; layer < model.layers; ++layer) heads += std::ssize(pool_kv_heads(config, model, layer));
  const Int128 key = pool_key_bytes(config.pool_keys, model.head_dim, bytes_per_value);
  return saturated(heads * (key + Int128{model.head_dim} * bytes_per_value));
}

std::int64_t CostModel::pool_bytes(std::int64_t tokens) const {
  return saturated(Int128{pool_bytes_per_token()} * tokens);
}

std::int64_t CostModel::full_attention_bytes(std::int64_t tokens) const {
  const Int128 windows =
      Int128{model.windowed_layers()} * std::min(tokens, std::max<std::int64_t>(0, model.window - 1));
  return saturated((Int128{global_layers()} * tokens + windows) * model.kv_heads * pair_bytes(*this));
}

std::int64_t CostModel::activation_bytes(std::int64_t chunk, bool loss) const {
  return saturated(temporaries(*this, chunk, 0, loss));
}

double CostModel::visible_positions() const {
  double positions = 0;  // more than S, or all that a window holds
  for (int layer = 0; layer < model.layers; ++layer)
    for (const VisiblePrefix& seen : policy_row(kMethodPolicy).visible(model, config, layer, kLate))
      positions += static_cast<double>(seen.heads) *
                   static_cast<double>(seen.most > 0 ? seen.most - config.segment_length : seen.length + seen.chosen);
  return static_cast<double>(config.segment_length) + positions / static_cast<double>(model.layers * model.heads);
}

MemoryBytes CostModel::segmented(std::int64_t tokens, RunUse use) const {
  const std::int64_t length = std::min(tokens, config.segment_length);
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = activation_bytes(length, use.loss);
  const Int128 prefixes = prefix_slots(*this) * pair_bytes(*this),
               own = segment_slots(*this, length) * pair_bytes(*this);
  bytes.attention_kv = saturated(prefixes + own);
  bytes.carry = carry_bytes();
  bytes.pool = pool_bytes(tokens);
  // A segment that is read at once holds the keys and values of one layer at a time. The first segment has no prefix to
  // read and no carry besides the one that it leaves.
  const bool alone = tokens <= config.segment_length;
  const Int128 kept = (alone ? 0 : prefixes) + search_bytes(*this, tokens, use.decoding) +
                      (use.decoding ? open_bytes(*this) : while_running(*this, use, own));
  const Int128 carries = (alone ? 1 : 2) * Int128{bytes.carry};
  bytes.device_peak =
      saturated(Int128{bytes.weights} + bytes.activations + kept + carries + sink_bytes(*this) + bytes.pool);
  return bytes;
}

MemoryBytes CostModel::full(std::int64_t tokens, RunUse use) const {
  MemoryBytes bytes = caches(tokens, {global_layers() * model.kv_heads}, use);
  bytes.pool = 0;  // attention sees the whole cache
  return bytes;
}

MemoryBytes CostModel::caches(std::int64_t tokens, const CachedRows& rows, RunUse use) const {
  const std::int64_t length = std::min(tokens, config.segment_length), past = tokens - length, most = rows.most_ends;
  const auto held = [&](std::int64_t count, std::int64_t at_most) {  // `count`: tokens of the text
    return (Int128{rows.whole} * count + Int128{rows.ends} * std::min(count, at_most)) * pair_bytes(*this);
  };
  const Int128 newest = use.decoding ? open_bytes(*this) : held(length, most);
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations =
      saturated(temporaries(*this, length, rows.whole > 0 ? past : std::min(past, most), use.loss) + newest);
  bytes.attention_kv = saturated(held(tokens, most + 1));
  bytes.pool = saturated(held(tokens, most));
  // While the newest chunk runs, whole caches have room for it already, and the ends are those before it.
  const Int128 standing = (Int128{rows.whole} * tokens + Int128{rows.ends} * std::min(past, most)) * pair_bytes(*this);
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + standing);
  return bytes;
}

CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype) {
  return {model, config, bytes_per_value(dtype), dtype == DType::Q8};
}

}  // namespace carryover
