// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <random>

#include "engine/runs/records/run_folder.h"
#include "tests/support/random_config.h"
#include "tests/support/tiny_model.h"

namespace carryover::test {

inline RunDescription run_description() {
  RunDescription result;
  result.model.config = tiny_config();
  result.model.path = "/models/\xff tiny";  // a path may be any bytes
  result.model.weights_hash = "0123456789abcdef";
  result.model.library_versions = "LibTorch 2.11.0";
  result.model.threads = 2;
  result.text = "book.txt";
  result.command_line = {"carryover", "run", "tiny", "book.txt"};
  std::mt19937 random(5);
  result.request.config = random_segment_config(random, result.model.config);
  result.request.ids = std::make_shared<const std::vector<std::int32_t>>(100, 7);
  return result;
}

inline SegmentSnapshot random_snapshot(std::int64_t index, std::mt19937& random, std::int64_t targets = 32) {
  std::normal_distribution<float> normal(3.0f, 1.0f);
  SegmentSnapshot result;
  result.record = {index, 32 * index, 32, targets, 0, 0.25, 32 * (index + 1), index % 3, {1, 2, 3, 4, 5, 6}};
  for (std::int64_t i = 0; i < targets; ++i) {
    result.target_nll.push_back(normal(random));
    result.record.nll_sum += result.target_nll.back();
  }
  if (index == 0) return result;  // as runs of older versions, without the time of its parts and without sinks
  result.record.time.emplace();
  for (const TimePart& part : kTimeParts) (*result.record.time).*part.seconds = std::abs(normal(random));
  result.record.sinks = SinkSummary{0.25, 0.0625, 0.125, 0.03125, std::abs(normal(random)), index == 2};
  result.sinks = {4, std::ssize(kSinkColumns), {}};
  for (int layer = 0; layer < 4; ++layer)
    for (const float scale : {1.0F, 1.0F, 1.0F, 1.0F, 0.02F, 0.02F, 0.02F, 0.02F})  // norms, and shares of attention
      result.sinks.values.push_back(scale * std::abs(normal(random)));
  for (int head : {0, 2}) {
    HeadHits hits{index, 1, head, {}};
    for (int slot = 0; slot < 6; ++slot) {
      if (slot % 3 == 2)
        hits.hits.push_back({4 * slot, HitKind::Padding, 0, -1, -1});
      else
        hits.hits.push_back(
            {4 * slot, slot % 3 == 0 ? HitKind::Anchor : HitKind::Expanded, normal(random), 4 * (slot / 3 * 3), 3});
    }
    result.hits.push_back(hits);
  }
  return result;
}

inline RunSummary summary_of(const std::vector<SegmentSnapshot>& segments) {
  RunSummary summary;
  for (const SegmentSnapshot& segment : segments) summary.add(segment.record);
  summary.seconds = 2;
  return summary;
}

/// Three segments of 32 tokens, with room for their maps: 4 layers, 8 slots.
inline RunDescription whole_run_description() {
  RunDescription result = run_description();
  result.model.path = "/models/tiny";
  result.request.config = SegmentConfig::defaults_for(result.model.config);
  result.request.config.segment_length = 32;
  result.request.config.carry_length = 8;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 96; ++i) ids.push_back(i * 37 % 256);
  result.request.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
  result.token_limit = 96;
  result.seed = 11;
  result.prefix = "random";
  return result;
}

inline Map random_map(std::mt19937& random) {
  Map map{4, 8, {}};
  for (int i = 0; i < 32; ++i) map.values.push_back(std::normal_distribution<float>(5, 1)(random));
  return map;
}

/// Writes it; the first segment has no drift, as in a run.
inline std::vector<SegmentSnapshot> write_run(const std::string& directory, const RunDescription& description,
                                              std::mt19937& random, int count) {
  std::vector<SegmentSnapshot> segments;
  RunFolder folder(directory, description, false);
  for (int i = 0; i < count; ++i) {
    SegmentSnapshot segment = random_snapshot(i, random, i + 1 == count ? 31 : 32);
    segment.carry_key_norm = random_map(random);
    segment.carry_value_norm = random_map(random);
    if (i > 0) segment.carry_drift = random_map(random);
    folder.append(segment);
    segments.push_back(segment);
  }
  folder.finish(summary_of(segments));
  return segments;
}

}  // namespace carryover::test
