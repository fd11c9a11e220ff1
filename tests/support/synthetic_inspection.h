// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>

#include "engine/runs/values/inspection.h"
#include "tests/support/synthetic_run.h"
#include "widgets/lab/lab_context.h"

namespace carryover::test {

inline AttentionMap synthetic_attention(const RunModel& run, int segment, const HeadRef& head,
                                        const InspectionParts& parts) {
  const SegmentRecord& record = run.record(segment);
  AttentionMap map;
  map.head = head;
  map.segment_length = record.length;
  if (const HeadHits* hits = run.hits(segment, head.layer, head.head))
    for (const Hit& hit : hits->hits) map.prefix_positions.push_back(hit.position);
  map.prefix_length = std::ssize(map.prefix_positions);
  map.query_step = std::max<std::int64_t>(1, (record.length + parts.map_rows - 1) / parts.map_rows);
  const auto columns = [&map](std::int64_t keys) { return (keys + map.key_step - 1) / map.key_step; };
  map.prefix_columns = columns(map.prefix_length);
  map.mean.rows = (record.length + map.query_step - 1) / map.query_step;
  map.mean.columns = map.prefix_columns + columns(record.length);
  for (std::int64_t row = 0; row < map.mean.rows; ++row) {
    const auto seen = static_cast<double>(map.prefix_length + row * map.query_step + 1);
    for (std::int64_t column = 0; column < map.mean.columns; ++column)
      map.mean.values.push_back(static_cast<double>(column) < seen ? static_cast<float>(1 / seen) : 0.F);
  }
  return map;
}

/// Values that rise along each row and from row to row: the first column's is the smallest.
inline PointValues synthetic_point(const RunModel& run, int segment, PointRef place) {
  PointValues seen{place, {run.record(segment).length, run.model().config.hidden, {}}};
  for (std::int64_t row = 0; row < seen.values.rows; ++row)
    for (std::int64_t column = 0; column < seen.values.columns; ++column)
      seen.values.values.push_back(static_cast<float>(row) + 0.01F * static_cast<float>(column) + 1);
  return seen;
}

inline SearchSteps synthetic_search(const RunModel& run, int segment, const HeadRef& head) {
  const std::int64_t pool = run.record(segment).first_token;
  SearchSteps steps;
  steps.head = head;
  steps.hits = *run.hits(segment, head.layer, head.head);
  for (std::int64_t first = pool - 16; first + 8 <= pool; first += 4) steps.summaries.push_back({first, first + 8});
  steps.summaries.push_back({pool - 4, pool});
  steps.scores = {std::ssize(steps.summaries), pool, {}};
  for (std::int64_t row = 0; row < steps.scores.rows; ++row) {
    for (std::int64_t column = 0; column < pool; ++column)
      steps.scores.values.push_back(static_cast<float>(std::sin(0.05 * static_cast<double>(column + 3 * row))));
    steps.best.push_back(std::ranges::max_element(steps.scores.values.end() - pool, steps.scores.values.end()) -
                         (steps.scores.values.end() - pool));
  }
  for (int summary = 0; summary < static_cast<int>(steps.summaries.size()); ++summary)
    for (const Hit& hit : steps.hits.hits)
      if (hit.kind == HitKind::Anchor)
        steps.ranked.push_back({summary, hit.position, hit.score - static_cast<float>(summary), true});
  steps.ranked.push_back({0, pool / 2 + 1, -3.F, false});
  return steps;
}

inline LogitAttribution synthetic_attribution(const RunModel& run, int segment, std::int64_t token,
                                              const std::optional<std::int32_t>& foil) {
  const ModelConfig& model = run.model().config;
  LogitAttribution logit;
  logit.prediction.token = token;
  logit.prediction.foil = foil;
  logit.prediction.target = (*run.request().ids)[static_cast<std::size_t>(run.record(segment).first_token + token + 1)];
  logit.embedding = 0.25F;
  logit.feed_forward.assign(static_cast<std::size_t>(model.layers), 0.5F);
  const auto map = [&model](float value) {
    return Map{model.layers, model.heads,
               std::vector<float>(static_cast<std::size_t>(model.layers * model.heads), value)};
  };
  logit.carry = map(0.125F);
  logit.retrieved = map(-0.0625F);
  logit.segment = map(0.03125F);
  logit.sinks = map(0.0625F);
  const float heads = static_cast<float>(model.layers * model.heads);
  logit.logit = 0.25F + 0.5F * static_cast<float>(model.layers) + heads * (0.125F - 0.0625F + 0.03125F + 0.0625F);
  return logit;
}

inline std::vector<NeuronShare> synthetic_neurons(const ModelConfig& model, std::int64_t count) {
  std::vector<NeuronShare> neurons;
  for (std::int64_t i = 0; i < count; ++i)
    neurons.push_back(
        {static_cast<int>(i % model.layers), 7 * i, 0.5F, (i % 2 == 0 ? 1.F : -1.F) / static_cast<float>(i + 1)});
  return neurons;
}

/// The target becomes the likeliest token after layer 2; a carry is read from layer 1 on.
inline LogitLens synthetic_lens(const RunModel& run, int segment, std::int64_t token) {
  LogitLens lens;
  lens.token = token;
  lens.target = (*run.request().ids)[static_cast<std::size_t>(run.record(segment).first_token + token + 1)];
  for (std::int64_t i = 0; i <= run.model().config.layers; ++i) {
    const bool settled = i > 2;
    lens.residual.push_back({{settled ? lens.target : 1, -0.5F}, settled ? 0 : 5, settled ? -0.5F : -4.F, 0});
  }
  lens.first_carry_layer = 1;
  lens.carry.assign(static_cast<std::size_t>(run.model().config.layers - 1), LensReading{{2, -1.F}, 3, -3.F, 0});
  return lens;
}

/// The target loses most without retrieval.
inline PredictionAblations synthetic_ablations(const RunModel& run, int segment, std::int64_t token,
                                               const InspectionParts& parts) {
  PredictionAblations ablations;
  Prediction& before = ablations.as_it_was;
  before.token = token;
  before.target = (*run.request().ids)[static_cast<std::size_t>(run.record(segment).first_token + token + 1)];
  before.foil = parts.foil;
  before.top = {{before.target, std::log(0.5F)}, {1, std::log(0.25F)}};
  ablations.without = {{PrefixPart::Retrieved, before, {std::log(0.125F), std::log(0.5F)}},
                       {PrefixPart::Carry, before, {std::log(0.375F), std::log(0.25F)}}};
  return ablations;
}

inline TokenSources synthetic_sources(const RunModel& run, int segment, std::int64_t token) {
  const ModelConfig& model = run.model().config;
  const std::int64_t first = run.record(segment).first_token;
  TokenSources sources;
  sources.token = token;
  sources.positions = {0, 3, first - 1, first, first + token};
  sources.logit = {0.125F, 0.75F, -0.5F, 0.25F, 0.F};
  sources.attention = {model.layers * model.heads, 5,
                       std::vector<float>(static_cast<std::size_t>(model.layers * model.heads * 5), 0.2F)};
  return sources;
}

/// Returns what an engine would answer on a synthetic run.
inline std::shared_ptr<const Inspection> synthetic_inspection(const RunModel& run, int segment,
                                                              const InspectionParts& parts) {
  auto inspection = std::make_shared<Inspection>();
  inspection->segment = segment;
  inspection->hits = run.snapshot(segment).hits;
  if (parts.attention) inspection->attention = synthetic_attention(run, segment, *parts.attention, parts);
  const ModelConfig& model = run.model().config;
  if (parts.masses) {
    inspection->prefix_mass = {model.layers, model.heads, {}};
    for (std::int64_t i = 0; i < model.layers * model.heads; ++i)
      inspection->prefix_mass.values.push_back(static_cast<float>(i) / 100.F);
    for (const HeadHits& head : inspection->hits) {
      std::vector<float> mass(head.hits.size());
      for (std::size_t slot = 0; slot < mass.size(); ++slot) mass[slot] = static_cast<float>(slot + 1) / 1000.F;
      inspection->slot_masses.push_back({{head.layer, head.head}, mass});
    }
  }
  if (parts.search) inspection->search = synthetic_search(run, segment, *parts.search);
  if (parts.recall)
    for (const HeadHits& head : inspection->hits) {
      const double share = 0.1 * (head.layer + head.head);
      inspection->recall.push_back({{head.layer, head.head}, share / 2, share / 4, share / 2, {}});
    }
  if (parts.attribution) {
    inspection->attribution = synthetic_attribution(run, segment, *parts.attribution, parts.foil);
    inspection->attribution->neurons = synthetic_neurons(run.model().config, parts.neurons);
  }
  for (const PointRef& place : parts.points) inspection->points.push_back(synthetic_point(run, segment, place));
  if (parts.lens) inspection->lens = synthetic_lens(run, segment, *parts.lens);
  if (parts.ablations) inspection->ablations = synthetic_ablations(run, segment, *parts.ablations, parts);
  if (parts.lens && parts.sources) inspection->sources = synthetic_sources(run, segment, *parts.sources);
  return inspection;
}

/// Answers every wish of `lab` at once.
inline void serve(LabContext& lab) {
  while (const auto query = lab.inspections().next())
    lab.inspections().deliver(*query, synthetic_inspection(lab.run(), query->segment, query->parts));
}

}  // namespace carryover::test
