// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/ablation_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <algorithm>

#include "widgets/controls/elided_label.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_export.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

AblationView::AblationView(LabContext& context, QWidget* parent)
    : QWidget(parent), context_(context), table_(context), view_(new QTableView(this)) {
  scope_ = new QComboBox(this);
  scope_->addItems({tr("Selected head"), tr("All heads")});
  scope_->setAccessibleName(tr("Heads whose hits are ablated"));
  start_ = new QPushButton(tr("Ablate each hit"), this);
  what_ = new ElidedLabel(this);
  what_->setForegroundRole(QPalette::PlaceholderText);
  WrappingBar* bar = control_bar();
  bar->addWidget(scope_);
  bar->addWidget(start_);
  bar->addWidget(what_, 1);
  prepare_table(*view_, tr("Hits by importance"));
  sorted_.setSourceModel(&table_);
  view_->setModel(&sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(AblationTable::Change, Qt::DescendingOrder);
  // As narrow as their numbers: the change of the loss is what the table is for.
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(AblationTable::Text, QHeaderView::Stretch);
  add_export_action(*view_, tr("Export the table"), QStringLiteral("hits-by-loss.csv"),
                    [this](const QString& path) { export_csv(path); });
  put_bar_above(this, bar, view_);
  connect(scope_, &QComboBox::currentIndexChanged, this, &AblationView::refresh);
  connect(start_, &QPushButton::clicked, this,
          [this] { context_.what_ifs().ask_sweep(shown_segment(context_), chosen_hits()); });
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const SlotRef& anchor = table_.row(sorted_.mapToSource(index).row()).anchor;
    context_.select({context_.what_ifs().ablated_segment(), anchor.layer, anchor.head, anchor.position});
  });
}

std::vector<HeadHits> AblationView::chosen_hits() const {
  const int segment = shown_segment(context_);
  if (segment < 0) return {};
  if (scope_->currentIndex() == 1) return context_.run().snapshot(segment).hits;
  const Selection& selected = context_.selected();
  const HeadHits* head = context_.run().hits(segment, selected.layer, selected.head);
  return head ? std::vector<HeadHits>{*head} : std::vector<HeadHits>{};
}

void AblationView::refresh() {
  const WhatIfs& what_ifs = context_.what_ifs();
  const int segment = shown_segment(context_);
  const auto count = ablations(chosen_hits()).size();
  start_->setEnabled(count > 0 && !what_ifs.running() && what_ifs.unavailable().isEmpty());
  start_->setToolTip(
      tr("Runs the segment again once per anchor, without the anchor and the positions expanded from it"));
  const int done = static_cast<int>(std::count_if(what_ifs.ablated().begin(), what_ifs.ablated().end(),
                                                  [](const AblatedHit& hit) { return hit.done; }));
  if (what_ifs.sweeping()) {
    what_->setText(filled(tr("segment %1: %2 of %3"), what_ifs.ablated_segment(), done, table_.rowCount()));
  } else if (segment < 0) {
    what_->setText(no_run_text(context_.run()));
  } else if (scope_->currentIndex() == 0 && context_.selected().head < 0) {
    what_->setText(tr("Select a head"));
  } else if (count == 0) {
    what_->setText(tr("segment %1 has no anchors to ablate").arg(segment));
  } else {
    const double seconds = context_.run().record(segment).seconds * static_cast<double>(count);
    what_->setText(filled(tr("segment %1: %2 anchors, about %3 s"), segment, count, QString::number(seconds, 'f', 0)));
  }
}

void AblationView::export_csv(const QString& path) const {
  write_csv(path, table_text(sorted_, {}, QLatin1Char(',')),
            {tr("Segment %1: loss without each hit").arg(context_.what_ifs().ablated_segment()),
             run_provenance(context_.run())});
}

}  // namespace carryover
