// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/tensors_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/foil_token.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

constexpr int bins = 80;                                     ///< of the histogram
constexpr std::int64_t most_bytes = std::int64_t{64} << 20;  ///< several answers are kept

QString name_of(ForwardPoint point) {
  const std::string_view name = forward_point_name(point);
  return QString::fromUtf8(name.data(), std::ssize(name));
}

std::int64_t width_of(const ModelConfig& model, ForwardPoint point) {
  switch (point) {
    case ForwardPoint::Queries:
    case ForwardPoint::HeadOutputs:
      return model.heads * model.head_dim;
    case ForwardPoint::Keys:
    case ForwardPoint::Values:
      return model.kv_heads * model.head_dim;
    case ForwardPoint::Neurons:
      return model.intermediate;
    default:
      return model.hidden;
  }
}

}  // namespace

TensorsPanel::TensorsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Tensors"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("tensors"), this, [this] { request_refresh(); }),
      layer_(new QSpinBox(this)),
      point_(new QComboBox(this)),
      order_(new QComboBox(this)),
      says_(new QLabel(this)),
      map_(new PlotView(QStringLiteral("tensors"), this)),
      histogram_(new PlotView(QStringLiteral("tensor_histogram"), this)) {
  const QString names[] = {tr("residual stream before the layer"),
                           tr("queries, before RoPE"),
                           tr("keys, before RoPE"),
                           tr("values"),
                           tr("heads' outputs"),
                           tr("what attention adds"),
                           tr("residual stream after attention"),
                           tr("neurons"),
                           tr("what the feed-forward adds"),
                           tr("residual stream after the layer")};
  for (std::size_t i = 0; i < kForwardPointNames.size(); ++i)
    point_->addItem(filled(QStringLiteral("%1 · %2"), name_of(static_cast<ForwardPoint>(i)), names[i]));
  point_->setAccessibleName(tr("Point of the forward pass"));
  layer_->setAccessibleName(tr("Layer"));
  order_->addItems({tr("Columns in their order"), tr("Largest at the selected token first")});
  order_->setAccessibleName(tr("Order of the columns"));
  says_->setWordWrap(true);
  says_->setContentsMargins(6, 0, 6, 0);
  says_->setAccessibleName(tr("Size and range of the values"));
  map_->set_axes(tr("Column"), tr("Token"));
  map_->set_integer_axes(true, true);
  map_->set_y_reversed(true);
  map_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  histogram_->set_axes(tr("Value"), tr("Share of the values"));
  curve_ = histogram_->add_curve(tr("values"), {[](const Theme& theme) { return theme.accent; }, false, true});
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(map_);
  split->addWidget(histogram_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  auto* body = new QWidget(this);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(says_);
  column->addWidget(split, 1);
  WrappingBar* bar = control_bar();
  bar->addWidget(labelled(tr("Layer"), layer_, nullptr, this));
  bar->addWidget(point_);
  bar->addWidget(order_);
  auto* copy =
      add_button(this, bar, "paste", tr("Copy as Python"), tr("Copy the code that gets these values as an array"));
  bar->addStretch(1);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, body);
  connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(python()); });
  connect(layer_, &QSpinBox::valueChanged, this, [this](int layer) {
    Selection selection = context().selected();
    if (selection.layer == layer) return;
    selection.layer = layer;
    context().select(selection);
  });
  for (QComboBox* box : {point_, order_}) connect(box, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
  connect(map_, &PlotView::clicked, this, [this](double, double y) {
    if (segment_ < 0) return;
    const std::int64_t row = std::llround(y), first = context().run().record(segment_).first_token;
    if (row >= 0 && row < context().run().record(segment_).length) context().select_token(first + row);
  });
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
}

void TensorsPanel::unseen() {
  view_.forget();
  request_refresh();
}

PointRef TensorsPanel::place() const {
  return {layer_->value(), static_cast<ForwardPoint>(point_->currentIndex())};
}

bool TensorsPanel::is_too_large(int segment) const {
  const std::int64_t width = width_of(lab_.run().model().config, place().point);
  return lab_.run().record(segment).length * width * static_cast<std::int64_t>(sizeof(float)) > most_bytes;
}

void TensorsPanel::refresh() {
  const RunModel& run = context().run();
  segment_ = shown_segment(context());
  answer_.reset();
  for (PlotView* plot : plots()) plot->set_provenance(run_provenance(run));
  if (segment_ < 0) return clear(no_run_text(run));
  const QSignalBlocker quiet(layer_);
  layer_->setMaximum(static_cast<int>(run.model().config.layers) - 1);
  if (context().selected().layer >= 0) layer_->setValue(context().selected().layer);
  if (is_too_large(segment_)) return clear(tr("These values are too many to draw: Copy as Python gets them"));
  InspectionParts parts;
  parts.points = {place()};
  answer_ = view_.ask(segment_, parts);
  const auto seen =
      answer_ ? std::ranges::find(answer_->points, place(), &PointValues::place) : decltype(answer_->points.begin()){};
  if (!answer_ || seen == answer_->points.end() || seen->values.values.empty()) return clear(view_.why_not());
  draw(seen->values);
}

void TensorsPanel::clear(const QString& why) {
  answer_.reset();
  map_->clear_map();
  map_->set_empty_text(why);
  map_->set_title({});
  histogram_->clear_curves();
  histogram_->set_title({});
  says_->clear();
  for (PlotView* plot : plots()) plot->request_replot();
}

/// Returns the row of the selected token; that of the last one if none of the segment is selected.
std::int64_t TensorsPanel::selected_row(std::int64_t rows) {
  const std::int64_t row = context().selected().token - context().run().record(segment_).first_token;
  return row >= 0 && row < rows ? row : rows - 1;
}

void TensorsPanel::order_columns(const Map& values) {
  columns_.resize(static_cast<std::size_t>(values.columns));
  std::iota(columns_.begin(), columns_.end(), 0);
  if (order_->currentIndex() == 0) return;
  const std::int64_t row = selected_row(values.rows);
  std::ranges::stable_sort(columns_, std::greater(),
                           [&](std::int64_t column) { return std::abs(values.at(row, column)); });
}

void TensorsPanel::draw(const Map& values) {
  order_columns(values);
  Map drawn{values.rows, values.columns, std::vector<float>(values.values.size())};
  for (std::int64_t row = 0; row < values.rows; ++row)
    for (std::int64_t column = 0; column < values.columns; ++column)
      drawn.values[static_cast<std::size_t>(row * values.columns + column)] =
          values.at(row, columns_[static_cast<std::size_t>(column)]);
  const RunModel& run = context().run();
  std::vector<QString> names;
  for (std::int64_t row = 0; row < values.rows; ++row)
    names.push_back(run.token_text(run.record(segment_).first_token + row).simplified());
  map_->set_y_names(names);
  map_->set_axes(order_->currentIndex() == 0 ? tr("Column") : tr("Column, by its value at the selected token"),
                 tr("Token"));
  const QString name = filled(tr("%1 of layer %2, segment %3"), name_of(place().point), place().layer, segment_);
  map_->set_title(name);
  map_->set_map(drawn, -0.5, static_cast<double>(values.columns) - 0.5, -0.5, static_cast<double>(values.rows) - 0.5,
                tr("Value"), PlotView::Gradient::Diverging);
  map_->set_row_cursor(static_cast<double>(selected_row(values.rows)));
  map_->request_replot();
  histogram_->set_title(name);
  draw_histogram(values);
  says_->setText(size_text(values));
}

void TensorsPanel::draw_histogram(const Map& values) {
  const auto [low, high] = std::ranges::minmax(values.values);
  const double width = std::max((static_cast<double>(high) - static_cast<double>(low)) / bins, 1e-12);
  std::vector<double> x, share(bins, 0.0);
  for (const float value : values.values) {
    const auto bin = static_cast<std::int64_t>((static_cast<double>(value) - static_cast<double>(low)) / width);
    share[static_cast<std::size_t>(std::clamp<std::int64_t>(bin, 0, bins - 1))] +=
        1 / static_cast<double>(values.values.size());
  }
  for (int bin = 0; bin < bins; ++bin) x.push_back(static_cast<double>(low) + (bin + 0.5) * width);
  histogram_->clear_curve(curve_);
  histogram_->append(curve_, x, share);
  histogram_->request_replot();
}

QString TensorsPanel::size_text(const Map& values) {
  const auto number = [](float value) { return static_cast<double>(value); };
  const double count = static_cast<double>(values.values.size());
  double sum = 0, squares = 0, norm = 0;
  for (const float value : values.values) {
    sum += number(value);
    squares += number(value) * number(value);
  }
  const std::int64_t row = selected_row(values.rows);
  for (std::int64_t column = 0; column < values.columns; ++column)
    norm += number(values.at(row, column)) * number(values.at(row, column));
  const auto [low, high] = std::ranges::minmax(values.values);
  const double mean = sum / count;
  return filled(tr("%L1 tokens × %L2 values: mean %3, standard deviation %4, from %5 to %6; norm at token %7: %8"),
                values.rows, values.columns, significant_text(mean, 3),
                significant_text(std::sqrt(std::max(0.0, squares / count - mean * mean)), 3),
                significant_text(number(low), 3), significant_text(number(high), 3),
                context().run().record(segment_).first_token + row, significant_text(std::sqrt(norm), 4));
}

QString TensorsPanel::python() {
  const QString key = filled(QStringLiteral("\"%1.%2\""), place().layer, name_of(place().point));
  return filled(QStringLiteral("import carryover\n\nwith carryover.Engine() as engine:\n"
                               "    model = engine.open(\"%1\")\n"
                               "    run = carryover.open_run(\"%2\")  # the folder of the saved run\n"
                               "    values = model.activations(run, %3, [%4])[%4]\n"),
                qstring(lab_.run().model().path), source_folder(), segment_, key);
}

QString TensorsPanel::text_at(double x, double y) const {
  if (!answer_ || answer_->points.empty()) return {};
  const Map& values = answer_->points.front().values;
  const std::int64_t row = std::llround(y), column = std::llround(x);
  if (row < 0 || row >= values.rows || column < 0 || column >= values.columns) return {};
  const std::int64_t place = columns_[static_cast<std::size_t>(column)];
  const std::int64_t token = lab_.run().record(segment_).first_token + row;
  return filled(tr("token %1, %2\ncolumn %3\nvalue %4"), token, quoted_token(lab_.run().token_text(token)), place,
                significant_text(static_cast<double>(values.at(row, place)), 5));
}

}  // namespace carryover
