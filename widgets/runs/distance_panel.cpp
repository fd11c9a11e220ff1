// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/distance_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

enum OverRuns { OneHead, AllHeads, Consistency };

std::vector<QString> bin_names() {
  std::vector<QString> names;
  for (int bin = 0; bin < distance_bins; ++bin) names.push_back(distance_bin_name(bin));
  return names;
}

/// Bins that hold anything: {first, last}; {0, 0} where none does.
std::pair<int, int> used_bins(const HeadDistances& sum) {
  int first = 0, last = distance_bins - 1;
  while (first < last && sum.counts[static_cast<std::size_t>(first)] == 0) ++first;
  while (last > first && sum.counts[static_cast<std::size_t>(last)] == 0) --last;
  return sum.total() > 0 ? std::pair(first, last) : std::pair(0, 0);
}

}  // namespace

DistancePanel::DistancePanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Hit distances"), parent),
      table_(lab.digests()),
      heads_(new PlotView(QStringLiteral("distance_heads"), this)),
      runs_(new PlotView(QStringLiteral("distance_runs"), this)),
      consistency_(new PlotView(QStringLiteral("distance_consistency"), this)) {
  const QString distance = tr("Distance (tokens, in bins from n to 2n − 1)");
  heads_->set_title(tr("Hit distances in this run"));
  heads_->set_axes(distance, tr("Layer, head"));
  heads_->set_x_names(bin_names());
  heads_->set_y_reversed(true);
  heads_->set_hover_text([this](double x, double y) { return head_text(x, y); });
  runs_->set_axes(distance, tr("Share of its hits (%)"));
  runs_->set_x_names(bin_names());
  consistency_->set_title(tr("Similarity of each head's hit distances across the ticked runs"));
  consistency_->set_axes(tr("Head"), tr("Layer"));
  consistency_->set_integer_axes(true, true);
  consistency_->set_y_reversed(true);
  consistency_->set_value_range(0, 1);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_list());
  split->addWidget(heads_);
  split->addWidget(build_runs());
  split->setSizes({440, 420, 420});
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  connect(heads_, &PlotView::clicked, this, [this](double /*x*/, double y) {
    const auto row = std::llround(y);
    if (row < 0 || row >= static_cast<std::int64_t>(distances_.size())) return;
    const HeadDistances& head = distances_[static_cast<std::size_t>(row)];
    context().select_head(head.layer, head.head);
  });
  connect(consistency_, &PlotView::clicked, this, &DistancePanel::select_head);
  const auto anew = [this] {
    measured_ = -1;
    request_refresh();
  };
  connect(&lab.run(), &RunModel::reset, this, anew);
  connect(&lab, &LabContext::range_changed, this, anew);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.digests(), &RunDigests::names_changed, this, &Panel::request_refresh);
  for (const auto signal : {&RunDigests::added, &RunDigests::removed, &RunDigests::run_changed})
    connect(&lab.digests(), signal, this, &Panel::request_refresh);
}

QWidget* DistancePanel::build_list() {
  auto* side = new QWidget(this);
  view_ = new QTableView(side);
  view_->setModel(&table_);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setWordWrap(false);
  view_->setAccessibleName(tr("Hit distances by run"));
  view_->setTabKeyNavigation(false);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 7);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(RunDigestsTable::Name, QHeaderView::Stretch);
  view_->horizontalHeader()->setMinimumSectionSize(40);
  view_->horizontalHeader()->setHighlightSections(false);
  auto* bar = new WrappingBar;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->addWidget(new QLabel(tr("Ticked runs are compared"), side), 1);
  remove_ = new QToolButton(side);
  remove_->setText(tr("Remove"));
  remove_->setToolTip(tr("Remove the selected run from the list"));
  connect(remove_, &QToolButton::clicked, this, [this] {
    if (view_->currentIndex().isValid()) context().digests().remove(view_->currentIndex().row());
  });
  bar->addWidget(remove_);
  put_bar_above(side, bar, view_);
  return side;
}

QWidget* DistancePanel::build_runs() {
  auto* side = new QWidget(this);
  over_runs_ = new QComboBox(side);
  over_runs_->addItems({tr("Selected head, by run"), tr("All heads, by run"), tr("Consistency of heads")});
  over_runs_->setAccessibleName(tr("Heads that are compared across the runs"));
  auto* pages = new QStackedWidget(side);
  pages->addWidget(runs_);
  pages->addWidget(consistency_);
  auto* bar = new WrappingBar;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->addWidget(over_runs_);
  bar->addStretch(1);
  bar->addWidget(sync_toggle());
  put_bar_above(side, bar, pages);
  connect(over_runs_, &QComboBox::currentIndexChanged, this, [this, pages](int index) {
    pages->setCurrentIndex(index == Consistency ? 1 : 0);
    request_refresh();
  });
  return side;
}

void DistancePanel::refresh() {
  remove_->setEnabled(context().digests().count() > 0);
  measure();
  draw_heads();
  draw_runs();
  draw_consistency();
}

void DistancePanel::measure() {
  if (measured_ == context().run().segment_count()) return;
  if (measured_ < 0) {
    heads_->fit();
    distances_.clear();
  }
  add_hit_distances(distances_, context().run(), std::max(0, measured_), context().range());
  measured_ = context().run().segment_count();
}

void DistancePanel::draw_heads() {
  const HeadDistances sum = sum_of(distances_);
  heads_->set_provenance(run_provenance(context().run()));
  heads_->clear_map();
  if (sum.total() == 0) {
    heads_->set_empty_text(context().run().segment_count() == 0 ? no_run_text(context().run())
                                                                : tr("Nothing has been retrieved"));
    return heads_->request_replot();
  }
  const auto [first, last] = used_bins(sum);
  Map map{static_cast<std::int64_t>(distances_.size()), last - first + 1, {}};
  std::vector<QString> names;
  for (const HeadDistances& head : distances_) {
    names.push_back(list_name(context().run(), head.layer, head.head));
    for (int bin = first; bin <= last; ++bin) {
      const double share = head.share(bin);
      map.values.push_back(share > 0 ? static_cast<float>(100 * share) : NAN);
    }
  }
  heads_->set_y_names(names);
  heads_->set_map(map, first - 0.5, last + 0.5, -0.5, static_cast<double>(map.rows) - 0.5, tr("Share of hits (%)"),
                  PlotView::Gradient::Viridis);
  const auto selected = std::find_if(distances_.begin(), distances_.end(), [this](const HeadDistances& head) {
    return head.layer == context().selected().layer && head.head == context().selected().head;
  });
  heads_->set_row_cursor(selected == distances_.end() ? NAN : static_cast<double>(selected - distances_.begin()));
  heads_->request_replot();
}

void DistancePanel::draw_runs() {
  const bool all_heads = over_runs_->currentIndex() == AllHeads;
  const auto [layer, head] = shown_head(context());
  runs_->set_title(all_heads ? tr("All heads") : filled(tr("Layer %1, head %2"), layer, head));
  runs_->clear_curves();
  std::size_t used = 0;
  QStringList details;
  for (int i = 0; i < context().digests().count(); ++i) {
    const RunDigest& run = context().digests().run(i);
    const HeadDistances* one = find_head(run.heads, layer, head);
    if (!run.ticked || (!all_heads && !one)) continue;
    const HeadDistances shown = all_heads ? sum_of(run.heads) : *one;
    if (used == curves_.size()) curves_.push_back(runs_->add_curve({}, {series_colour(used)}));
    const int curve = curves_[used++];
    runs_->set_curve_name(curve, context().digests().name(i));
    runs_->set_curve_visible(curve, true);
    const auto [first, last] = used_bins(shown);
    for (int bin = first; bin <= last; ++bin) runs_->append(curve, bin, 100 * shown.share(bin));
    details += run.name + QLatin1Char('\n') + run.details;
  }
  for (std::size_t i = used; i < curves_.size(); ++i) runs_->set_curve_visible(curves_[i], false);
  runs_->set_provenance(details.join(QLatin1Char('\n')));
  runs_->set_empty_text(context().digests().count() == 0
                            ? tr("Finished runs are kept here, to compare heads across texts")
                            : filled(tr("No ticked run retrieves with layer %1, head %2"), layer, head));
  runs_->fit();
}

void DistancePanel::draw_consistency() {
  const RunDigests& digests = context().digests();
  int most_heads = 0;
  layers_.clear();
  QStringList details;
  for (int i = 0; i < digests.count(); ++i) {
    if (!digests.run(i).ticked) continue;
    details += digests.run(i).name + QLatin1Char('\n') + digests.run(i).details;
    for (const HeadDistances& head : digests.run(i).heads) {
      layers_.push_back(head.layer);
      most_heads = std::max(most_heads, head.head + 1);
    }
  }
  std::sort(layers_.begin(), layers_.end());
  layers_.erase(std::unique(layers_.begin(), layers_.end()), layers_.end());
  Map map{static_cast<std::int64_t>(layers_.size()), most_heads, {}};
  std::vector<QString> names;
  for (const int layer : layers_) {
    names.push_back(QString::number(layer));
    for (int head = 0; head < most_heads; ++head)
      map.values.push_back(static_cast<float>(digests.head_consistency(layer, head).value_or(NAN)));
  }
  consistency_->set_provenance(details.join(QLatin1Char('\n')));
  consistency_->set_empty_text(tr("Needs two ticked runs that retrieve with the same heads"));
  consistency_->clear_map();
  if (std::any_of(map.values.begin(), map.values.end(), [](float value) { return !std::isnan(value); })) {
    consistency_->set_y_names(names);
    consistency_->set_map(map, -0.5, most_heads - 0.5, -0.5, static_cast<double>(map.rows) - 0.5, tr("Shared mass"),
                          PlotView::Gradient::Viridis);
  }
  consistency_->fit();
}

void DistancePanel::select_head(double x, double y) {
  const auto row = std::llround(y), head = std::llround(x);
  if (row < 0 || row >= static_cast<std::int64_t>(layers_.size()) || head < 0) return;
  if (!context().model() || head >= context().model()->heads) return;
  context().select_head(layers_[static_cast<std::size_t>(row)], static_cast<int>(head));
}

QString DistancePanel::head_text(double x, double y) const {
  const auto row = std::llround(y), bin = std::llround(x);
  if (row < 0 || row >= static_cast<std::int64_t>(distances_.size()) || bin < 0 || bin >= distance_bins) return {};
  const HeadDistances& head = distances_[static_cast<std::size_t>(row)];
  QString text = filled(tr("layer %1, head %2: %L3 hits"), head.layer, head.head, head.total());
  text += QLatin1Char('\n') + filled(tr("%L1 of them %2 to %3 tokens back (%4 %)"),
                                     head.counts[static_cast<std::size_t>(bin)],
                                     distance_bin_name(static_cast<int>(bin)), (std::int64_t{2} << bin) - 1,
                                     decimal_text(100 * head.share(static_cast<int>(bin)), 1));
  if (const auto median = head.median()) text += QLatin1Char('\n') + tr("median about %1").arg(*median, 0, 'f', 0);
  return text;
}

}  // namespace carryover
