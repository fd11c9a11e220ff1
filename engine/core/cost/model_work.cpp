// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/cost/model_work.h"

#include <algorithm>

#include "engine/core/cost/cost_model.h"

namespace carryover {

namespace {

double real(std::int64_t value) {
  return static_cast<double>(value);
}

/// Pairs of a query and a position that it sees, of one head in one segment behind a prefix.
double pairs(std::int64_t length, std::int64_t prefix) {
  return real(length) * real(prefix) + real(length) * real(length + 1) / 2;
}

/// The same over all heads and layers of a segment that begins at `first`.
double segment_pairs(const ModelWork& work, std::int64_t first, std::int64_t length) {
  const SegmentConfig& config = work.config;
  const std::int64_t sinks = first > 0 ? config.sink_length : 0;
  const std::int64_t carried = first > 0 ? config.carry_length + sinks : 0;
  const std::int64_t retrieved = std::min(config.retrieval_length, first - sinks);
  double sum = 0;
  for (int layer = 0; layer < work.model.layers; ++layer) {
    const auto taken = std::ssize(config.grouping.long_heads(layer));
    sum += real(work.model.heads - taken) * pairs(length, carried);
    sum += real(taken) * pairs(length, sinks + (config.grouping.is_long_layer(layer) ? retrieved : 0));
  }
  return sum;
}

double all_pairs(const ModelWork& work, std::int64_t tokens) {
  if (work.policy == "full") return real(work.model.layers * work.model.heads) * pairs(tokens, 0);
  const std::int64_t length = work.config.segment_length;
  double sum = 0;
  // Segments that have a whole carry and a whole retrieved prefix before them all cost the same.
  const std::int64_t steady =
      (std::max(work.config.retrieval_length + work.config.sink_length, std::int64_t{1}) + length - 1) / length *
      length;
  for (std::int64_t first = 0; first < std::min(tokens, steady); first += length)
    sum += segment_pairs(work, first, std::min(length, tokens - first));
  if (tokens <= steady) return sum;
  const std::int64_t whole = (tokens - steady) / length, rest = (tokens - steady) % length;
  sum += real(whole) * segment_pairs(work, steady, length);
  return sum + segment_pairs(work, steady, rest);
}

double layer_weights(const ModelConfig& model) {
  const double queries = real(model.heads * model.head_dim), keys = real(model.kv_heads * model.head_dim);
  return real(model.hidden) * (2 * queries + 2 * keys + 3 * real(model.intermediate));
}

}  // namespace

double ModelWork::forward_flops(std::int64_t tokens, std::int64_t logit_rows) const {
  const double products = real(tokens) * real(model.layers) * layer_weights(model);
  const double head = real(logit_rows) * real(model.hidden) * real(model.vocabulary);
  return 2 * (products + head) + 4 * real(model.head_dim) * all_pairs(*this, tokens);
}

double ModelWork::training_flops(std::int64_t tokens) const {
  return 3 * forward_flops(tokens, tokens);
}

double ModelWork::decode_bytes(std::int64_t context, int bytes_per_value, bool packed_weights) const {
  CostModel seen{model, config, bytes_per_value, packed_weights};
  const double embedding = model.tied_embeddings ? 0 : real(model.vocabulary) * real(model.hidden);
  const double weights = real(seen.weight_bytes()) * (1 - embedding / real(model.parameters()));
  if (policy == "full") return weights + real(seen.full_attention_bytes(context + 1));
  seen.config.segment_length = context % config.segment_length + 1;
  if (context < config.segment_length) seen.config.carry_length = seen.config.sink_length = 0;
  seen.config.retrieval_length =
      std::min(config.retrieval_length, context - context % config.segment_length - seen.config.sink_length);
  return weights + real(seen.segmented_attention_bytes());
}

}  // namespace carryover
