// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/head_score_map.h"

#include <algorithm>
#include <cmath>

#include "engine/heads/choice/head_agreement.h"
#include "widgets/heads/head_grid.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

std::vector<QPointF> centres(const Grouping& grouping) {
  std::vector<QPointF> cells;
  for (const HeadRef& head : retrieving_heads(grouping)) cells.emplace_back(head.head, head.layer);
  return cells;
}

QString role_name(HeadRole role) {
  switch (role) {
    case HeadRole::Retrieving:
      return HeadScoreMap::tr("retrieving");
    case HeadRole::LongRange:
      return HeadScoreMap::tr("long, in a layer that does not retrieve");
    default:
      return HeadScoreMap::tr("local");
  }
}

}  // namespace

HeadScoreMap::HeadScoreMap(LinkedContext& context, QWidget* parent)
    : PlotView(QStringLiteral("head_scores"), parent), context_(context) {
  set_axes(tr("Head"), tr("Layer"));
  set_integer_axes(true, true);
  set_y_reversed(true);
  set_value_range(0, NAN);
  set_hover_text([this](double x, double y) { return text_at(x, y); });
  set_csv_source([this] { return rows(); });
  current_outline_ = add_outline({[](const Theme& theme) { return theme.retrieving; }, false, 0.05});
  proposed_outline_ = add_outline({[](const Theme& theme) { return theme.text; }, true, 0.14});
  chosen_outline_ = add_outline({[](const Theme& theme) { return theme.accent; }, false, 0.25});
  connect(this, &PlotView::clicked, this, [this](double x, double y) { select(std::llround(y), std::llround(x)); });
  connect(this, &PlotView::stepped, this, [this](int columns, int rows) {
    const Selection& from = context_.selected();
    select(std::max(0, from.layer + rows), std::max(0, from.head + columns));
  });
}

void HeadScoreMap::show_nothing(const QString& why) {
  scores_ = {};
  clear_map();
  set_title({});
  set_empty_text(why);
  for (const int outline : {current_outline_, proposed_outline_, chosen_outline_}) set_outline(outline, {}, {});
  request_replot();
}

void HeadScoreMap::show_scores(const HeadScores& scores, const QString& name, const QString& measure,
                               const QString& provenance) {
  scores_ = scores;
  ranks_.assign(scores.values.size(), 0);
  int rank = 0;
  for (const HeadRef& head : ranked_heads(scores))
    ranks_[static_cast<std::size_t>(head.layer * scores.heads + head.head)] = rank++;
  const Map map{scores.layers, scores.heads, {scores.values.begin(), scores.values.end()}};
  set_map(map, -0.5, static_cast<double>(scores.heads) - 0.5, -0.5, static_cast<double>(scores.layers) - 0.5, measure,
          Gradient::Viridis);
  set_title(tr("Which heads retrieve: %1").arg(name));
  set_provenance(provenance);
}

void HeadScoreMap::show_groupings(const Proposal& current, const Proposal& proposed, const Proposal* chosen) {
  current_ = current.grouping;
  proposed_ = proposed.grouping;
  set_outline(current_outline_, tr("current"), centres(current.grouping));
  set_outline(proposed_outline_, tr("proposed"), centres(proposed.grouping));
  set_outline(chosen_outline_, chosen ? chosen->name : QString(),
              chosen ? centres(chosen->grouping) : std::vector<QPointF>());
}

void HeadScoreMap::show_selection() {
  const Selection& selected = context_.selected();
  set_cursor(selected.head >= 0 ? selected.head : NAN);
  set_row_cursor(selected.layer >= 0 ? selected.layer : NAN);
}

bool HeadScoreMap::holds(std::int64_t layer, std::int64_t head) const {
  return layer >= 0 && layer < scores_.layers && head >= 0 && head < scores_.heads;
}

int HeadScoreMap::rank(int layer, int head) const {
  return ranks_[static_cast<std::size_t>(layer * scores_.heads + head)] + 1;
}

void HeadScoreMap::select(std::int64_t layer, std::int64_t head) {
  if (holds(layer, head)) context_.select_head(static_cast<int>(layer), static_cast<int>(head));
}

QString HeadScoreMap::text_at(double x, double y) const {
  const auto head = static_cast<int>(std::lround(x)), layer = static_cast<int>(std::lround(y));
  if (!holds(layer, head)) return {};
  return filled(tr("layer %1, head %2 · %3\nscore %4 · rank %5 of %6"), layer, head,
                role_name(head_role(current_, layer, head)), significant_text(scores_.at(layer, head), 3),
                rank(layer, head), ranks_.size());
}

QString HeadScoreMap::rows() const {
  const auto retrieves = [](const Grouping& grouping, int layer, int head) {
    return head_role(grouping, layer, head) == HeadRole::Retrieving ? 1 : 0;
  };
  QString text = QStringLiteral("layer,head,score,rank,current,proposed\n");
  for (int layer = 0; layer < scores_.layers; ++layer)
    for (int head = 0; head < scores_.heads; ++head)
      text += filled(QStringLiteral("%1,%2,%3,%4,%5,%6\n"), layer, head,
                     QString::number(scores_.at(layer, head), 'g', 9), rank(layer, head),
                     retrieves(current_, layer, head) ? 1 : 0, retrieves(proposed_, layer, head) ? 1 : 0);
  return text;
}

}  // namespace carryover
