// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "widgets/runs/state/run_model.h"

namespace carryover::test {

/// A model of 12 layers with 6 query heads, whose layers 3 and 8 are long-range with heads 0, 1, 2.
inline ModelInfo synthetic_model() {
  ModelInfo model;
  model.config.architecture = "llama";
  model.config.name = "synthetic";
  model.config.layers = 12;
  model.config.hidden = 96;
  model.config.intermediate = 192;
  model.config.heads = 6;
  model.config.kv_heads = 2;
  model.config.head_dim = 16;
  model.config.vocabulary = 256;
  model.config.context = 2048;
  model.weights_hash = "0123456789abcdef";
  model.weight_bytes = 3'000'000;
  return model;
}

inline RunRequest synthetic_request(int segments, std::int64_t segment_length = 256, std::int64_t retrieval = 32) {
  RunRequest request;
  request.config.segment_length = segment_length;
  request.config.carry_length = 32;
  request.config.retrieval_length = retrieval;
  request.config.grouping = Grouping({3, 8}, {{0, 1, 2}});
  std::vector<std::int32_t> ids(static_cast<std::size_t>(segments * segment_length));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i * 7919 % 256);
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  return request;
}

/// Anchors near a few far places, expanded by the config's offsets, padded with the lowest unused positions.
inline HeadHits synthetic_hits(const SegmentConfig& config, std::int64_t segment, int layer, int head) {
  std::mt19937 random(static_cast<std::uint32_t>(segment * 1009 + layer * 31 + head));
  HeadHits result{segment, layer, head, {}};
  const std::int64_t pool = segment * config.segment_length, wanted = std::min(config.retrieval_length, pool);
  std::set<std::int64_t> taken;
  const auto take = [&](const Hit& hit) {
    if (hit.position < 0 || hit.position >= pool || static_cast<std::int64_t>(taken.size()) >= wanted) return;
    if (taken.insert(hit.position).second) result.hits.push_back(hit);
  };
  for (int anchor = 0; anchor < 3; ++anchor) {
    const auto place = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(pool));
    const float score = 10.F - static_cast<float>(anchor) + static_cast<float>(random() % 100) / 200.F;
    take({place, HitKind::Anchor, score, place, 0});
    for (std::int64_t offset = -config.expand_before; offset <= config.expand_after; ++offset)
      if (offset != 0) take({place + offset, HitKind::Expanded, score, place, 0});
  }
  for (std::int64_t position = 0; static_cast<std::int64_t>(taken.size()) < wanted; ++position)
    take({position, HitKind::Padding, 0, -1, -1});
  std::sort(result.hits.begin(), result.hits.end(), [](const Hit& a, const Hit& b) { return a.position < b.position; });
  return result;
}

inline Map synthetic_map(std::int64_t rows, std::int64_t columns, double scale, std::int64_t seed) {
  Map map{rows, columns, {}};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      map.values.push_back(row == 5
                               ? NAN  // a layer without local heads
                               : static_cast<float>(scale * (1 + 0.5 * std::sin(0.7 * static_cast<double>(row + seed)) *
                                                                     std::cos(0.3 * static_cast<double>(column)))));
  return map;
}

/// Every third segment but the first has lost its sink: a tenth of the attention is on sinks there, else half of it.
inline Map synthetic_sinks(std::int64_t segment, std::int64_t layers) {
  const bool little = segment > 0 && segment % 3 == 0;
  const float mass = little ? 0.1F : 0.5F;
  Map sinks{layers, std::ssize(kSinkColumns), {}};
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (const float value : {little ? 2.F : 90.F + static_cast<float>(layer), 2.F, 100.F, 5.F,
                              segment == 0 ? mass : 0.F, 0.01F, segment == 0 ? 0.F : mass, 0.02F})
      sinks.values.push_back(value);
  return sinks;
}

inline void add_synthetic_sinks(SegmentSnapshot& snapshot, std::int64_t layers) {
  const SinkSummary first = summarize_sinks(synthetic_sinks(0, layers));
  snapshot.sinks = synthetic_sinks(snapshot.record.index, layers);
  snapshot.record.sinks = summarize_sinks(snapshot.sinks);
  snapshot.record.sinks->lost = lost_sink(*snapshot.record.sinks, snapshot.record.length, first);
}

inline std::shared_ptr<const SegmentSnapshot> synthetic_snapshot(const RunModel& run, int segment) {
  const SegmentConfig& config = run.request().config;
  auto snapshot = std::make_shared<SegmentSnapshot>();
  SegmentRecord& record = snapshot->record;
  record.index = segment;
  record.first_token = segment * config.segment_length;
  record.length = std::min(config.segment_length, run.token_count() - record.first_token);
  record.targets = std::min(record.length, run.token_count() - 1 - record.first_token);
  for (std::int64_t i = 0; i < record.length; ++i)
    snapshot->ids.push_back((*run.request().ids)[static_cast<std::size_t>(record.first_token + i)]);
  for (std::int64_t i = 0; i < record.targets; ++i) {
    snapshot->target_nll.push_back(
        static_cast<float>(3 + std::sin(0.01 * static_cast<double>(i * segment)) + 2.0 / (segment + 1)));
    record.nll_sum += static_cast<double>(snapshot->target_nll.back());
  }
  record.pool_entries = record.first_token + record.length;
  const std::int64_t tokens = record.first_token + record.length;
  record.memory.weights = 3'000'000;
  record.memory.attention_kv = 12 * 2 * 16 * 2 * 4 * (config.segment_length + config.carry_length);
  record.memory.carry = segment == 0 ? 0 : 12 * 2 * 16 * 2 * 4 * config.carry_length;
  record.memory.pool = 2 * 1 * 16 * 2 * 4 * tokens;
  record.memory.activations = 700'000 + segment % 5 * 20'000;
  record.time.emplace();
  for (std::size_t part = 0; part < kTimeParts.size(); ++part)
    (*record.time).*kTimeParts[part].seconds = 0.01 * static_cast<double>(part + 1) + 1e-3 * (segment % 3);
  if (segment > 0)
    for (const int layer : {3, 8})
      for (const int head : {0, 1, 2}) snapshot->hits.push_back(synthetic_hits(config, segment, layer, head));
  const std::int64_t layers = run.model().config.layers;
  snapshot->carry_key_norm = synthetic_map(layers, config.carry_length, 20, segment);
  snapshot->carry_value_norm = synthetic_map(layers, config.carry_length, 2, segment);
  if (segment > 0) snapshot->carry_drift = synthetic_map(layers, config.carry_length, 0.4, segment);
  add_synthetic_sinks(*snapshot, layers);
  return snapshot;
}

/// Begins a run and closes its first `closed` segments.
inline void synthetic_run(RunModel& run, int segments, int closed, const RunRequest& request) {
  run.begin(synthetic_model(), request, nullptr);
  for (int segment = 0; segment < std::min(segments, closed); ++segment) run.append(synthetic_snapshot(run, segment));
}

}  // namespace carryover::test
