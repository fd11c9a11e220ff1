// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/attribution_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>
#include <numeric>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/foil_field.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/markup.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prediction_change.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

double sum_of(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, float value) { return sum + static_cast<double>(value); });
}

double layer_sum(const Map& map, std::int64_t layer) {
  double sum = 0;
  for (std::int64_t head = 0; head < map.columns; ++head) sum += static_cast<double>(map.at(layer, head));
  return sum;
}

Map sum_of(const Map& a, const Map& b) {
  Map sum = a;
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += b.values[i];
  return sum;
}

QString signed_number(double value) {
  return filled(QStringLiteral("%1 %2"), value < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                decimal_text(std::abs(value), 2));
}

}  // namespace

AttributionPanel::AttributionPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Direct logit attribution"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("attribution"), this, [this] { request_refresh(); }),
      source_(new QComboBox(this)),
      foil_(new FoilField(lab, this)),
      sum_(new QLabel(this)),
      heads_(new PlotView(QStringLiteral("attribution"), this)),
      layers_(new PlotView(QStringLiteral("attribution_layers"), this)) {
  source_->addItems({tr("From all sources"), tr("From the sinks"), tr("From the retrieved prefix"),
                     tr("From the carry"), tr("From the segment")});
  source_->setAccessibleName(tr("Source that the heads read"));
  sum_->setWordWrap(true);
  sum_->setContentsMargins(6, 0, 6, 0);
  sum_->setAccessibleName(tr("Terms of the logit"));
  WrappingBar* bar = control_bar();
  bar->addWidget(source_);
  bar->addWidget(foil_);
  bar->addStretch(1);
  bar->addWidget(sync_toggle());
  heads_->set_axes(tr("Query head"), tr("Layer"));
  heads_->set_integer_axes(true, true);
  heads_->set_y_reversed(true);
  heads_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  heads_->set_csv_source([this] { return csv(); });
  layers_->set_axes(tr("Layer"), tr("Share of the logit"));
  layers_->set_integer_axes(true, false);
  layers_->set_csv_source([this] { return csv(); });
  curves_ = {layers_->add_curve(tr("sinks"), {series_colour(3)}),
             layers_->add_curve(tr("retrieved"), {[](const Theme& theme) { return theme.anchor; }}),
             layers_->add_curve(tr("carry"), {[](const Theme& theme) { return theme.carry; }}),
             layers_->add_curve(tr("segment"), {[](const Theme& theme) { return theme.accent; }}),
             layers_->add_curve(tr("feed-forward"), {[](const Theme& theme) { return theme.muted; }, true})};
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(heads_);
  split->addWidget(layers_);
  auto* body = new QWidget(this);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(sum_);
  column->addWidget(split, 1);
  put_bar_above(this, bar, body);
  connect(source_, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
  connect(heads_, &PlotView::clicked, this, [this](double x, double y) {
    if (!answer_ || !answer_->attribution) return;
    const Map& map = answer_->attribution->segment;
    const std::int64_t head = std::llround(x), layer = std::llround(y);
    if (head >= 0 && head < map.columns && layer >= 0 && layer < map.rows)
      context().select_head(static_cast<int>(layer), static_cast<int>(head));
  });
  connect(&lab.foil(), &FoilToken::changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
}

void AttributionPanel::unseen() {
  view_.forget();
  request_refresh();
}

void AttributionPanel::refresh() {
  const RunModel& run = context().run();
  const std::int64_t token = context().selected().token;
  const int segment = run.segment_of_token(token - 1);  // whose outputs predict it
  answer_.reset();
  target_ = token;
  heads_->set_provenance(run_provenance(run));
  layers_->set_provenance(run_provenance(run));
  if (run.segment_count() == 0) return clear(no_run_text(context().run()));
  if (token < 1 || std::isnan(run.nll_of_token(token)) || segment >= run.segment_count())
    return clear(tr("Select a token in the text to decompose its logit"));
  if (!lab_.foil().problem().isEmpty()) return clear(lab_.foil().problem());
  InspectionParts parts;
  parts.foil = lab_.foil().id();
  parts.attribution = token - 1 - run.record(segment).first_token;
  answer_ = view_.ask(segment, parts);
  if (!answer_ || !answer_->attribution) return clear(view_.why_not());
  draw(*answer_->attribution);
}

void AttributionPanel::clear(const QString& why) {
  for (PlotView* plot : {heads_, layers_}) {
    plot->clear_map();
    plot->clear_curves();
    plot->set_empty_text(plot == heads_ ? why : QString());
    plot->request_replot();
  }
  sum_->clear();
}

void AttributionPanel::draw(const LogitAttribution& logit) {
  const int source = source_->currentIndex();
  const Map map = source == Sinks       ? logit.sinks
                  : source == Retrieved ? logit.retrieved
                  : source == Carry     ? logit.carry
                  : source == Segment
                      ? logit.segment
                      : sum_of(sum_of(logit.sinks, logit.retrieved), sum_of(logit.carry, logit.segment));
  heads_->set_title(tr("By head: %1. %2").arg(logit_text(logit.prediction), source_->currentText()));
  const QString share =
      logit.prediction.foil ? tr("Share of %1").arg(logit_text(logit.prediction)) : tr("Share of the logit");
  heads_->set_map(map, -0.5, static_cast<double>(map.columns) - 0.5, -0.5, static_cast<double>(map.rows) - 0.5, share,
                  PlotView::Gradient::Contributions);
  const Selection& selected = context().selected();
  heads_->set_row_cursor(selected.layer >= 0 ? selected.layer : NAN);
  heads_->set_cursor(selected.head >= 0 ? selected.head : NAN);
  heads_->request_replot();
  layers_->set_axes(tr("Layer"), share);
  draw_layers(logit);
  set_markup(*sum_, sum_text(logit));
}

void AttributionPanel::draw_layers(const LogitAttribution& logit) {
  layers_->clear_curves();
  for (std::int64_t layer = 0; layer < logit.segment.rows; ++layer) {
    const auto x = static_cast<double>(layer);
    layers_->append(curves_[0], x, layer_sum(logit.sinks, layer));
    layers_->append(curves_[1], x, layer_sum(logit.retrieved, layer));
    layers_->append(curves_[2], x, layer_sum(logit.carry, layer));
    layers_->append(curves_[3], x, layer_sum(logit.segment, layer));
    layers_->append(curves_[4], x, static_cast<double>(logit.feed_forward[static_cast<std::size_t>(layer)]));
  }
  layers_->set_title(tr("By layer: %1").arg(logit_text(logit.prediction)));
  layers_->request_replot();
}

QString AttributionPanel::logit_text(const Prediction& prediction) const {
  const RunModel& run = lab_.run();
  return logit_name(id_text(run, prediction.target), prediction.foil ? id_text(run, *prediction.foil) : QString());
}

QString AttributionPanel::sum_text(const LogitAttribution& logit) const {
  const RunModel& run = lab_.run();
  const Prediction prediction = with_loss(logit.prediction, run.nll_of_token(target_));
  const QString probability = prediction.foil ? tr("probability %1, of the foil %2")
                                                    .arg(probability_text(prediction.probability),
                                                         probability_text(prediction.foil_probability))
                                              : tr("probability %1").arg(probability_text(prediction.probability));
  const QString biases =
      logit.biases == 0 ? QString() : filled(tr(", biases %1"), signed_number(static_cast<double>(logit.biases)));
  const QString parts = filled(
      tr("At %1, <b>%2 = %3</b> (%4) = embedding %5, feed-forward %6, sinks %7, retrieved %8, carry %9, segment %10"),
      target_, logit_text(prediction).toHtmlEscaped(), decimal_text(static_cast<double>(logit.logit), 2), probability,
      signed_number(static_cast<double>(logit.embedding)), signed_number(sum_of(logit.feed_forward)),
      signed_number(sum_of(logit.sinks.values)), signed_number(sum_of(logit.retrieved.values)),
      signed_number(sum_of(logit.carry.values)), signed_number(sum_of(logit.segment.values)));
  return parts + biases;
}

QString AttributionPanel::csv() const {
  QString text = QStringLiteral("layer,head,carry,retrieved,segment,sinks,feed_forward\n");
  if (!answer_ || !answer_->attribution) return text;
  const LogitAttribution& logit = *answer_->attribution;
  for (std::int64_t layer = 0; layer < logit.segment.rows; ++layer) {
    for (std::int64_t head = 0; head < logit.segment.columns; ++head)
      text += filled(
          QStringLiteral("%1,%2,%3,%4,%5,%6,\n"), layer, head, QString::number(logit.carry.at(layer, head), 'g', 9),
          QString::number(logit.retrieved.at(layer, head), 'g', 9),
          QString::number(logit.segment.at(layer, head), 'g', 9), QString::number(logit.sinks.at(layer, head), 'g', 9));
    text += filled(QStringLiteral("%1,,,,,,%2\n"), layer,
                   QString::number(logit.feed_forward[static_cast<std::size_t>(layer)], 'g', 9));
  }
  return text;
}

QString AttributionPanel::text_at(double x, double y) const {
  if (!answer_ || !answer_->attribution) return {};
  const LogitAttribution& logit = *answer_->attribution;
  const std::int64_t head = std::llround(x), layer = std::llround(y);
  if (head < 0 || head >= logit.segment.columns || layer < 0 || layer >= logit.segment.rows) return {};
  return filled(tr("layer %1, head %2\nsinks %3\nretrieved %4\ncarry %5\nsegment %6"), layer, head,
                signed_number(static_cast<double>(logit.sinks.at(layer, head))),
                signed_number(static_cast<double>(logit.retrieved.at(layer, head))),
                signed_number(static_cast<double>(logit.carry.at(layer, head))),
                signed_number(static_cast<double>(logit.segment.at(layer, head))));
}

}  // namespace carryover
