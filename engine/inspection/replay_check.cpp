// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/replay_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr const char* kAdvice =
    "Open the model, adapter and settings that the run was made with, or run the text again.";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

[[noreturn]] void refuse(std::int64_t segment, const RecordedSegment& record, const std::string& problem) {
  throw EngineError(Fault::BadInput, "segment " + std::to_string(segment),
                    "does not repeat its record (weights " + record.weights_hash + ", " +
                        std::string(dtype_name(record.dtype)) + "): " + problem,
                    kAdvice);
}

using Head = std::pair<std::int64_t, std::int64_t>;

std::map<Head, std::multiset<std::int64_t>> positions_of(const std::vector<HeadHits>& hits) {
  std::map<Head, std::multiset<std::int64_t>> positions;
  for (const HeadHits& head : hits)
    for (const Hit& hit : head.hits) positions[{head.layer, head.head}].insert(hit.position);
  return positions;
}

}  // namespace

ReplayBounds replay_bounds(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return {1e-6, 0.1};
    case DType::Auto:
    case DType::Float32:
      return {1e-3, 0.1};
    case DType::BFloat16:
    case DType::Q8:
      return {0.1, 0.5};
  }
  fail_check("a known dtype", __FILE__, __LINE__);
}

void refuse_another_model(const std::optional<RecordedSegment>& record, const ModelInfo& model) {
  if (!record) return;
  if (record->weights_hash != model.weights_hash)
    throw EngineError(Fault::Usage, "replay",
                      "the run was made with the weights " + record->weights_hash + ", and the open model's are " +
                          model.weights_hash,
                      kAdvice);
  if (record->dtype != model.dtype)
    throw EngineError(Fault::Usage, "replay",
                      "the run was made in " + std::string(dtype_name(record->dtype)) + ", and the model is open in " +
                          std::string(dtype_name(model.dtype)),
                      "Open the model in " + std::string(dtype_name(record->dtype)) + ", or run the text again.");
}

void check_hits(const std::optional<RecordedSegment>& record, const std::vector<HeadHits>& hits, std::int64_t segment) {
  if (!record || record->hits.empty()) return;
  auto recorded = positions_of(record->hits);
  std::size_t others = 0, total = 0;
  for (auto& [head, positions] : positions_of(hits)) {
    total += positions.size();
    std::multiset<std::int64_t>& left = recorded[head];
    for (const std::int64_t position : positions) {
      const auto found = left.find(position);
      if (found == left.end())
        ++others;
      else
        left.erase(found);
    }
  }
  std::size_t missed = 0;
  for (const auto& [head, left] : recorded) missed += left.size();
  others = std::max(others, missed);
  total = std::max<std::size_t>(total, 1);
  const double share = static_cast<double>(others) / static_cast<double>(total);
  const double bound = replay_bounds(record->dtype).hits;
  if (share > bound)
    refuse(segment, *record,
           std::to_string(others) + " of " + std::to_string(total) + " retrieved positions are others (allowed are " +
               number(100 * bound) + " %)");
}

void check_losses(const std::optional<RecordedSegment>& record, const std::vector<float>& target_nll,
                  std::int64_t segment) {
  if (!record || record->target_nll.empty()) return;
  const std::vector<float>& recorded = record->target_nll;
  if (recorded.size() != target_nll.size())
    refuse(
        segment, *record,
        "it has " + std::to_string(target_nll.size()) + " losses, and the record " + std::to_string(recorded.size()));
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const double difference = std::abs(static_cast<double>(target_nll[i]) - static_cast<double>(recorded[i]));
    sum += difference;
    most = std::max(most, difference);
  }
  const double mean = sum / static_cast<double>(recorded.size()), bound = replay_bounds(record->dtype).loss;
  if (!(mean <= bound))  // also where it is not a number
    refuse(segment, *record,
           "its losses differ by " + number(mean) + " nats a token, at most by " + number(most) + " (allowed are " +
               number(bound) + ")");
}

}  // namespace carryover
