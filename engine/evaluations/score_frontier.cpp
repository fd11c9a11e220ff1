// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/evaluations/score_frontier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace carryover {

namespace {

using Cells = std::vector<const ScoreCell*>;

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
  constexpr double kNormal95 = 1.959963984540054;
  mean.error = std::sqrt(squares) / count;
  mean.interval = MeanInterval{mean.score, mean.score - kNormal95 * *mean.error, mean.score + kNormal95 * *mean.error};
  return mean;
}

std::optional<FrontierPoint> point_of(const Cells& cells) {
  FrontierPoint point;
  for (const ScoreCell* cell : cells) {
    if (cell->score() == nullptr || !std::isfinite(cell->score()->score)) return std::nullopt;
    point.length = cell->length;
    point.samples += cell->entries.size() - cell->failures;
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
