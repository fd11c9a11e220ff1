// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/sinks_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <algorithm>
#include <cmath>

#include "widgets/controls/elided_label.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/runs/state/sink_text.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

double ratio(const Map& sinks, std::int64_t layer, SinkColumn norm) {
  const auto median = static_cast<double>(sink_value(sinks, layer, SinkColumn::MedianNorm));
  return median > 0 ? static_cast<double>(sink_value(sinks, layer, norm)) / median : NAN;
}

}  // namespace

SinksPanel::SinksPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Sinks"), parent),
      quantity_(new QComboBox(this)),
      across_(new QComboBox(this)),
      state_(new ElidedLabel(this)),
      map_(new PlotView(QStringLiteral("sinks"), this)),
      curves_(new PlotView(QStringLiteral("sink_curves"), this)) {
  quantity_->addItems({tr("Attention on all sinks"), tr("Attention on the text's first tokens"),
                       tr("Attention on the carry's first tokens"), tr("Attention on the segment's first tokens"),
                       tr("Attention on the token of largest norm"), tr("Norm of the first tokens / median"),
                       tr("Largest norm / median")});
  quantity_->setAccessibleName(tr("What the map shows"));
  quantity_->setItemData(LargestMass,
                         tr("The token of largest norm, where it is not one of the first tokens: mostly a delimiter"),
                         Qt::ToolTipRole);
  quantity_->setItemData(FirstRatio,
                         tr("Norm of the hidden state that enters the layer: that of a sink is many times the median"),
                         Qt::ToolTipRole);
  across_->addItems({tr("Shown segment, by layer"), tr("Run, by segment")});
  across_->setAccessibleName(tr("What the curves show"));
  state_->setAccessibleName(tr("Lost sinks"));
  WrappingBar* bar = control_bar();
  bar->addWidget(quantity_);
  bar->addWidget(across_);
  bar->addWidget(state_, 1);
  bar->addWidget(sync_toggle());
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(map_);
  split->addWidget(curves_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  put_bar_above(this, bar, split);
  map_->set_integer_axes(true, true);
  map_->set_y_reversed(true);
  map_->set_axes(tr("Segment"), tr("Layer"));
  map_->set_hover_text([this](double x, double y) { return cell_text(x, y); });
  curves_->set_integer_axes(true, false);
  build_curves();
  const auto refit = [this] {
    for (PlotView* plot : plots()) plot->fit();
    request_refresh();
  };
  connect(quantity_, &QComboBox::currentIndexChanged, this, refit);
  connect(across_, &QComboBox::currentIndexChanged, this, refit);
  connect(map_, &PlotView::clicked, this, &SinksPanel::select_cell);
  connect(map_, &PlotView::stepped, this, &SinksPanel::step);
  connect(curves_, &PlotView::clicked, this, [this](double x, double /*y*/) { select_point(x); });
  connect(curves_, &PlotView::stepped, this,
          [this](int columns, int /*rows*/) { across() == Segments ? step(columns, 0) : step(0, columns); });
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::range_changed, this, refit);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, refit);
}

void SinksPanel::build_curves() {
  const auto add = [this](const QString& name, std::size_t colour, bool dashed = false) {
    curve_of_.push_back(curves_->add_curve(name, {series_colour(colour), dashed}));
  };
  add(tr("all sinks"), 0);
  add(tr("text's first tokens"), 1);
  add(tr("carry's first tokens"), 2);
  add(tr("segment's first tokens"), 3);
  add(tr("token of largest norm"), 4);
  add(tr("first tokens / median"), 0);
  add(tr("largest / median"), 4, true);
  lost_ =
      curves_->add_curve(tr("sink lost"), {[](const Theme& theme) { return theme.accent; }, false, false, false, true});
}

SinksPanel::Quantity SinksPanel::quantity() const {
  return static_cast<Quantity>(quantity_->currentIndex());
}

SinksPanel::Across SinksPanel::across() const {
  return static_cast<Across>(across_->currentIndex());
}

std::vector<SinksPanel::Quantity> SinksPanel::drawn_quantities() const {
  if (is_ratio(quantity())) return {FirstRatio, LargestRatio};
  return {AllMass, TextMass, CarryMass, SegmentMass, LargestMass};
}

double SinksPanel::value(int segment, int layer, Quantity quantity) {
  const Map& sinks = context().run().digest(segment).sinks;
  if (layer >= sinks.rows) return NAN;
  const auto mass = [&](SinkColumn column) { return static_cast<double>(sink_value(sinks, layer, column)); };
  switch (quantity) {
    case TextMass:
      return mass(SinkColumn::TextMass);
    case CarryMass:
      return mass(SinkColumn::CarryMass);
    case SegmentMass:
      return mass(SinkColumn::SegmentMass);
    case LargestMass:
      return mass(SinkColumn::LargestMass);
    case FirstRatio:
      return ratio(sinks, layer, SinkColumn::FirstNorm);
    case LargestRatio:
      return ratio(sinks, layer, SinkColumn::LargestNorm);
    case AllMass:
      break;
  }
  return mass(SinkColumn::TextMass) + mass(SinkColumn::CarryMass) + mass(SinkColumn::SegmentMass) +
         mass(SinkColumn::LargestMass);
}

double SinksPanel::of_segment(int segment, Quantity quantity) {
  const auto layers = context().run().digest(segment).sinks.rows;
  double sum = 0, largest = 0;
  for (int layer = 0; layer < layers; ++layer) {
    sum += value(segment, layer, quantity);
    largest = std::max(largest, value(segment, layer, quantity));
  }
  if (layers == 0) return NAN;
  return is_ratio(quantity) ? largest : sum / static_cast<double>(layers);
}

std::vector<int> SinksPanel::segments() {
  std::vector<int> shown;
  for (int segment = 0; segment < context().run().segment_count(); ++segment)
    if (context().range().contains(segment)) shown.push_back(segment);
  return shown;
}

void SinksPanel::refresh() {
  const std::vector<int> shown = segments();
  for (PlotView* plot : plots()) plot->set_provenance(run_provenance(context().run()));
  const bool kept = std::any_of(shown.begin(), shown.end(),
                                [this](int segment) { return !context().run().digest(segment).sinks.values.empty(); });
  show_state(shown);
  if (shown.empty()) return show_nothing(no_run_text(context().run()));
  if (!kept) return show_nothing(tr("This run was recorded without sink measurements: run the text again"));
  draw_map(shown);
  draw_curves(shown);
  follow_selection();
  for (PlotView* plot : plots()) plot->request_replot();
}

void SinksPanel::show_nothing(const QString& why) {
  map_->clear_map();
  curves_->clear_curves();
  for (PlotView* plot : plots()) {
    plot->set_empty_text(why);
    plot->request_replot();
  }
}

void SinksPanel::show_state(const std::vector<int>& segments) {
  const auto count = count_lost_sinks(context().run(), context().range());
  const QString not_judged = why_sinks_not_judged(context().run());
  state_->setText(!count            ? QString()
                  : count->lost > 0 ? filled(tr("⚠ sink lost in %1 of %2 segments"), count->lost, count->segments)
                  : !not_judged.isEmpty() ? not_judged
                                          : tr("no sink lost in %1 segments").arg(count->segments));
  const auto lost = std::find_if(segments.begin(), segments.end(),
                                 [this](int segment) { return context().run().record(segment).has_lost_sink(); });
  state_->setToolTip(lost == segments.end() ? (count ? sink_rule_text() : QString())
                                            : tr("Segment %1. ").arg(*lost) + lost_sink_text(context().run(), *lost));
}

void SinksPanel::draw_map(const std::vector<int>& segments) {
  const std::int64_t layers = context().run().model().config.layers;
  Map map{layers, std::ssize(segments), {}};
  for (int layer = 0; layer < layers; ++layer)
    for (const int segment : segments) map.values.push_back(static_cast<float>(value(segment, layer, quantity())));
  const bool ratios = is_ratio(quantity());
  map_->set_title(quantity_->currentText());
  map_->set_value_range(0, ratios ? NAN : 1);
  map_->set_map(map, segments.front() - 0.5, segments.back() + 0.5, -0.5, static_cast<double>(layers) - 0.5,
                ratios ? quantity_->currentText() : tr("Share of the attention"),
                ratios ? PlotView::Gradient::Cividis : PlotView::Gradient::Viridis);
}

void SinksPanel::draw_curves(const std::vector<int>& segments) {
  const std::vector<Quantity> drawn = drawn_quantities();
  const int shown = shown_segment(context());
  const bool by_layer = across() == Layers, masses = drawn.front() == AllMass;
  curves_->clear_curves();
  for (std::size_t i = 0; i < curve_of_.size(); ++i)
    curves_->set_curve_visible(curve_of_[i],
                               std::find(drawn.begin(), drawn.end(), static_cast<Quantity>(i)) != drawn.end());
  for (const Quantity quantity : drawn) {
    const int curve = curve_of_[quantity];
    if (by_layer)
      for (int layer = 0; layer < context().run().digest(shown).sinks.rows; ++layer)
        curves_->append(curve, layer, value(shown, layer, quantity));
    else
      for (const int segment : segments) curves_->append(curve, segment, of_segment(segment, quantity));
  }
  curves_->set_curve_visible(lost_, !by_layer);
  if (!by_layer)
    for (const int segment : segments)
      if (context().run().record(segment).has_lost_sink())
        curves_->append(lost_, segment, of_segment(segment, drawn.front()));
  curves_->set_axes(by_layer ? tr("Layer") : tr("Segment"),
                    masses     ? by_layer ? tr("Share of the attention") : tr("Share of the attention, mean of layers")
                        : by_layer ? tr("Norm / median")
                               : tr("Norm / median, the largest of any layer"));
  curves_->set_y_range(masses ? 0 : NAN, masses ? 1 : NAN);
  curves_->set_title(by_layer ? tr("Sinks of segment %1, by layer").arg(shown) : tr("Sinks by segment"));
}

void SinksPanel::follow_selection() {
  const int layer = context().selected().layer, segment = shown_segment(context());
  map_->set_row_cursor(layer >= 0 ? layer : NAN);
  map_->set_cursor(segment);
  curves_->set_cursor(across() == Segments ? segment : layer >= 0 ? layer : NAN);
}

void SinksPanel::select_cell(double x, double y) {
  const RunModel& run = context().run();
  const std::int64_t segment = std::llround(x), layer = std::llround(y);
  if (segment < 0 || segment >= run.segment_count() || layer < 0 || layer >= run.model().config.layers) return;
  Selection selection = with_segment(context().selected(), static_cast<int>(segment), run);
  selection.layer = static_cast<int>(layer);
  selection.head = std::max(0, selection.head);
  context().select(selection);
}

void SinksPanel::select_point(double x) {
  const std::int64_t at = std::llround(x);
  if (across() == Segments && at >= 0 && at < context().run().segment_count())
    context().select_segment(static_cast<int>(at));
  if (across() == Layers && at >= 0 && at < context().run().model().config.layers)
    context().select_head(static_cast<int>(at), std::max(0, context().selected().head));
}

void SinksPanel::step(int columns, int rows) {
  select_cell(shown_segment(context()) + columns, std::max(0, context().selected().layer + rows));
}

QString SinksPanel::cell_text(double x, double y) {
  const RunModel& run = context().run();
  const std::int64_t column = std::llround(x), row = std::llround(y);
  if (column < 0 || column >= run.segment_count() || row < 0) return {};
  const auto segment = static_cast<int>(column), layer = static_cast<int>(row);
  const Map& sinks = run.digest(segment).sinks;
  if (layer >= sinks.rows) return {};
  const auto percent = [&](Quantity quantity) { return decimal_text(100 * value(segment, layer, quantity), 1); };
  QString text = filled(
      tr("segment %1 · layer %2\nattention: text's first tokens %3 %, carry's %4 %, segment's %5 %, token of "
         "largest norm %6 %\nnorm / median: first tokens %7, largest %8"),
      segment, layer, percent(TextMass), percent(CarryMass), percent(SegmentMass), percent(LargestMass),
      significant_text(value(segment, layer, FirstRatio), 3), significant_text(value(segment, layer, LargestRatio), 3));
  const SegmentRecord& record = run.record(segment);
  const double offset = static_cast<double>(sink_value(sinks, layer, SinkColumn::LargestPosition));
  if (offset >= 0 && offset < static_cast<double>(record.length)) {
    const std::int64_t position = record.first_token + static_cast<std::int64_t>(offset);
    text += QLatin1Char('\n') + tr("largest norm: position %1").arg(position) + QLatin1Char('\n') +
            text_around(run, position);
  }
  if (record.has_lost_sink()) text += QLatin1Char('\n') + lost_sink_text(run, segment);
  return text;
}

}  // namespace carryover
