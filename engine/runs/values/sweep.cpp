// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/sweep.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/runs/values/patch.h"

namespace carryover {

std::string_view sweep_site_name(SweepSite site) {
  return kSweepSiteNames[static_cast<std::size_t>(site)];
}

std::string_view sweep_source_name(SweepSource source) {
  return kSweepSourceNames[static_cast<std::size_t>(source)];
}

bool removes_reading(SweepSite site) {
  return site == SweepSite::Sinks || site == SweepSite::Retrieved || site == SweepSite::Carry;
}

PrefixPart part_removed(SweepSite site) {
  CARRYOVER_CHECK(removes_reading(site));
  if (site == SweepSite::Sinks) return PrefixPart::Sinks;
  return site == SweepSite::Retrieved ? PrefixPart::Retrieved : PrefixPart::Carry;
}

bool has_head_columns(SweepSite site) {
  return site == SweepSite::Heads || removes_reading(site);
}

std::int64_t sweep_length(const SweepRequest& request) {
  const std::int64_t length = request.run.config.segment_length;
  return std::min(length, std::ssize(*request.run.ids) - request.segment * length);
}

std::int64_t sweep_end(const SweepRequest& request) {
  return request.losses ? sweep_length(request) : request.question.token + 1;
}

TokenRange sweep_tokens(const SweepRequest& request) {
  const std::int64_t end = sweep_end(request);
  return request.tokens ? TokenRange{request.tokens->first, std::min(request.tokens->last, end)} : TokenRange{0, end};
}

std::vector<SweepPlace> sweep_places(const SweepRequest& request, const ModelConfig& model) {
  std::vector<SweepPlace> places;
  const auto layers = [&](std::int64_t column) {
    for (int layer = 0; layer < static_cast<int>(model.layers); ++layer) places.push_back({layer, column});
  };
  if (has_head_columns(request.site)) {
    for (std::int64_t head = 0; head < model.heads; ++head) layers(head);
    std::ranges::stable_sort(places, {}, &SweepPlace::layer);
  } else {
    const TokenRange tokens = sweep_tokens(request);
    for (std::int64_t token = tokens.first; token < tokens.last; ++token) layers(token);
  }
  return places;
}

double sweep_cost(const SweepRequest& request, const ModelConfig& model) {
  const TokenRange tokens = sweep_tokens(request);
  double rows = 0;
  for (const SweepPlace& place : sweep_places(request, model)) {
    const std::int64_t first = has_head_columns(request.site) ? tokens.first : place.column;
    rows += static_cast<double>(sweep_end(request) - first) * static_cast<double>(model.layers - place.layer);
  }
  return rows / static_cast<double>(model.layers * request.run.config.segment_length);
}

std::string sweep_problem(const SweepRequest& request) {
  const std::int64_t length = sweep_length(request);
  const auto& tokens = request.tokens;
  if (request.question.token < 0 || request.question.token >= length)
    return "token " + std::to_string(request.question.token) + " is not in the segment, which has " +
           std::to_string(length);
  if (tokens && (tokens->first < 0 || tokens->last <= tokens->first || tokens->last > length))
    return "the tokens " + std::to_string(tokens->first) + " to " + std::to_string(tokens->last - 1) +
           " are not in the segment, which has " + std::to_string(length);
  if (tokens && !request.losses && tokens->first > request.question.token)
    return "tokens after the one whose prediction is asked for can't change it";
  if (removes_reading(request.site) && (request.source != SweepSource::Zero || tokens))
    return "what a head reads can only be removed, for all tokens";
  if (request.source == SweepSource::Run && !request.patch_source) return "there is no other run to take values from";
  if (request.source != SweepSource::Run) return {};
  return patch_problem(request.run, request.patch_source->run, request.segment, {});
}

}  // namespace carryover
