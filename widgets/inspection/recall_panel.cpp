// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/recall_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

RecallPanel::RecallPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Retrieval recall"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("retrieval_recall"), this, [this] { request_refresh(); }),
      list_(new QTableView(this)),
      what_(new QLabel(this)),
      plot_(new PlotView(QStringLiteral("retrieval_recall"), this)) {
  what_->setMargin(5);
  what_->setWordWrap(true);
  what_->setAccessibleName(tr("Retrieval recall of the segment"));
  prepare_table(*list_, tr("Retrieval recall by head"));
  sorted_.setSourceModel(&table_);
  list_->setModel(&sorted_);
  list_->setSortingEnabled(true);
  list_->sortByColumn(RecallTable::Missed, Qt::DescendingOrder);
  list_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  add_copy_actions(*list_);
  connect(list_, &QTableView::activated, this,
          [this](const QModelIndex& index) { select_row(sorted_.mapToSource(index).row()); });
  plot_->set_axes(tr("Long-range head, by layer"), tr("Share"));
  plot_->set_y_range(0, 1);
  plot_->set_integer_axes(true, false);
  oracle_ = plot_->add_curve(tr("mass of the R positions with most attention"), {series_colour(6), true});
  mass_ = plot_->add_curve(tr("mass of the retrieved positions"), {series_colour(1)});
  recall_ = plot_->add_curve(tr("recall@R"), {series_colour(0)});
  plot_->set_hover_text([this](double x, double) { return text_at(x); });
  connect(plot_, &PlotView::clicked, this, [this](double x, double) { select_row(static_cast<int>(std::lround(x))); });
  constexpr int list_width = 430;  // of all columns
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(list_);
  split->addWidget(plot_);
  split->setStretchFactor(1, 1);
  split->setSizes({list_width, 2 * list_width});
  WrappingBar* const bar = control_bar();
  bar->addWidget(what_, 1);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, split);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
}

void RecallPanel::unseen() {
  view_.forget();
  request_refresh();
}

void RecallPanel::refresh() {
  const int segment = shown_segment(context());
  InspectionParts parts;
  parts.recall = true;
  const auto answer = view_.ask(segment, parts);
  const bool same = answer && answer == answer_;
  answer_ = answer;
  plot_->set_provenance(run_provenance(context().run()));
  const std::vector<HeadRecall> heads = answer ? answer->recall : std::vector<HeadRecall>();
  if (!same) table_.set_rows(heads);
  draw(heads);
  if (segment < 0) {
    what_->setText(no_run_text(context().run()));
  } else if (!answer) {
    what_->setText(view_.why_not());
  } else if (heads.empty()) {
    what_->setText(why_nothing_retrieved(context().run(), segment, {-1, -1}));
  } else {
    double recall = 0, mass = 0, oracle = 0;
    for (const HeadRecall& head : heads) recall += head.recall, mass += head.mass, oracle += head.oracle_mass;
    const auto count = static_cast<double>(heads.size());
    what_->setText(
        filled(tr("Segment %1, mean over heads (%2): recall@R %3 %; %4 % of the attention over all searched positions "
                  "falls on retrieved positions, %5 % is the maximum"),
               segment, heads.size(), decimal_text(100 * recall / count, 1), decimal_text(100 * mass / count, 1),
               decimal_text(100 * oracle / count, 1)));
  }
}

void RecallPanel::draw(const std::vector<HeadRecall>& heads) {
  plot_->clear_curves();
  double cursor = NAN;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto x = static_cast<double>(i);
    plot_->append(recall_, x, heads[i].recall);
    plot_->append(mass_, x, heads[i].mass);
    plot_->append(oracle_, x, heads[i].oracle_mass);
    const Selection& selected = context().selected();
    if (heads[i].head == HeadRef{selected.layer, selected.head}) cursor = x;
  }
  plot_->set_title(answer_ ? tr("Retrieval recall of segment %1").arg(answer_->segment) : QString());
  plot_->set_empty_text(QString());
  plot_->set_cursor(cursor);
  plot_->request_replot();
}

void RecallPanel::select_row(int row) {
  if (row < 0 || row >= table_.rowCount() || !answer_) return;
  const HeadRef head = table_.row(row).head;
  Selection selection = context().selected();
  selection.segment = static_cast<int>(answer_->segment);
  selection.layer = head.layer;
  selection.head = head.head;
  context().select(selection);
}

QString RecallPanel::text_at(double x) const {
  const auto row = static_cast<int>(std::lround(x));
  if (row < 0 || row >= table_.rowCount()) return {};
  const HeadRecall& heads = table_.row(row);
  return filled(tr("layer %1, head %2\nrecall@R %3 %\nmass %4 %, at most %5 %"), heads.head.layer, heads.head.head,
                decimal_text(100 * heads.recall, 1), decimal_text(100 * heads.mass, 1),
                decimal_text(100 * heads.oracle_mass, 1));
}

}  // namespace carryover
