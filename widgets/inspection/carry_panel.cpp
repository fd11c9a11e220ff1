// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/carry_panel.h"

#include <QComboBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/cost/policy_table.h"
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

/// Names a layer, with its window if it has one.
QString layer_text(const ModelConfig& model, int layer) {
  return model.is_windowed(layer) ? filled(CarryPanel::tr("layer %1, window of %2 tokens"), layer, model.window)
                                  : filled(CarryPanel::tr("layer %1"), layer);
}

}  // namespace

CarryPanel::CarryPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Carried tail"), parent),
      view_(lab, QStringLiteral("carry"), this, [this] { request_refresh(); }),
      plot_(new PlotView(QStringLiteral("carry"), this)) {
  quantity_ = new QComboBox(this);
  quantity_->addItems(
      {tr("Key norm ‖K‖"), tr("Value norm ‖V‖"), tr("Drift ‖K − K′‖ / ‖K′‖"), tr("Attention on the prefix, by head")});
  quantity_->setAccessibleName(tr("What the map shows"));
  quantity_->setItemData(Drift, tr("Against the same slot of the previous segment's tail"), Qt::ToolTipRole);
  quantity_->setItemData(PrefixMass, tr("Share of each head's attention on its prefix: sinks, carry, retrieved tokens"),
                         Qt::ToolTipRole);
  WrappingBar* bar = control_bar();
  bar->addWidget(quantity_);
  bar->addStretch(1);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, plot_);

  plot_->set_integer_axes(true, true);
  plot_->set_y_reversed(true);
  plot_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  connect(quantity_, &QComboBox::currentIndexChanged, this, [this] {
    plot_->fit();
    request_refresh();
  });
  connect(plot_, &PlotView::clicked, this, &CarryPanel::select_at);
  connect(plot_, &PlotView::stepped, this, [this](int columns, int rows) {
    const int segment = shown_segment(this->context()) + columns,
              layer = std::max(0, this->context().selected().layer + rows);
    if (columns != 0 && segment >= 0 && segment < this->context().run().segment_count())
      this->context().select_segment(segment);
    if (rows != 0 && layer < this->context().run().model().config.layers)
      this->context().select_head(layer, std::max(0, this->context().selected().head));
  });
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
    ranges_ = {};
    measured_ = 0;
    plot_->fit();
    request_refresh();
  });
}

void CarryPanel::unseen() {
  view_.forget();
  request_refresh();
}

const Map& CarryPanel::map_of(int segment, int quantity) {
  const SegmentSnapshot& snapshot = context().run().snapshot(segment);
  return quantity == KeyNorm     ? snapshot.carry_key_norm
         : quantity == ValueNorm ? snapshot.carry_value_norm
                                 : snapshot.carry_drift;
}

void CarryPanel::widen_ranges() {
  for (; measured_ < context().run().segment_count(); ++measured_)
    for (std::size_t quantity = 0; quantity < ranges_.size(); ++quantity)
      ranges_[quantity].high =
          std::max(ranges_[quantity].high, static_cast<double>(context().run().digest(measured_).largest[quantity]));
}

void CarryPanel::refresh() {
  widen_ranges();
  const RunModel& run = context().run();
  const int segment = shown_segment(context()), quantity = quantity_->currentIndex();
  plot_->set_provenance(run_provenance(run));
  if (segment < 0) return show_nothing(no_run_text(context().run()));
  if (quantity == PrefixMass) return draw_masses(segment);
  view_.forget();
  plot_->set_axes(tr("Carried slot (token)"), tr("Layer"));
  if (map_of(segment, quantity).values.empty())
    return show_nothing(
        quantity == Drift && segment == 0
            ? tr("Segment 0 has no previous carry to compare with: select a later segment")
        : runs_in_chunks(run.request().policy)
            ? tr("The policy %1 has no carry").arg(QString::fromStdString(run.request().policy))
        : run.request().config.carry_length == 0
            ? tr("This run carries nothing: its carry length M is 0")
            : tr("This run has no map of segment %1: run the text again, or on the command line with --carry-maps")
                  .arg(segment));
  const Map& map = map_of(segment, quantity);
  const Range& range = ranges_[static_cast<std::size_t>(quantity)];
  plot_->set_title(filled(tr("Carry left by segment %1: %2"), segment, quantity_->currentText()));
  plot_->set_value_range(range.low, range.high);
  plot_->set_map(map, -0.5, static_cast<double>(map.columns) - 0.5, -0.5, static_cast<double>(map.rows) - 0.5,
                 quantity_->currentText(),
                 quantity == Drift ? PlotView::Gradient::Cividis : PlotView::Gradient::Viridis);
  follow_selection(segment);
  plot_->request_replot();
}

void CarryPanel::show_nothing(const QString& why) {
  plot_->clear_map();
  plot_->set_empty_text(why);
  plot_->request_replot();
}

void CarryPanel::draw_masses(int segment) {
  InspectionParts parts;
  parts.masses = true;
  answer_ = view_.ask(segment, parts);
  if (!answer_) return show_nothing(view_.why_not());
  const Map& map = answer_->prefix_mass;
  if (map.values.empty()) return show_nothing(tr("Segment %1 has no prefix").arg(segment));
  plot_->set_axes(tr("Query head"), tr("Layer"));
  plot_->set_title(tr("Attention of segment %1 on its prefix, by head").arg(segment));
  plot_->set_value_range(0, NAN);
  plot_->set_map(map, -0.5, static_cast<double>(map.columns) - 0.5, -0.5, static_cast<double>(map.rows) - 0.5,
                 tr("Share of the attention"), PlotView::Gradient::Viridis);
  const Selection& selected = context().selected();
  plot_->set_row_cursor(selected.layer >= 0 ? selected.layer : NAN);
  plot_->set_cursor(selected.head >= 0 ? selected.head : NAN);
  plot_->request_replot();
}

QString CarryPanel::mass_text(int segment, int layer, int head) {
  const QString reads = prefix_text(context().run().request().config, context().run().model().config, {layer, head});
  QString text = filled(tr("segment %1 · layer %2 · head %3"), segment, layer, head) + QLatin1Char('\n');
  if (reads.isEmpty()) return text + tr("no prefix: it sees only its segment");
  const auto percent = [](float share) { return decimal_text(100 * static_cast<double>(share), 2); };
  text += tr("%1 % on its prefix: %2").arg(percent(answer_->prefix_mass.at(layer, head)), reads);
  const auto slots_of_head = std::ranges::find(answer_->slot_masses, HeadRef{layer, head}, &SlotMasses::head);
  if (slots_of_head == answer_->slot_masses.end()) return text;
  const std::vector<float>& masses = slots_of_head->mass;
  const float retrieved = std::accumulate(masses.begin(), masses.end(), 0.0F);
  return text + QLatin1Char('\n') + tr("%1 % on retrieved tokens").arg(percent(retrieved));
}

void CarryPanel::follow_selection(int segment) {
  const Selection& selected = context().selected();
  plot_->set_row_cursor(selected.layer >= 0 ? selected.layer : NAN);
  const SegmentRecord& record = context().run().record(segment);
  const std::int64_t columns = map_of(segment, quantity_->currentIndex()).columns;
  const std::int64_t slot = selected.token - (record.first_token + record.length - columns);
  plot_->set_cursor(selected.token >= 0 && slot >= 0 && slot < columns ? static_cast<double>(slot) : NAN);
}

void CarryPanel::select_at(double x, double y) {
  const int segment = shown_segment(context());
  if (segment < 0) return;
  const bool masses = quantity_->currentIndex() == PrefixMass;
  if (masses && !answer_) return;
  const Map& map = masses ? answer_->prefix_mass : map_of(segment, quantity_->currentIndex());
  const std::int64_t slot = std::llround(x), layer = std::llround(y);
  if (slot < 0 || slot >= map.columns || layer < 0 || layer >= map.rows) return;
  if (masses) return context().select_head(static_cast<int>(layer), static_cast<int>(slot));
  const SegmentRecord& record = context().run().record(segment);
  context().select({segment, static_cast<int>(layer), std::max(0, context().selected().head),
                    record.first_token + record.length - map.columns + slot});
}

QString CarryPanel::text_at(double x, double y) {
  const int segment = shown_segment(context());
  if (segment < 0) return {};
  const bool masses = quantity_->currentIndex() == PrefixMass;
  if (masses && !answer_) return {};
  const Map& map = masses ? answer_->prefix_mass : map_of(segment, quantity_->currentIndex());
  const std::int64_t slot = std::llround(x), layer = std::llround(y);
  if (slot < 0 || slot >= map.columns || layer < 0 || layer >= map.rows) return {};
  if (masses) return mass_text(segment, static_cast<int>(layer), static_cast<int>(slot));
  const SegmentRecord& record = context().run().record(segment);
  const std::int64_t position = record.first_token + record.length - map.columns + slot;
  const QString named = layer_text(context().run().model().config, static_cast<int>(layer));
  const auto value = static_cast<double>(map.at(layer, slot));
  if (std::isnan(value)) return filled(tr("%1 · position %2\nno value: the layer does not carry it"), named, position);
  return filled(tr("%1 · slot %2 · position %3\n%4: %5\n%6"), named, slot, position, quantity_->currentText(),
                significant_text(value, 5), text_around(context().run(), position));
}

}  // namespace carryover
