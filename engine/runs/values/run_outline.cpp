// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/run_outline.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace carryover {
namespace {

constexpr float no_value = std::numeric_limits<float>::quiet_NaN();

float mean_of(const Map& map) {
  double sum = 0;
  std::int64_t count = 0;
  for (const float value : map.values) {
    if (!std::isfinite(value)) continue;
    sum += static_cast<double>(value);
    ++count;
  }
  return count == 0 ? no_value : static_cast<float>(sum / static_cast<double>(count));
}

float largest_of(const Map& map) {
  float largest = 0;
  for (const float value : map.values)
    if (std::isfinite(value)) largest = std::max(largest, value);
  return largest;
}

}  // namespace

SegmentDigest digest_of(const SegmentSnapshot& snapshot) {
  return {
      snapshot.record,
      0,
      0,
      mean_of(snapshot.carry_key_norm),
      {largest_of(snapshot.carry_key_norm), largest_of(snapshot.carry_value_norm), largest_of(snapshot.carry_drift)},
      snapshot.sinks};
}

RunOutline::RunOutline(std::int64_t tokens) : nll_(static_cast<std::size_t>(tokens), no_value) {}

void RunOutline::append(const SegmentSnapshot& snapshot) {
  std::vector<BriefHead> heads;
  heads.reserve(snapshot.hits.size());
  for (const HeadHits& head : snapshot.hits) heads.push_back(brief_of(head));
  append(digest_of(snapshot), heads, snapshot.target_nll);
}

void RunOutline::append(const SegmentDigest& digest, std::span<const BriefHead> heads,
                        std::span<const float> target_nll) {
  hits_.append(count(), heads);
  SegmentDigest counted = digest;
  for (const BriefHead& head : heads)
    for (const BriefHit hit : head.hits) {
      counted.anchors += hit.kind() == HitKind::Anchor;
      counted.evidence += hit.is_evidence();
    }
  segments_.push_back(counted);
  const auto first = static_cast<std::size_t>(digest.record.first_token) + 1;
  for (std::size_t i = 0; i < target_nll.size() && first + i < nll_.size(); ++i) nll_[first + i] = target_nll[i];
}

void RunOutline::cut(int count) {
  CARRYOVER_CHECK(count >= 0);
  if (count >= this->count()) return;
  const SegmentRecord& last = segment(count).record;
  const auto first = nll_.begin() + std::min(last.first_token + 1, std::ssize(nll_));
  std::fill(first, nll_.end(), no_value);
  segments_.resize(static_cast<std::size_t>(count));
  hits_.cut(count);
}

float RunOutline::nll(std::int64_t position) const {
  return position >= 0 && position < std::ssize(nll_) ? nll_[static_cast<std::size_t>(position)] : no_value;
}

std::vector<float> RunOutline::target_nll(int segment) const {
  const SegmentRecord& record = this->segment(segment).record;
  std::vector<float> losses;
  for (std::int64_t i = 1; i <= record.targets; ++i) losses.push_back(nll(record.first_token + i));
  const auto missing = [](float value) { return std::isnan(value); };
  return std::all_of(losses.begin(), losses.end(), missing) ? std::vector<float>{} : losses;
}

std::shared_ptr<const SegmentSnapshot> RunOutline::remains(int segment, std::span<const std::int32_t> ids,
                                                           bool shared) const {
  auto snapshot = std::make_shared<SegmentSnapshot>();
  const SegmentRecord& record = this->segment(segment).record;
  snapshot->record = record;
  const auto own = ids.subspan(static_cast<std::size_t>(record.first_token), static_cast<std::size_t>(record.length));
  snapshot->ids.assign(own.begin(), own.end());
  snapshot->target_nll = target_nll(segment);
  snapshot->sinks = this->segment(segment).sinks;
  for (const HitIndex::Column& column : hits_.columns()) {
    HeadHits head{segment, column.layer, column.head, {}, shared};
    for (const BriefHit hit : column.of(segment))
      head.hits.push_back({.position = hit.position(), .kind = hit.kind(), .score = no_value});
    if (!head.hits.empty()) snapshot->hits.push_back(std::move(head));
  }
  return snapshot;
}

std::int64_t RunOutline::bytes() const {
  std::size_t maps = 0;
  for (const SegmentDigest& segment : segments_) maps += segment.sinks.values.capacity() * sizeof(float);
  return static_cast<std::int64_t>(maps + segments_.capacity() * sizeof(SegmentDigest) +
                                   nll_.capacity() * sizeof(float)) +
         hits_.bytes();
}

}  // namespace carryover
