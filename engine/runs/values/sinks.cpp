// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/sinks.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace carryover {

void to_json(nlohmann::json& json, const SinkSummary& summary) {
  json = nlohmann::json{{"lost", summary.lost}};
  for (const SinkNumber& number : kSinkNumbers) json[number.name] = summary.*number.value;
}

void from_json(const nlohmann::json& json, SinkSummary& summary) {
  for (const SinkNumber& number : kSinkNumbers) json.at(number.name).get_to(summary.*number.value);
  json.at("lost").get_to(summary.lost);
}

bool are_possible(const Map& sinks) {
  if (sinks.columns != std::ssize(kSinkColumns)) return false;
  const auto is_number = [](float value) { return std::isfinite(value) && value >= 0; };
  if (!std::all_of(sinks.values.begin(), sinks.values.end(), is_number)) return false;
  for (std::int64_t layer = 0; layer < sinks.rows; ++layer) {
    float mass = 0;
    for (const auto column :
         {SinkColumn::TextMass, SinkColumn::CarryMass, SinkColumn::SegmentMass, SinkColumn::LargestMass})
      mass += sink_value(sinks, layer, column);
    if (mass > kMostSinkMass) return false;
  }
  return true;
}

SinkSummary summarize_sinks(const Map& sinks, const std::vector<int>& windowed) {
  SinkSummary summary;
  const auto of_window = [&](std::int64_t layer) {
    return std::ssize(windowed) < sinks.rows && std::ranges::count(windowed, layer) > 0;
  };
  std::int64_t judged = 0;
  for (std::int64_t layer = 0; layer < sinks.rows; ++layer) judged += !of_window(layer);
  for (std::int64_t layer = 0; layer < sinks.rows; ++layer) {
    const auto value = [&](SinkColumn column) { return static_cast<double>(sink_value(sinks, layer, column)); };
    const auto share = [&](SinkColumn column) {
      return of_window(layer) ? 0 : value(column) / static_cast<double>(judged);
    };
    summary.text_mass += share(SinkColumn::TextMass);
    summary.carry_mass += share(SinkColumn::CarryMass);
    summary.segment_mass += share(SinkColumn::SegmentMass);
    summary.largest_mass += share(SinkColumn::LargestMass);
    const double median = value(SinkColumn::MedianNorm);
    if (median > 0) summary.norm_ratio = std::max(summary.norm_ratio, value(SinkColumn::LargestNorm) / median);
  }
  return summary;
}

bool lost_sink(const SinkSummary& segment, std::int64_t length, const SinkSummary& first) {
  return length >= kLeastJudged && first.mass() >= kLeastSinkMass && segment.mass() < kLostShare * first.mass();
}

}  // namespace carryover
