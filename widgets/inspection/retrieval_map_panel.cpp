// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/retrieval_map_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr int most_map_columns = 1024;
constexpr std::size_t most_steps = 2048;  ///< of the boundary: more than there are pixels

/// The hit that a click or hover in a cell means: the strongest kind, then the best score.
const Hit* strongest(const HeadHits* head, std::int64_t first, std::int64_t end) {
  const Hit* best = nullptr;
  if (!head) return best;
  for (const Hit& hit : head->hits) {
    if (hit.position < first || hit.position >= end) continue;
    if (!best || hit.kind < best->kind || (hit.kind == best->kind && hit.score > best->score)) best = &hit;
  }
  return best;
}

}  // namespace

RetrievalMapPanel::RetrievalMapPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Retrieval map"), parent), plot_(new PlotView(QStringLiteral("retrieval_map"), this)) {
  axis_ = new QComboBox(this);
  axis_->addItems({tr("Segments × positions, one head"), tr("Heads × positions, one segment")});
  axis_->setAccessibleName(tr("Rows of the map"));
  value_ = new QComboBox(this);
  value_->addItems({tr("Colour by kind"), tr("Colour by density")});
  value_->setAccessibleName(tr("Colour of the map"));
  padding_ = new QCheckBox(tr("Padding"), this);
  padding_->setToolTip(tr("Padding only fills up the prefix: it is not evidence of retrieval"));
  padding_->setChecked(true);
  WrappingBar* bar = control_bar();
  for (QWidget* widget : {static_cast<QWidget*>(axis_), static_cast<QWidget*>(value_), static_cast<QWidget*>(padding_)})
    bar->addWidget(widget);
  bar->addStretch(1);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, plot_);

  plot_->set_y_reversed(true);
  plot_->set_integer_axes(true, true);
  plot_->set_categories({{tr("padding"), [](const Theme& theme) { return theme.padding; }},
                         {tr("expanded"), [](const Theme& theme) { return theme.expanded; }},
                         {tr("anchor"), [](const Theme& theme) { return theme.anchor; }}});
  boundary_ = plot_->add_curve(tr("start of the segment"), {[](const Theme& theme) { return theme.muted; }, true});
  plot_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  plot_->set_csv_source([this] { return csv(); });

  for (QComboBox* box : {axis_, value_})
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      plot_->fit();
      request_refresh();
    });
  connect(padding_, &QCheckBox::toggled, this, &Panel::request_refresh);
  connect(plot_, &PlotView::view_changed, this, [this] {
    if (!drawing_) request_refresh();
  });
  connect(plot_, &PlotView::clicked, this, &RetrievalMapPanel::select_at);
  connect(plot_, &PlotView::stepped, this, &RetrievalMapPanel::step);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::range_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
    rows_.clear();
    drawn_ = {};
    plot_->fit();
    request_refresh();
  });
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
}

bool RetrievalMapPanel::by_segment() const {
  return axis_->currentIndex() == 0;
}

std::vector<RetrievalMapPanel::Row> RetrievalMapPanel::rows() {
  const RunModel& run = context().run();
  std::vector<Row> rows;
  if (run.segment_count() == 0) return rows;
  if (!by_segment()) {
    const int segment = shown_segment(context());
    for (const HitIndex::Column& head : run.hit_index().columns())
      if (!head.of(segment).empty()) rows.push_back({segment, head.layer, head.head});
    return rows;
  }
  const auto [layer, head] = shown_head(context());
  layer_ = layer;
  head_ = head;
  bool any = false;
  for (int segment = 0; segment < run.segment_count(); ++segment) {
    if (!context().range().contains(segment)) continue;
    rows.push_back({segment, layer_, head_});
    any = any || !hits_of(rows.back()).empty();
  }
  return any ? rows : std::vector<Row>{};
}

QString RetrievalMapPanel::why_no_rows() {
  const RunModel& run = context().run();
  if (!by_segment()) return why_nothing_retrieved(run, shown_segment(context()), {-1, -1});
  const int last = run.segment_count() - 1;
  const SegmentRange& range = context().range();
  return why_nothing_retrieved(run, range.is_set() ? std::min(last, range.last) : last, {layer_, head_});
}

BriefHits RetrievalMapPanel::hits_of(const Row& row) const {
  const RunModel& run = const_cast<RetrievalMapPanel*>(this)->context().run();
  return run.brief_hits(row.segment, row.layer, row.head);
}

const HeadHits* RetrievalMapPanel::whole_hits_of(const Row& row) const {
  return const_cast<RetrievalMapPanel*>(this)->context().run().hits(row.segment, row.layer, row.head);
}

RetrievalMapPanel::Drawn RetrievalMapPanel::wanted() const {
  return {rows_, plot_->view(), plot_->map_pixels(), value_->currentIndex(), padding_->isChecked()};
}

void RetrievalMapPanel::refresh() {
  drawing_ = true;
  const RunModel& run = context().run();
  rows_ = rows();
  plot_->set_provenance(run_provenance(run));
  if (rows_.empty()) {
    drawn_ = {};
    plot_->clear_map();
    plot_->clear_curve(boundary_);
    plot_->set_extent({});
    plot_->set_empty_text(run.segment_count() == 0 ? no_run_text(context().run()) : why_no_rows());
    plot_->request_replot();
  } else if (wanted() == drawn_) {
    follow_selection();
  } else {
    draw(rows_);
    drawn_ = wanted();
  }
  drawing_ = false;
}

void RetrievalMapPanel::draw(const std::vector<Row>& rows) {
  const RunModel& run = context().run();
  const SegmentRecord& last = run.record(rows.back().segment);
  const auto height = static_cast<double>(rows.size());
  plot_->set_extent(QRectF(-0.5, -0.5, static_cast<double>(last.first_token + last.length), height));
  std::vector<QString> names;
  if (!by_segment() || context().range().is_set())
    for (const Row& row : rows)
      names.push_back(by_segment() ? QString::number(row.segment) : list_name(run, row.layer, row.head));
  plot_->set_y_names(names);
  plot_->set_axes(tr("Source position (token)"), by_segment() ? tr("Query segment") : tr("Layer, head"));
  plot_->set_title(by_segment() ? filled(tr("What layer %1, head %2 retrieves"), layer_, head_)
                                : tr("What segment %1 retrieves").arg(rows.front().segment));
  draw_boundary(rows);
  plot_->request_replot();  // settles the visible range that the cells are made for

  std::vector<BriefHits> hits;
  for (const Row& row : rows) hits.push_back(hits_of(row));
  const QRectF view = plot_->view();
  const QSize pixels = plot_->map_pixels();
  const bool kinds = value_->currentIndex() == 0;
  // No cell narrower than a pixel: a lone hit is seen, and a figure does not depend much on how wide its panel is.
  const HitWindow window{view.left(),
                         view.right(),
                         view.top(),
                         view.bottom(),
                         std::clamp(pixels.width(), 64, most_map_columns),
                         std::clamp(pixels.height(), 16, most_map_columns),
                         padding_->isChecked()};
  grid_ = bin_hits(hits, window, kinds ? HitValue::Kind : HitValue::Count);
  plot_->set_map(grid_.map, grid_.x0(), grid_.x1(), grid_.y0(), grid_.y1(),
                 grid_.bin == 1 ? tr("Hits per position") : tr("Hits per %1 positions").arg(grid_.bin),
                 kinds ? PlotView::Gradient::Categories : PlotView::Gradient::Viridis);
  follow_selection();
  plot_->request_replot();
}

// Everything retrieved lies left of it: a segment reads only what came before it.
void RetrievalMapPanel::draw_boundary(const std::vector<Row>& rows) {
  const RunModel& run = context().run();
  plot_->clear_curve(boundary_);
  std::vector<double> x, y;
  const std::size_t step = 1 + rows.size() / most_steps;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    const double start = static_cast<double>(run.record(rows[i].segment).first_token) - 0.5;
    x.insert(x.end(), {start, start});
    y.insert(y.end(), {static_cast<double>(i) - 0.5, static_cast<double>(std::min(i + step, rows.size())) - 0.5});
  }
  plot_->append(boundary_, x, y);
}

void RetrievalMapPanel::follow_selection() {
  const Selection& selected = context().selected();
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& candidate) {
    return by_segment() ? candidate.segment == selected.segment
                        : candidate.layer == selected.layer && candidate.head == selected.head;
  });
  plot_->set_row_cursor(row == rows_.end() ? NAN : static_cast<double>(row - rows_.begin()));
  plot_->set_cursor(selected.token >= 0 ? static_cast<double>(selected.token) : NAN);
}

void RetrievalMapPanel::select_at(double x, double y) {
  const auto index = std::llround(y);
  if (index < 0 || index >= static_cast<std::int64_t>(rows_.size())) return;
  const Row& row = rows_[static_cast<std::size_t>(index)];
  std::int64_t token =
      std::clamp<std::int64_t>(std::llround(x), 0, std::max<std::int64_t>(0, context().run().token_count() - 1));
  const std::int64_t first = token / grid_.bin * grid_.bin;
  if (const Hit* hit = strongest(whole_hits_of(row), first, first + grid_.bin)) token = hit->position;
  context().select({row.segment, row.layer, row.head, token});
}

void RetrievalMapPanel::step(int columns, int rows) {
  const Selection& selected = context().selected();
  if (columns != 0) {
    const std::int64_t token = std::max<std::int64_t>(0, selected.token + columns * grid_.bin);
    context().select({shown_segment(context()), selected.layer, selected.head, token});
  } else if (by_segment()) {
    const int segment = shown_segment(context()) + rows;
    if (segment >= 0 && segment < context().run().segment_count()) context().select_segment(segment);
  } else {
    const auto now = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.layer == selected.layer && row.head == selected.head;
    });
    const std::int64_t next = now == rows_.end() ? 0 : now - rows_.begin() + rows;
    if (next < 0 || next >= static_cast<std::int64_t>(rows_.size())) return;
    const Row& row = rows_[static_cast<std::size_t>(next)];
    context().select_head(row.layer, row.head);
  }
}

QString RetrievalMapPanel::text_at(double x, double y) const {
  const auto index = std::llround(y);
  if (index < 0 || index >= static_cast<std::int64_t>(rows_.size()) || x < -0.5) return {};
  const Row& row = rows_[static_cast<std::size_t>(index)];
  const std::int64_t position = std::llround(x), first = position / grid_.bin * grid_.bin;
  QString text = filled(tr("segment %1 · layer %2 · head %3"), row.segment, row.layer, row.head);
  const Hit* hit = strongest(whole_hits_of(row), first, first + grid_.bin);
  if (!hit) return text + QLatin1Char('\n') + tr("position %1: not retrieved").arg(position);
  const RunModel& run = const_cast<RetrievalMapPanel*>(this)->context().run();
  text += QLatin1Char('\n') + filled(tr("position %1: %2"), hit->position, hit_kind_text(hit->kind));
  if (hit->kind != HitKind::Padding) text += tr(", score %1").arg(significant_text(static_cast<double>(hit->score), 5));
  if (grid_.bin > 1) text += QLatin1Char('\n') + tr("strongest of the %1 positions in this cell").arg(grid_.bin);
  return text + QLatin1Char('\n') + text_around(run, hit->position);
}

QString RetrievalMapPanel::csv() const {
  QString text = QStringLiteral("segment,layer,head,position,kind,score,anchor\n");
  for (const Row& row : rows_) {
    const HeadHits* hits = whole_hits_of(row);
    if (!hits) continue;
    for (const Hit& hit : hits->hits) {
      if (hit.kind == HitKind::Padding && !padding_->isChecked()) continue;
      const bool evidence = hit.kind != HitKind::Padding;
      text += filled(QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n"), row.segment, row.layer, row.head, hit.position,
                     QString::fromStdString(std::string(hit_kind_name(hit.kind))),
                     evidence ? QString::number(hit.score, 'g', 9) : QString(),
                     evidence ? QString::number(hit.anchor) : QString());
    }
  }
  return text;
}

}  // namespace carryover
