// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/head_profile.h"

#include <algorithm>

#include "engine/families/family.h"
#include "engine/inspection/inspect.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/values/replay_request.h"

namespace carryover {

namespace {

/// Puts BOS before a probe for a model that reads every text behind it, unless the probe begins with BOS.
HeadProbe with_bos(HeadProbe probe, const ModelConfig& model) {
  if (!family_of(model).starts_with_bos || !model.bos_id) return probe;
  const auto bos = static_cast<std::int32_t>(*model.bos_id);
  if (!probe.ids.empty() && probe.ids.front() == bos) return probe;
  probe.ids.insert(probe.ids.begin(), bos);
  for (AttentionPair& pair : probe.pairs) pair = {pair.query + 1, pair.key + 1};
  return probe;
}

/// The probe as one segment of full attention.
InspectRequest inspection_of(const HeadProbe& probe, const ModelConfig& model) {
  const std::int64_t length = std::ssize(probe.ids);
  InspectRequest request;
  request.run.ids = std::make_shared<const std::vector<std::int32_t>>(probe.ids);
  request.run.policy = "full";
  request.run.config = SegmentConfig::defaults_for(model);
  request.run.config.segment_length = length;
  request.run.config.carry_length = std::min(request.run.config.carry_length, length);
  request.parts.pairs = probe.pairs;
  return request;
}

void add_share(HeadScores& sum, const Map& scores, std::int64_t probes) {
  if (sum.values.empty()) sum = {scores.rows, scores.columns, std::vector<double>(scores.values.size())};
  for (std::size_t i = 0; i < sum.values.size(); ++i)
    sum.values[i] += static_cast<double>(scores.values[i]) / static_cast<double>(probes);
}

}  // namespace

HeadProfile profile_heads(const Decoder& decoder, const HeadProfileRequest& request, RunControl& control) {
  check_probes(request);
  const double probe_bytes = sizeof(std::int32_t) + sizeof(AttentionPair);
  require_memory("the probes of this profile",
                 probe_bytes * static_cast<double>(request.tokens) * static_cast<double>(request.probes) *
                     static_cast<double>(request.kinds.size()),
                 "Ask for fewer or shorter probes.");
  const std::vector<HeadProbe> probes = make_probes(request, decoder.config.vocabulary);
  StateArchive none(0);  // what the session keeps of its run stays
  HeadProfile profile;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const HeadProbe probe = with_bos(probes[i], decoder.config);
    if (request.progress)
      request.progress(static_cast<double>(i) / static_cast<double>(probes.size()),
                       std::string(probe_kind_name(probe.kind)) + ", probe " + std::to_string(i + 1) + " of " +
                           std::to_string(probes.size()));
    const Inspection seen = inspect_segment(decoder, inspection_of(probe, decoder.config), control, none);
    if (profile.kinds.empty() || profile.kinds.back().kind != probe.kind) profile.kinds.push_back({probe.kind, {}, {}});
    add_share(profile.kinds.back().attention, seen.pair_mass, request.probes);
    add_share(profile.kinds.back().copies, seen.pair_top, request.probes);
  }
  return profile;
}

}  // namespace carryover
