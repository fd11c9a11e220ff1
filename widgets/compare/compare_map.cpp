// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_map.h"

#include <QComboBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr int most_columns = 1024;

std::optional<BriefHit> hit_at(BriefHits hits, std::int64_t position) {
  const auto hit = std::lower_bound(hits.begin(), hits.end(), position,
                                    [](BriefHit a, std::int64_t wanted) { return a.position() < wanted; });
  return hit != hits.end() && hit->position() == position ? std::optional(*hit) : std::nullopt;
}

QString kind_of(const std::optional<BriefHit>& hit) {
  return hit ? hit_kind_text(hit->kind()) : CompareMap::tr("not retrieved");
}

}  // namespace

CompareMap::CompareMap(LinkedContext& lab, QWidget* parent)
    : ComparePage(lab, parent), plot_(new PlotView(QStringLiteral("compare_map"), this)), axis_(new QComboBox(this)) {
  axis_->addItems({tr("Segments × positions, one head"), tr("Heads × positions, one segment")});
  axis_->setAccessibleName(tr("Rows of the map"));
  WrappingBar* bar = control_bar();
  bar->addWidget(axis_);
  bar->addStretch(1);
  put_bar_above(this, bar, plot_);
  plot_->set_y_reversed(true);
  plot_->set_integer_axes(true, true);
  plot_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  plot_->set_csv_source([this] { return csv(); });
  connect(axis_, &QComboBox::currentIndexChanged, this, [this] {
    plot_->fit();
    Q_EMIT refresh_wanted();
  });
  connect(plot_, &PlotView::view_changed, this, [this] {
    if (!drawing_) Q_EMIT refresh_wanted();
  });
  connect(plot_, &PlotView::clicked, this, &CompareMap::select_at);
}

void CompareMap::restart() {
  rows_.clear();
  plot_->fit();
}

bool CompareMap::by_segment() const {
  return axis_->currentIndex() == 0;
}

void CompareMap::add_row(std::vector<Row>& rows, int segment, int layer, int head) {
  rows.push_back({segment, layer, head, comparison().aligned_hits(segment, layer, head)});
}

BriefHits CompareMap::hits_of_a(const Row& row) const {
  const bool paired = comparison().paired_segment(row.segment) >= 0;
  return paired ? comparison().a().brief_hits(row.segment, row.layer, row.head) : BriefHits();
}

/// The selected head; where none is, the first that both runs retrieve with.
HeadRef CompareMap::compared_head() {
  const auto& heads = comparison().heads_of_both();
  return context().selected().head >= 0 || heads.empty() ? shown_head(context()) : heads.front();
}

std::vector<CompareMap::Row> CompareMap::rows() {
  const RunModel& run = comparison().a();
  std::vector<Row> rows;
  if (!by_segment()) {
    const int segment = shown_segment(context());
    for (const HeadRef& head : comparison().heads_of_both()) add_row(rows, segment, head.layer, head.head);
    return with_any_hits(std::move(rows));
  }
  const auto [layer, head] = compared_head();
  if (!comparison().both_retrieve(layer, head)) return rows;
  for (int segment = 0; segment < run.segment_count(); ++segment)
    if (context().range().contains(segment)) add_row(rows, segment, layer, head);
  return with_any_hits(std::move(rows));
}

/// Returns the rows; none if no row has a hit.
std::vector<CompareMap::Row> CompareMap::with_any_hits(std::vector<Row> rows) const {
  const bool any = std::any_of(rows.begin(), rows.end(),
                               [this](const Row& row) { return !hits_of_a(row).empty() || !row.b.empty(); });
  return any ? std::move(rows) : std::vector<Row>{};
}

void CompareMap::draw() {
  drawing_ = true;
  rows_ = comparison().a().segment_count() > 0 ? rows() : std::vector<Row>{};
  plot_->set_provenance(comparison_provenance(comparison()));
  const bool both = comparison().total_overlap().either > 0;
  if (rows_.empty() || !both) {
    rows_.clear();
    plot_->clear_map();
    plot_->set_extent({});
    plot_->set_empty_text(both ? tr("The runs do not both retrieve here: choose another head or segment")
                               : no_hits_text(comparison()));
    plot_->request_replot();
  } else {
    draw_cells();
  }
  drawing_ = false;
}

void CompareMap::draw_cells() {
  const SegmentRecord& last = comparison().a().record(rows_.back().segment);
  plot_->set_extent(
      QRectF(-0.5, -0.5, static_cast<double>(last.first_token + last.length), static_cast<double>(rows_.size())));
  std::vector<QString> names;
  for (const Row& row : rows_)
    names.push_back(by_segment() ? QString::number(row.segment) : list_name(comparison().a(), row.layer, row.head));
  plot_->set_y_names(names);
  plot_->set_axes(tr("Source position (token)"), by_segment() ? tr("Query segment") : tr("Layer, head"));
  plot_->set_title(by_segment() ? filled(tr("A − B: what layer %1, head %2 retrieves"), rows_[0].layer, rows_[0].head)
                                : tr("A − B: what segment %1 retrieves").arg(rows_[0].segment));
  plot_->request_replot();  // settles the visible range that the cells are made for
  std::vector<BriefHits> a, b;
  for (const Row& row : rows_) {
    a.push_back(hits_of_a(row));
    b.push_back(row.b);
  }
  const QRectF view = plot_->view();
  const QSize pixels = plot_->map_pixels();
  grid_ = hit_difference(
      a, b,
      {view.left(), view.right(), view.top(), view.bottom(), std::clamp(pixels.width() / 2, 64, most_columns),
       std::clamp(pixels.height(), 16, most_columns), false});
  plot_->set_map(
      grid_.map, grid_.x0(), grid_.x1(), grid_.y0(), grid_.y1(),
      grid_.bin == 1 ? tr("Hits of A − hits of B") : tr("Hits of A − hits of B, per %1 positions").arg(grid_.bin),
      PlotView::Gradient::Diverging);
  show_selection();
  plot_->request_replot();
}

void CompareMap::show_selection() {
  const Selection& selected = context().selected();
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& candidate) {
    return by_segment() ? candidate.segment == selected.segment
                        : candidate.layer == selected.layer && candidate.head == selected.head;
  });
  plot_->set_row_cursor(row == rows_.end() ? NAN : static_cast<double>(row - rows_.begin()));
  plot_->set_cursor(selected.token >= 0 ? static_cast<double>(selected.token) : NAN);
}

void CompareMap::select_at(double x, double y) {
  const auto index = std::llround(y);
  if (index < 0 || index >= static_cast<std::int64_t>(rows_.size())) return;
  const Row& row = rows_[static_cast<std::size_t>(index)];
  const std::int64_t last = std::max<std::int64_t>(0, context().run().token_count() - 1);
  context().select({row.segment, row.layer, row.head, std::clamp<std::int64_t>(std::llround(x), 0, last)});
}

QString CompareMap::text_at(double x, double y) const {
  const auto index = std::llround(y);
  if (index < 0 || index >= static_cast<std::int64_t>(rows_.size()) || x < -0.5) return {};
  const Row& row = rows_[static_cast<std::size_t>(index)];
  QString text = filled(tr("segment %1 · layer %2 · head %3"), row.segment, row.layer, row.head);
  if (grid_.bin > 1) return text + QLatin1Char('\n') + tr("%1 positions per cell: zoom in").arg(grid_.bin);
  const std::int64_t position = std::llround(x);
  const auto a = hit_at(hits_of_a(row), position), b = hit_at(row.b, position);
  return text + QLatin1Char('\n') + filled(tr("position %1 · A: %2 · B: %3"), position, kind_of(a), kind_of(b)) +
         QLatin1Char('\n') + text_around(comparison().a(), position);
}

QString CompareMap::csv() const {
  QString text = QStringLiteral("segment,layer,head,position,a,b\n");
  for (const Row& row : rows_) {
    std::set<std::int64_t> positions;
    for (const BriefHits hits : {hits_of_a(row), BriefHits(row.b)})
      for (const BriefHit hit : hits) positions.insert(hit.position());
    for (const std::int64_t position : positions) {
      const auto a = hit_at(hits_of_a(row), position), b = hit_at(row.b, position);
      text += filled(QStringLiteral("%1,%2,%3,%4,%5,%6\n"), row.segment, row.layer, row.head, position,
                     a ? kind_of(a) : QString(), b ? kind_of(b) : QString());
    }
  }
  return text;
}

}  // namespace carryover
