// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/experiments/position_losses.h"

#include <algorithm>

namespace carryover {

namespace {

using Points = std::vector<std::pair<double, double>>;

const ResultsView::Text* find_text(const ResultsView::Run& run, const std::string& file) {
  const auto texts = run.longest_texts();
  const auto found = std::ranges::find(texts, file, [](const ResultsView::Text* text) { return text->file; });
  return found == texts.end() ? nullptr : *found;
}

Points points_of(const std::vector<ResultsView::Segment>& segments, std::size_t parts) {
  Points points;
  double before = 0;
  parts = std::min(parts, segments.size());
  for (std::size_t part = 0; part < parts; ++part) {
    double targets = 0, nll = 0;
    for (std::size_t i = part * segments.size() / parts; i < (part + 1) * segments.size() / parts; ++i) {
      targets += static_cast<double>(segments[i].targets);
      nll += segments[i].nll_sum;
    }
    if (targets > 0) points.emplace_back(before + targets / 2, nll / targets);
    before += targets;
  }
  return points;
}

/// Both have the same places where they are of the same text.
void add(Points& sums, const Points& more) {
  if (sums.empty()) sums.resize(more.size());
  for (std::size_t i = 0; i < std::min(sums.size(), more.size()); ++i) {
    sums[i].first += more[i].first;
    sums[i].second += more[i].second;
  }
}

}  // namespace

std::vector<PositionLosses> position_losses(const ResultsView& results, const std::string& model,
                                            const std::string& file, std::size_t parts) {
  std::vector<PositionLosses> all;
  for (const ResultsView::Condition& condition : results.conditions(model)) {
    PositionLosses losses{condition, 0, {}};
    double seeds = 0;
    for (const ResultsView::Run* run : results.runs_of(model, condition)) {
      const ResultsView::Text* text = find_text(*run, file);
      if (text == nullptr || text->segments.empty() || text->lengths.empty()) continue;
      losses.attention_kv_bytes = std::max(losses.attention_kv_bytes, text->lengths.back().attention_kv_bytes);
      add(losses.points, points_of(text->segments, parts));
      ++seeds;
    }
    for (auto& [position, loss] : losses.points) {
      position /= seeds;
      loss /= seeds;
    }
    if (!losses.points.empty()) all.push_back(std::move(losses));
  }
  return all;
}

}  // namespace carryover
