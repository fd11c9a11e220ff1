// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/answer_check.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/remote/wire.h"

namespace carryover {
namespace {

constexpr const char* kSender = "the remote engine";

void require(bool holds, const char* problem) {
  if (!holds) refuse_message(problem);
}

bool has(const SnapshotLimits& limits, HeadRef head) {
  return head.layer >= 0 && head.layer < limits.layers && head.head >= 0 && head.head < limits.heads;
}

bool is_position(std::int64_t position, const SnapshotLimits& limits) {
  return position >= 0 && position < limits.tokens;
}

bool are_positions(const std::vector<std::int64_t>& positions, const SnapshotLimits& limits) {
  return std::ranges::all_of(positions, [&](std::int64_t each) { return is_position(each, limits); });
}

/// [layers, heads], or empty.
void check_heads(const Map& map, const SnapshotLimits& limits, const char* what) {
  check_map(map, limits.layers, limits.heads, what, kSender);
}

void check_attention(const AttentionMap& map, const InspectionParts& parts, const SnapshotLimits& limits) {
  check_map(map.mean, 0, parts.map_columns, "the map of attention", kSender);
  require(has(limits, map.head) && map.query_step > 0 && map.key_step > 0 && map.prefix_length >= 0 &&
              map.segment_length >= 0 && map.segment_length <= limits.segment_length && map.prefix_columns >= 0 &&
              map.prefix_columns <= map.mean.columns && map.mean.rows <= parts.map_rows &&
              std::ssize(map.prefix_positions) == map.prefix_length && are_positions(map.prefix_positions, limits),
          "a map of attention has a head, positions or steps that can't be");
}

void check_search(const SearchSteps& search, SegmentPlace place, const SnapshotLimits& limits) {
  const auto summaries = std::ssize(search.summaries);
  check_map(search.scores, 0, limits.tokens, "the scores of a search", kSender);
  require(has(limits, search.head) && search.position_step > 0 &&
              (search.scores.values.empty() || search.scores.rows == summaries) &&
              std::ssize(search.best) == (search.scores.values.empty() ? 0 : summaries),
          "a search has a head or steps that can't be");
  const auto is_range = [&](const TokenRange& range) {
    return is_position(range.first, limits) && is_position(range.last, limits) && range.first <= range.last;
  };
  const auto is_rank = [&](const SearchSteps::Ranked& ranked) {
    return ranked.summary >= 0 && ranked.summary < summaries && is_position(ranked.position, limits);
  };
  const auto is_best = [&](std::int64_t best) { return best == -1 || is_position(best, limits); };
  require(std::ranges::all_of(search.summaries, is_range) && std::ranges::all_of(search.ranked, is_rank) &&
              std::ranges::all_of(search.best, is_best),
          "a search has positions that are not in the text");
  check_hits({search.hits}, place, limits, kSender);
}

bool is_id(std::int32_t id, const SnapshotLimits& limits) {
  return id >= 0 && (limits.vocabulary == 0 || id < limits.vocabulary);
}

void check_prediction(const Prediction& prediction, const SnapshotLimits& limits) {
  require(prediction.token >= 0 && prediction.token < limits.segment_length && is_id(prediction.target, limits) &&
              is_id(prediction.foil.value_or(0), limits),
          "a prediction is of no token of the segment");
  for (const TopToken& likely : prediction.top)
    require(is_id(likely.id, limits), "a prediction lists a token that the model lacks");
}

void check_lens(const LogitLens& lens, const SnapshotLimits& limits) {
  const std::int64_t carried = std::ssize(lens.carry);
  require(lens.token >= 0 && lens.token < limits.segment_length && is_id(lens.target, limits) &&
              std::ssize(lens.residual) == limits.layers + 1 && lens.first_carry_layer >= 0 &&
              (carried == 0 || lens.first_carry_layer + carried == limits.layers),
          "a logit lens is of no token of the segment, or of other layers than the model's");
  for (const auto* readings : {&lens.residual, &lens.carry})
    for (const LensReading& reading : *readings)
      require(is_id(reading.top.id, limits), "a logit lens shows a token that the model lacks");
}

void check_ablations(const PredictionAblations& ablations, const SnapshotLimits& limits) {
  check_prediction(ablations.as_it_was, limits);
  for (const AblatedPrediction& each : ablations.without) {
    check_prediction(each.prediction, limits);
    require(each.logprobs.size() == ablations.as_it_was.top.size(),
            "an ablation is of other tokens than the likeliest");
  }
}

void check_attribution(const LogitAttribution& attribution, const SnapshotLimits& limits) {
  check_prediction(attribution.prediction, limits);
  require(std::ssize(attribution.feed_forward) == limits.layers, "an attribution is of other layers than the model's");
  check_heads(attribution.sinks, limits, "the sinks' attribution");
  check_heads(attribution.retrieved, limits, "the retrieved tokens' attribution");
  check_heads(attribution.carry, limits, "the carry's attribution");
  check_heads(attribution.segment, limits, "the segment's attribution");
  for (const Map* map : {&attribution.sinks, &attribution.retrieved, &attribution.carry, &attribution.segment})
    require(map->rows == limits.layers && map->columns == limits.heads, "an attribution came without all heads");
  for (const NeuronShare& neuron : attribution.neurons)
    require(neuron.layer >= 0 && neuron.layer < limits.layers && neuron.neuron >= 0,
            "an attribution names a neuron that the model lacks");
}

void check_sources(const TokenSources& sources, const SnapshotLimits& limits) {
  check_map(sources.attention, limits.layers * limits.heads, limits.tokens, "the sources of a token", kSender);
  require(sources.token >= 0 && sources.token < limits.segment_length && are_positions(sources.positions, limits) &&
              std::ranges::is_sorted(sources.positions) && sources.attention.rows == limits.layers * limits.heads &&
              std::ssize(sources.positions) == sources.attention.columns &&
              sources.logit.size() == sources.positions.size(),
          "the sources are of no token of the segment");
}

/// Masses stand beside the hits of their head.
bool fit(const SlotMasses& masses, const std::vector<HeadHits>& hits, const SnapshotLimits& limits) {
  const HeadHits* of_head = find_hits(hits, masses.head.layer, masses.head.head);
  return has(limits, masses.head) && of_head != nullptr && of_head->hits.size() == masses.mass.size();
}

}  // namespace

void check_outcome(const WhatIfOutcome& outcome, SegmentPlace place, const SnapshotLimits& limits) {
  require(std::ssize(outcome.target_nll) <= limits.segment_length, "a what-if has more losses than its segment");
  check_hits(outcome.hits, place, limits, kSender);
  if (outcome.prediction) check_prediction(*outcome.prediction, limits);
}

void check_sweep(const SweepBase& base, const SnapshotLimits& limits) {
  check_prediction(base.prediction, limits);
  require(base.segments_run >= 0, "a sweep ran less than nothing");
}

void check_inspection(const Inspection& inspection, const InspectRequest& request, const SnapshotLimits& limits) {
  require(inspection.segment == request.segment, "another segment was inspected than asked for");
  const SegmentPlace place{request.segment, std::min(limits.tokens, request.segment * limits.segment_length)};
  check_hits(inspection.hits, place, limits, kSender);
  check_heads(inspection.prefix_mass, limits, "the map of prefixes");
  check_heads(inspection.pair_mass, limits, "the map of pairs");
  check_heads(inspection.pair_top, limits, "the map of pairs");
  if (inspection.attention) check_attention(*inspection.attention, request.parts, limits);
  if (inspection.search) check_search(*inspection.search, place, limits);
  if (inspection.attribution) check_attribution(*inspection.attribution, limits);
  if (inspection.sources) check_sources(*inspection.sources, limits);
  if (inspection.lens) check_lens(*inspection.lens, limits);
  if (inspection.ablations) check_ablations(*inspection.ablations, limits);
  require(inspection.points.size() == request.parts.points.size(), "received values of other points than requested");
  for (std::size_t i = 0; i < inspection.points.size(); ++i) {
    const auto& [at, values] = inspection.points[i];
    require(at == request.parts.points[i] && values.rows <= limits.segment_length,
            "received values of other points than requested");
    check_map(values, values.rows, values.columns, "the values of a point", kSender);
  }
  for (const SlotMasses& masses : inspection.slot_masses)
    require(fit(masses, inspection.hits, limits), "received attention masses of slots that were not retrieved");
  for (const HeadRecall& head : inspection.recall)
    require(has(limits, head.head) && are_positions(head.oracle, limits),
            "received retrieval recall of a head that the model lacks");
}

void check_step(const StepSnapshot& step, const SnapshotLimits& limits) {
  const StepRecord& record = step.record;
  require(record.step >= 0 && record.tokens >= 0 && record.targets >= 0 &&
              std::ssize(record.segment_loss) <= limits.tokens && std::ssize(record.reach) <= limits.tokens,
          "a step has counts that can't be");
  for (const GradientReach& reach : record.reach)
    require(reach.transition >= 0 && reach.transition < limits.tokens && reach.age > 0 && reach.age <= limits.tokens,
            "a step has a reach over transitions that can't be");
  SegmentPlace place;
  for (const auto& segment : step.segments) {
    require(segment != nullptr, "a step has a segment that is none");
    check_snapshot(*segment, place, limits, kSender);
    check_ids(segment->ids, limits.vocabulary, kSender);
    place = place.after(segment->record);
  }
}

}  // namespace carryover
