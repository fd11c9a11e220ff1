// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/what_if_delta.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/lab/lab_context.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/markup.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/number_sort.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr std::int64_t smoothing = 32;  ///< tokens, as many as a block of the bootstrap

}  // namespace

WhatIfDelta::WhatIfDelta(LabContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      headline_(new QLabel(this)),
      plot_(new PlotView(QStringLiteral("what_if"), this)),
      changes_([this](std::int64_t position) {  // of another run's text there is nothing here
        return context_.what_ifs().shown_in_run() ? text_around(context_.run(), position) : QString();
      }),
      changes_title_(new QLabel(this)),
      table_(new QTableView(this)) {
  headline_->setWordWrap(true);
  headline_->setMargin(4);
  headline_->setAccessibleName(tr("Result of the what-if"));
  plot_->set_axes(tr("Position (token)"), tr("Δ loss (nats)"));
  plot_->set_integer_axes(true, false);
  plot_->set_empty_text(tr("No what-if yet: change something above and run it"));
  raw_ = plot_->add_curve(tr("Δ loss"), {[](const Theme& theme) { return theme.padding; }});
  smooth_ = plot_->add_curve(tr("mean of %1 tokens").arg(smoothing), {series_colour(1)});
  zero_ = plot_->add_curve(tr("original"), {[](const Theme& theme) { return theme.muted; }, true});
  plot_->set_hover_text([this](double x, double) { return text_at(x); });
  connect(plot_, &PlotView::clicked, this, [this](double x, double) { select_token(x); });
  prepare_table(*table_, tr("Hits that changed"));
  table_->setModel(&changes_);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const HitChange& change = changes_.row(index.row());
    const WhatIfResult* result = context_.what_ifs().shown_in_run();
    if (result) context_.select({result->segment, change.layer, change.head, change.hit.position});
  });
  changes_title_->setMargin(4);
  auto* below = new QWidget(this);
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(changes_title_);
  column->addWidget(table_, 1);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(plot_);
  split->addWidget(below);
  plot_->setMinimumHeight(160);
  below->setMinimumHeight(90);
  split->setStretchFactor(0, 1);
  split->setSizes({240, 160});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(headline_);
  layout->addWidget(split, 1);
}

QString WhatIfDelta::headline() const {
  return headline_->text();
}

void WhatIfDelta::refresh() {
  const WhatIfResult* result = context_.what_ifs().shown_result();
  plot_->clear_curves();
  headline_->setVisible(result != nullptr);
  changes_.set_rows(result ? result->changes : std::vector<HitChange>());
  changes_title_->setText(result ? tr("Hits changed: %1").arg(result->changes.size()) : QString());
  if (result) draw(*result);
  const std::int64_t token = context_.selected().token;
  plot_->set_cursor(result && !std::isnan(result->loss_change(token)) ? static_cast<double>(token) : NAN);
  plot_->request_replot();
}

void WhatIfDelta::draw(const WhatIfResult& result) {
  const MeanInterval& change = result.change;
  const auto number = [](double value) { return signed_text(value, 4); };
  set_markup(
      *headline_,
      filled(tr("<b>%1</b> · segment %2: %3<br>Δ loss <b>%4</b> nats%5, %6 targets%7"), result.name.toHtmlEscaped(),
             result.segment, edit_text(result.edit, result.run_config).toHtmlEscaped(), number(change.mean),
             change.has_bounds() ? tr(" (95 %: %1 to %2)").arg(number(change.low), number(change.high)) : QString(),
             result.after.size(),
             context_.what_ifs().shown_in_run() ? QString()
                                                : tr(" · of %1").arg(run_name_in(result.provenance)).toHtmlEscaped()) +
          (result.patched_from.isEmpty()
               ? QString()
               : QStringLiteral("<br>") + tr("patched from %1").arg(result.patched_from.toHtmlEscaped())) +
          (result.prediction ? QStringLiteral("<br>") + prediction_text(*result.prediction).toHtmlEscaped()
                             : QString()));
  const std::vector<float> changes = loss_changes(result.before, result.after);
  std::vector<double> sums{0};
  for (const float value : changes) sums.push_back(sums.back() + static_cast<double>(value));
  const std::int64_t count = std::ssize(changes);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(result.first_token + i + 1);
    plot_->append(raw_, x, static_cast<double>(changes[static_cast<std::size_t>(i)]));
    const std::int64_t from = std::max<std::int64_t>(0, i - smoothing / 2), to = std::min(count, i + smoothing / 2);
    plot_->append(smooth_, x,
                  (sums[static_cast<std::size_t>(to)] - sums[static_cast<std::size_t>(from)]) /
                      static_cast<double>(std::max<std::int64_t>(1, to - from)));
  }
  if (count > 0) {
    plot_->append(zero_, static_cast<double>(result.first_token + 1), 0);
    plot_->append(zero_, static_cast<double>(result.first_token + count), 0);
  }
  plot_->set_title(filled(tr("%1: segment %2"), result.name, result.segment));
  plot_->set_provenance(
      QStringLiteral("%1\nwhat if: %2").arg(result.provenance, edit_text(result.edit, result.run_config)) +
      (result.patched_from.isEmpty() ? QString() : QStringLiteral("\npatched from: %1").arg(result.patched_from)));
  plot_->set_csv_source([result] { return what_if_csv({result}); });
}

void WhatIfDelta::select_token(double x) {
  const WhatIfResult* result = context_.what_ifs().shown_in_run();
  const std::int64_t token = std::llround(x);
  if (!result || std::isnan(result->loss_change(token))) return;
  Selection selection = context_.selected();
  selection.segment = result->segment;
  selection.token = token;
  context_.select(selection);
}

QString WhatIfDelta::text_at(double x) const {
  const WhatIfResult* result = context_.what_ifs().shown_result();
  const std::int64_t token = std::llround(x);
  if (!result || std::isnan(result->loss_change(token))) return {};
  const auto index = static_cast<std::size_t>(token - result->first_token - 1);
  QString text = filled(tr("position %1\noriginal: %2 nats\nwhat if: %3 nats\nΔ %4"), token,
                        decimal_text(static_cast<double>(result->before[index]), 4),
                        decimal_text(static_cast<double>(result->after[index]), 4),
                        decimal_text(static_cast<double>(result->loss_change(token)), 4));
  if (context_.what_ifs().shown_in_run()) text += QLatin1Char('\n') + text_around(context_.run(), token);
  return text;
}

}  // namespace carryover
