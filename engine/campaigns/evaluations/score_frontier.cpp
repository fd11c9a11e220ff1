// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/score_frontier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/statistics/share_interval.h"
#include "engine/tasks/scores/metric_table.h"

namespace carryover {

namespace {

using Cells = std::vector<const ScoreCell*>;

std::size_t samples_of(const ScoreCell& cell) {
  return cell.entries.size() - cell.failures;
}

/// A mean of k shares of n_i samples varies like one of k² / Σ 1/n_i samples: all of them where tasks have as many.
double samples_of_mean(const Cells& cells) {
  double inverse = 0;
  for (const ScoreCell* cell : cells) inverse += 1 / static_cast<double>(samples_of(*cell));
  const auto count = static_cast<double>(cells.size());
  return count * count / inverse;
}

std::optional<MeanInterval> interval_of(const Cells& cells, double mean, double error) {
  if (std::ranges::any_of(cells, [](const ScoreCell* cell) { return !cell->score()->interval; })) return std::nullopt;
  if (is_share(cells.front()->metric) && mean >= 0 && mean <= 1) return wilson_interval(mean, samples_of_mean(cells));
  constexpr double kNormal95 = 1.959963984540054;
  return MeanInterval{mean, mean - kNormal95 * error, mean + kNormal95 * error};
}

ScoreInterval mean_score(const Cells& cells) {
  if (cells.size() == 1) return *cells.front()->score();
  const auto count = static_cast<double>(cells.size());
  ScoreInterval mean;
  double squares = 0;
  bool known = true;
  for (const ScoreCell* cell : cells) {
    const ScoreInterval& score = *cell->score();
    mean.score += score.score / count;
    known = known && score.error.has_value();
    squares += known ? *score.error * *score.error : 0;
  }
  if (!known) return mean;
  mean.error = std::sqrt(squares) / count;
  mean.interval = interval_of(cells, mean.score, *mean.error);
  return mean;
}

std::optional<FrontierPoint> point_of(const Cells& cells) {
  FrontierPoint point;
  for (const ScoreCell* cell : cells) {
    if (cell->score() == nullptr || !std::isfinite(cell->score()->score)) return std::nullopt;
    point.length = cell->length;
    point.samples += samples_of(*cell);
    point.visible_bytes = std::max(point.visible_bytes, cell->visible_bytes);
  }
  point.score = mean_score(cells);
  return point;
}

}  // namespace

std::vector<FrontierPoint> score_frontier(const EvaluationNews& news, std::size_t row, bool all_tasks) {
  const ScoreCell& chosen = news.cell(row, 0);
  std::vector<FrontierPoint> points;
  for (std::size_t column = 0; column < news.columns(); ++column) {
    std::map<std::int64_t, Cells> by_length;
    for (std::size_t other = 0; other < news.rows(); ++other) {
      const ScoreCell& cell = news.cell(other, column);
      const bool wanted = all_tasks ? news.cell(other, 0).metric == chosen.metric : cell.task == chosen.task;
      if (wanted) by_length[cell.length].push_back(&cell);
    }
    for (const auto& [length, cells] : by_length) {
      std::optional<FrontierPoint> point = point_of(cells);
      if (!point) continue;
      point->column = column;
      points.push_back(*point);
    }
  }
  return points;
}

}  // namespace carryover
