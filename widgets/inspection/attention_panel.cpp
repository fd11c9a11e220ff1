// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/attention_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/controls/elided_label.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr double least_shown = 1e-6;  ///< on the logarithmic scale

/// Returns the values to be coloured. Masked cells have no attention and are left blank.
Map coloured(const Map& mean, bool logarithmic) {
  Map map = mean;
  for (float& value : map.values)
    value = value <= 0    ? NAN
            : logarithmic ? static_cast<float>(std::log10(std::max(static_cast<double>(value), least_shown)))
                          : value;
  return map;
}

/// Returns the share of the map's attention that falls on the prefix.
double prefix_share(const AttentionMap& map) {
  double prefix = 0, all = 0;
  for (std::int64_t row = 0; row < map.mean.rows; ++row)
    for (std::int64_t column = 0; column < map.mean.columns; ++column) {
      const auto value = static_cast<double>(map.mean.at(row, column));
      all += value;
      if (column < map.prefix_columns) prefix += value;
    }
  return all > 0 ? prefix / all : 0;
}

}  // namespace

AttentionPanel::AttentionPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Attention"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("attention"), this, [this] { request_refresh(); }),
      scale_(new QComboBox(this)),
      mass_(new ElidedLabel(this)),
      plot_(new PlotView(QStringLiteral("attention"), this)) {
  scale_->addItems({tr("Logarithmic colours"), tr("Linear colours")});
  scale_->setAccessibleName(tr("Colours of the map"));
  mass_->setAccessibleName(tr("Attention on the prefix"));
  WrappingBar* bar = control_bar();
  bar->addWidget(scale_);
  bar->addWidget(mass_, 1);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, plot_);
  plot_->set_axes(tr("Key: prefix left of 0, segment from 0 (token)"), tr("Query (token of the segment)"));
  plot_->set_integer_axes(true, true);
  plot_->set_y_reversed(true);
  boundary_ = plot_->add_curve(tr("start of the segment"), {[](const Theme& theme) { return theme.anchor; }});
  plot_->set_hover_text([this](double x, double y) { return text_at(x, y); });
  connect(scale_, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
  connect(plot_, &PlotView::clicked, this, &AttentionPanel::select_at);
  connect(plot_, &PlotView::stepped, this, [this](int columns, int rows) {
    const HeadRef head = head_to_show();
    const ModelConfig& model = context().run().model().config;
    const int next_head = head.head + columns, next_layer = head.layer + rows;
    if (next_head >= 0 && next_head < model.heads && next_layer >= 0 && next_layer < model.layers)
      context().select_head(next_layer, next_head);
  });
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
    answer_.reset();
    plot_->fit();
    request_refresh();
  });
}

void AttentionPanel::unseen() {
  view_.forget();
  request_refresh();
}

// Every head attends, also where none retrieves.
HeadRef AttentionPanel::head_to_show() {
  const HeadRef head = shown_head(context());
  return {std::max(head.layer, 0), std::max(head.head, 0)};
}

const AttentionMap* AttentionPanel::shown() const {
  return answer_ && answer_->attention ? &*answer_->attention : nullptr;
}

void AttentionPanel::refresh() {
  const RunModel& run = context().run();
  const int segment = shown_segment(context());
  InspectionParts parts;
  if (!run.is_empty()) parts.attention = head_to_show();
  answer_ = view_.ask(segment, parts);
  plot_->set_provenance(run_provenance(run));
  if (const AttentionMap* map = shown()) {
    draw(*map);
  } else {
    plot_->clear_map();
    plot_->clear_curves();
    mass_->clear();
    plot_->set_extent({});
    plot_->set_empty_text(segment < 0 ? no_run_text(context().run()) : view_.why_not());
  }
  plot_->request_replot();
}

void AttentionPanel::draw(const AttentionMap& map) {
  const bool logarithmic = scale_->currentIndex() == 0;
  const auto step = static_cast<double>(map.key_step);
  const double left = -0.5 - step * static_cast<double>(map.prefix_columns);
  const double right = -0.5 + step * static_cast<double>(map.mean.columns - map.prefix_columns);
  const double bottom = static_cast<double>(map.query_step * map.mean.rows) - 0.5;
  const QString unit = map.key_step == 1 ? tr("Attention on a key") : tr("Attention on %1 keys").arg(map.key_step);
  plot_->set_map(coloured(map.mean, logarithmic), left, right, -0.5, bottom,
                 logarithmic ? tr("log₁₀ of %1").arg(unit) : unit, PlotView::Gradient::Viridis);
  plot_->clear_curve(boundary_);
  if (map.prefix_columns > 0) plot_->append(boundary_, {-0.5, -0.5}, {-0.5, bottom});
  plot_->set_title(filled(tr("Layer %1, head %2, segment %3: attention over [prefix; segment]"), map.head.layer,
                          map.head.head, answer_->segment));
  mass_->setText(map.prefix_length == 0
                     ? tr("no prefix: this head sees only its segment")
                     : filled(tr("%1 % of the attention on the %L2 tokens of the prefix"),
                              decimal_text(100 * prefix_share(map), 1), static_cast<qlonglong>(map.prefix_length)));
  const std::int64_t first = context().run().record(static_cast<int>(answer_->segment)).first_token;
  const std::int64_t token = context().selected().token, in_segment = token - first;
  double cursor = NAN;
  if (in_segment >= 0 && in_segment < map.segment_length) cursor = static_cast<double>(in_segment);
  const auto slot = std::ranges::find(map.prefix_positions, token);  // not ascending where tokens have copies
  if (token >= 0 && slot != map.prefix_positions.end())
    cursor = left + 0.5 + static_cast<double>(slot - map.prefix_positions.begin());
  plot_->set_cursor(cursor);
}

std::int64_t AttentionPanel::key_at(double x) const {
  const AttentionMap* map = shown();
  if (!map) return -1;
  const std::int64_t place = std::llround(x);
  if (place < 0) {
    const std::int64_t slot = place + map->prefix_columns * map->key_step;
    if (slot < 0 || slot >= std::ssize(map->prefix_positions)) return -1;
    return map->prefix_positions[static_cast<std::size_t>(slot)];
  }
  if (place >= map->segment_length) return -1;
  return lab_.run().record(static_cast<int>(answer_->segment)).first_token + place;
}

void AttentionPanel::select_at(double x, double /*y*/) {
  const std::int64_t key = key_at(x);
  if (key < 0) return;
  context().select({static_cast<int>(answer_->segment), shown()->head.layer, shown()->head.head, key});
}

QString AttentionPanel::text_at(double x, double y) const {
  const AttentionMap* map = shown();
  const std::int64_t key = key_at(x), query = std::llround(y);
  if (!map || key < 0 || query < 0 || query >= map->segment_length) return {};
  const std::int64_t place = std::llround(x);
  const std::int64_t column = place < 0 ? map->prefix_columns + (place - (map->key_step - 1)) / map->key_step
                                        : map->prefix_columns + place / map->key_step;
  const RunModel& run = lab_.run();
  const std::int64_t first = run.record(static_cast<int>(answer_->segment)).first_token;
  const double value = static_cast<double>(map->mean.at(query / map->query_step, std::max<std::int64_t>(0, column)));
  return filled(tr("query %1: %2\nkey %3 (%4): %5\nattention %6"), first + query, text_around(run, first + query), key,
                place < 0 ? tr("prefix") : tr("segment"), text_around(run, key), significant_text(value, 4));
}

}  // namespace carryover
