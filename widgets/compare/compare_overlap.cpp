// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_overlap.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/lab/segment_cursor.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_view.h"

namespace carryover {

CompareOverlap::CompareOverlap(LinkedContext& lab, QWidget* parent)
    : ComparePage(lab, parent),
      by_segment_(new PlotView(QStringLiteral("compare_jaccard"), this)),
      by_head_(new PlotView(QStringLiteral("compare_jaccard_heads"), this)) {
  by_segment_->set_title(tr("Hits in common, by segment"));
  by_segment_->set_axes(tr("Segment"), tr("Jaccard of the hit sets"));
  by_segment_->set_integer_axes(true, false);
  all_ = by_segment_->add_curve(tr("all heads"), {series_colour(0)});
  selected_ = by_segment_->add_curve(tr("selected head"), {series_colour(1)});
  by_head_->set_title(tr("By head"));
  by_head_->set_axes(tr("Head"), tr("Layer"));
  by_head_->set_integer_axes(true, true);
  by_head_->set_y_reversed(true);
  by_head_->set_value_range(0, 1);
  cursor_ = new SegmentCursor(
      lab, {by_segment_}, [](int segment) { return segment; },
      [](double x) { return static_cast<int>(std::lround(x)); }, this);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(by_segment_, 3);
  row->addWidget(by_head_, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  cursor_->setContentsMargins(6, 3, 6, 3);
  layout->addWidget(cursor_);
  layout->addLayout(row, 1);
  connect(by_head_, &PlotView::clicked, this, &CompareOverlap::select_head);
}

void CompareOverlap::restart() {
  drawn_ = -1;
}

void CompareOverlap::append(int segment) {
  if (const auto jaccard = comparison().segment_overlap(segment).jaccard())
    by_segment_->append(all_, segment, *jaccard);
  for (const HeadRef& head : comparison().heads_of_both())
    heads_[{head.layer, head.head}].add(comparison().overlap(segment, head.layer, head.head));
}

void CompareOverlap::draw() {
  const int count = comparison().a().segment_count(), first = std::max(0, drawn_);
  if (drawn_ < 0) {
    heads_.clear();
    for (PlotView* plot : plots()) {
      plot->clear_curves();
      plot->set_provenance(comparison_provenance(comparison()));
      plot->fit();
    }
  }
  for (int segment = first; segment < count; ++segment)
    if (context().range().contains(segment)) append(segment);
  if (drawn_ != count || drawn_head_ != shown_head(context())) draw_selected_head();
  if (drawn_ != count) draw_heads();
  drawn_ = count;
  const SegmentRange range = context().range().is_set() ? context().range() : SegmentRange{0, count - 1};
  by_segment_->set_extent(QRectF(range.first - 0.5, 0, range.last - range.first + 1, 1.03));
  for (PlotView* plot : plots()) {
    plot->set_empty_text(no_hits_text(comparison()));
    plot->request_replot();
  }
  cursor_->update_cursor();
  const auto row = std::find(layers_.begin(), layers_.end(), context().selected().layer);
  by_head_->set_row_cursor(row == layers_.end() ? NAN : static_cast<double>(row - layers_.begin()));
  by_head_->set_cursor(context().selected().head >= 0 ? context().selected().head : NAN);
}

void CompareOverlap::draw_selected_head() {
  drawn_head_ = shown_head(context());
  const auto [layer, head] = drawn_head_;
  by_segment_->clear_curve(selected_);
  by_segment_->set_curve_name(selected_, filled(tr("layer %1, head %2"), layer, head));
  for (int segment = 0; segment < comparison().a().segment_count(); ++segment) {
    if (!context().range().contains(segment)) continue;
    if (const auto jaccard = comparison().overlap(segment, layer, head).jaccard())
      by_segment_->append(selected_, segment, *jaccard);
  }
}

void CompareOverlap::draw_heads() {
  layers_.clear();
  for (const auto& [place, overlap] : heads_)
    if (overlap.jaccard() && (layers_.empty() || layers_.back() != place.first)) layers_.push_back(place.first);
  by_head_->clear_map();
  if (layers_.empty()) return;
  const std::int64_t columns = comparison().a().model().config.heads;
  Map map{static_cast<std::int64_t>(layers_.size()), columns, {}};
  map.values.assign(static_cast<std::size_t>(map.rows * map.columns), NAN);
  std::vector<QString> names;
  for (std::size_t row = 0; row < layers_.size(); ++row) {
    names.push_back(QString::number(layers_[row]));
    for (int head = 0; head < columns; ++head) {
      const auto found = heads_.find({layers_[row], head});
      const auto jaccard = found == heads_.end() ? std::nullopt : found->second.jaccard();
      if (jaccard)
        map.values[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(head)] =
            static_cast<float>(*jaccard);
    }
  }
  by_head_->set_y_names(names);
  by_head_->set_map(map, -0.5, static_cast<double>(columns) - 0.5, -0.5, static_cast<double>(map.rows) - 0.5,
                    tr("Jaccard"), PlotView::Gradient::Viridis);
}

void CompareOverlap::select_head(double x, double y) {
  const auto row = std::llround(y), head = std::llround(x);
  if (row < 0 || row >= static_cast<std::int64_t>(layers_.size()) || head < 0) return;
  if (head >= comparison().a().model().config.heads) return;
  context().select_head(layers_[static_cast<std::size_t>(row)], static_cast<int>(head));
}

}  // namespace carryover
