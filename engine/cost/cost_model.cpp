// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/cost_model.h"

#include <algorithm>
#include <limits>

#include "engine/config/core_tokens.h"
#include "engine/config/head_reads.h"
#include "engine/config/infllm_settings.h"
#include "engine/config/sparse_blocks.h"
#include "engine/config/window_settings.h"
#include "engine/cost/block_memory.h"
#include "engine/cost/policy_table.h"
#include "engine/families/weight_rows.h"

namespace carryover {

namespace {

__extension__ typedef __int128 Int128;

/// Converts a forecast to 64 bits. Forecasts for absurd lengths then say "more than any machine has" and never wrap
/// around.
std::int64_t saturated(Int128 value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return value > most ? most : static_cast<std::int64_t>(value);
}

/// The first token of a segment that is so late in a text that it reads all that a segment may read.
constexpr auto kLate = std::numeric_limits<std::int64_t>::max();

/// Returns the bytes of K and V of one position of one KV head.
Int128 pair_bytes(const CostModel& cost) {
  return Int128{2} * cost.model.head_dim * cost.bytes_per_value;
}

Int128 sink_bytes(const CostModel& cost) {
  return Int128{cost.model.layers} * cost.model.kv_heads * cost.config.sink_length * pair_bytes(cost);
}

/// Returns positions × heads of the prefixes that attention reads in one segment, summed over all layers.
Int128 prefix_slots(const CostModel& cost) {
  Int128 slots = 0;
  for (int layer = 0; layer < cost.model.layers; ++layer)
    for (const VisiblePrefix& seen : policy_row(kMethodPolicy).visible(cost.model, cost.config, layer, kLate))
      slots += Int128{seen.rows} * seen.length;
  return slots;
}

/// Returns the same for `length` of the segment's own tokens.
Int128 segment_slots(const CostModel& cost, std::int64_t length) {
  return Int128{length} * cost.model.kv_heads * cost.model.layers;
}

/// Returns the bytes of an open segment's buffers in all layers: keys, their rotated copies, values, and twice the tail
/// of its queries.
Int128 open_bytes(const CostModel& cost) {
  const std::int64_t S = cost.config.segment_length, tail = std::min(cost.config.query_length, S);
  const Int128 queries =
      Int128{2} * tail * cost.model.heads * cost.model.layers * cost.model.head_dim * cost.bytes_per_value;
  return segment_slots(cost, S) * pair_bytes(cost) * 3 / 2 + queries;
}

/// Returns the number of values of a layer's largest matrix.
Int128 largest_matrix(const ModelConfig& model) {
  std::int64_t largest = 0;
  for (const SlotShape& slot : layer_slots(model)) largest = std::max(largest, slot.values());
  return largest;
}

/// Returns CostModel::activation_bytes of a chunk if each head sees `past` positions before it.
Int128 temporaries(const CostModel& cost, std::int64_t chunk, std::int64_t past, bool loss) {
  const ModelConfig& model = cost.model;
  const std::int64_t bytes_per_value = cost.bytes_per_value;
  const auto unpacked = [&](Int128 values) -> Int128 {  // a single row needs no unpacked weights
    return cost.packed_weights ? std::min<Int128>(unpacked_block_bytes, values * bytes_per_value) : 0;
  };
  // the residual stream before and after, and its normed copy or the output that is added to it
  const Int128 stream = Int128{3} * model.hidden;
  const Int128 seen =
      Int128{2} * model.kv_heads * (Int128{past} + chunk);  // keys and values as attention's matmuls read them
  const Int128 attention = (seen + (Int128{3} * model.heads + Int128{3} * model.kv_heads) * chunk) *
                           model.head_dim;                             // q, k, v, rotated q and k, output
  const Int128 feed_forward = Int128{3} * model.intermediate * chunk;  // gate, up, their product
  const Int128 layer = (stream * chunk + std::max(attention, feed_forward)) * bytes_per_value +
                       (cost.packed_weights ? unpacked(largest_matrix(model)) : 0);
  const Int128 row = Int128{model.vocabulary} * bytes_per_value;
  const Int128 logits =
      loss ? std::min<Int128>(logit_block_bytes, row * chunk) + unpacked(Int128{model.vocabulary} * model.hidden) : row;
  return std::max(layer, Int128{model.hidden} * chunk * bytes_per_value + logits);
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
  return saturated((prefix_slots(*this) + segment_slots(*this, config.segment_length)) * pair_bytes(*this));
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
  return saturated(Int128{model.layers} * model.kv_heads * tokens * pair_bytes(*this));
}

std::int64_t CostModel::activation_bytes(std::int64_t chunk, bool loss) const {
  return saturated(temporaries(*this, chunk, 0, loss));
}

double CostModel::visible_positions() const {
  double prefix = 0;
  for (int layer = 0; layer < model.layers; ++layer)
    for (const VisiblePrefix& seen : policy_row(kMethodPolicy).visible(model, config, layer, kLate))
      prefix += static_cast<double>(seen.heads) * static_cast<double>(seen.length);
  return static_cast<double>(config.segment_length) + prefix / static_cast<double>(model.layers * model.heads);
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
  const Int128 kept = (alone ? 0 : prefixes) + (use.decoding ? open_bytes(*this) : own / model.layers);
  const Int128 carries = (alone ? 1 : 2) * Int128{bytes.carry};
  bytes.device_peak =
      saturated(Int128{bytes.weights} + bytes.activations + kept + carries + sink_bytes(*this) + bytes.pool);
  return bytes;
}

MemoryBytes CostModel::full(std::int64_t tokens, RunUse use) const {
  MemoryBytes bytes = caches(tokens, model.layers * model.kv_heads, 0, 0, use);
  bytes.pool = 0;  // attention sees the whole cache
  return bytes;
}

MemoryBytes CostModel::caches(std::int64_t tokens, std::int64_t whole, std::int64_t ends, std::int64_t sinks,
                              RunUse use) const {
  const std::int64_t length = std::min(tokens, config.segment_length), past = tokens - length,
                     most = sinks + config.of<WindowSettings>().attention_window - 1;
  const auto held = [&](std::int64_t count, std::int64_t at_most) {  // `count`: tokens of the text
    return (Int128{whole} * count + Int128{ends} * std::min(count, at_most)) * pair_bytes(*this);
  };
  const Int128 newest = use.decoding ? open_bytes(*this) : held(length, most);
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = saturated(temporaries(*this, length, whole > 0 ? past : std::min(past, most), use.loss) + newest);
  bytes.attention_kv = saturated(held(tokens, most + 1));
  bytes.pool = saturated(held(tokens, most));
  // While the newest chunk runs, whole caches have room for it already, and the ends are those before it.
  const Int128 standing = (Int128{whole} * tokens + Int128{ends} * std::min(past, most)) * pair_bytes(*this);
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + standing);
  return bytes;
}

MemoryBytes CostModel::looked_up(std::int64_t tokens, RunUse use) const {
  const std::int64_t length = std::min(tokens, config.segment_length), past = tokens - length,
                     opmath_bytes = std::max<std::int64_t>(bytes_per_value, 4);
  const BlockMemory before = block_memory(config, past), after = block_memory(config, tokens);
  const Int128 token = Int128{model.layers} * model.kv_heads * pair_bytes(*this),
               score = Int128{model.layers} * model.heads * opmath_bytes,
               block = token * config.of<InfLlmSettings>().memory_block_length + score * model.head_dim;
  const auto held = [&](const BlockMemory& memory, std::int64_t count) {
    return token * (memory.sinks + memory.near) + score * memory.near + block * count;
  };
  const std::int64_t seen = seen_of_memory(config, before),
                     copies =
                         std::max<std::int64_t>(0, before.near + length - config.of<WindowSettings>().attention_window);
  // Keys of near tokens are rotated for a segment: a layer's while it runs, or all layers' while a segment is open.
  const Int128 rotated = token / 2 * before.near / (use.decoding ? 1 : model.layers),
               newest = (use.decoding ? open_bytes(*this) : token * length) + score * (before.near + length);
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = saturated(temporaries(*this, length, seen + copies, use.loss) + rotated + newest);
  bytes.attention_kv = saturated(token * (seen + length));
  bytes.pool = saturated(held(after, after.blocks));
  // Memory for all blocks is reserved from the start.
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + held(before, after.blocks));
  return bytes;
}

MemoryBytes CostModel::pooled(std::int64_t tokens, RunUse use) const {
  const CoreTokens rule(config);
  const std::int64_t length = std::min(tokens, config.segment_length), past = tokens - length, cores = rule.whole(past),
                     near = rule.near(past), seen = rule.seen_by(tokens);
  const Int128 token = segment_slots(*this, 1) * pair_bytes(*this), core = token * model.group_size();
  // The prefix of a segment repeats near tokens for each head: a layer's while it runs, or all layers' while a segment
  // is open.
  const Int128 prefix = cores > 0 ? core * (cores + near) / (use.decoding ? 1 : model.layers) : 0,
               newest = (use.decoding ? open_bytes(*this) : token * length) + core / 2 * (length / rule.group);
  // A layer whose segment sees core tokens of its own copies its prefix once more.
  const std::int64_t read = seen == 0 ? near : seen > cores ? (seen + near) * model.group_size() : 0;
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = saturated(temporaries(*this, length, read, use.loss) + prefix + newest);
  bytes.attention_kv = saturated(core * seen + token * (tokens - seen * rule.group));
  bytes.pool = saturated(core * rule.whole(tokens) + token * rule.near(tokens));
  // Memory for all core tokens is reserved from the start.
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + core * rule.whole(tokens) + token * near);
  return bytes;
}

MemoryBytes CostModel::branched(std::int64_t tokens, RunUse use) const {
  const SparseBlocks rule(config);
  const std::int64_t length = std::min(tokens, config.segment_length), past = tokens - length,
                     means = rule.whole(tokens), output = length * model.group_size() / 2;
  const Int128 token = segment_slots(*this, 1) * pair_bytes(*this);
  // A layer's means are copied. Beside the output of one branch there is the sum of the outputs before it, and also the
  // keys that are read without an index, or the output times its gates.
  const std::int64_t dense = std::max(std::min(past, rule.window - 1), rule.selects_all(tokens) ? past : 0),
                     read = saturated(Int128{means} + output + std::max(dense, output - length));
  const Int128 newest = use.decoding ? open_bytes(*this) : token * length, held = token * (Int128{tokens} + means);
  MemoryBytes bytes;
  bytes.weights = weight_bytes();
  bytes.activations = saturated(temporaries(*this, length, read, use.loss) + newest);
  bytes.attention_kv = saturated(token * rule.seen_by(tokens));
  bytes.pool = saturated(held);
  // Memory for everything is reserved from the start.
  bytes.device_peak = saturated(Int128{bytes.weights} + bytes.activations + held);
  return bytes;
}

CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype) {
  return {model, config, bytes_per_value(dtype), dtype == DType::Q8};
}

}  // namespace carryover
