// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/ablation_view.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <algorithm>

#include "engine/core/base/error.h"
#include "widgets/controls/page_parts.h"
#include "widgets/plot/plot_export.h"
#include "widgets/state/provenance.h"
#include "widgets/state/shown.h"
#include "widgets/tables/hits_model.h"

namespace carryover {

AblationView::AblationView(LabContext& context, QWidget* parent)
    : QWidget(parent), context_(context), table_(context), view_(new QTableView(this)) {
  scope_ = new QComboBox(this);
  scope_->addItems({tr("Selected head"), tr("All heads")});
  scope_->setAccessibleName(tr("Whose hits are left out"));
  start_ = new QPushButton(tr("Find what matters"), this);
  what_ = new QLabel(this);
  what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  what_->setForegroundRole(QPalette::PlaceholderText);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 4, 6, 4);
  bar->setSpacing(6);
  bar->addWidget(scope_);
  bar->addWidget(start_);
  bar->addWidget(what_, 1);
  prepare_table(*view_, tr("Hits by what they matter"));
  sorted_.setSourceModel(&table_);
  view_->setModel(&sorted_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(AblationTable::Change, Qt::DescendingOrder);
  view_->horizontalHeader()->setStretchLastSection(true);
  auto* exports = new QAction(tr("&Export the table…"), view_);
  exports->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
  exports->setShortcutContext(Qt::WidgetShortcut);
  view_->addAction(exports);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(view_, 1);
  connect(exports, &QAction::triggered, this, &AblationView::export_csv);
  connect(scope_, &QComboBox::currentIndexChanged, this, &AblationView::refresh);
  connect(start_, &QPushButton::clicked, this,
          [this] { context_.what_ifs().ask_sweep(shown_segment(context_), chosen_hits()); });
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const SlotRef& anchor = table_.hit(sorted_.mapToSource(index).row()).anchor;
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
  start_->setToolTip(tr("Runs the segment once for each anchor, without it and what was expanded from it"));
  const int done = static_cast<int>(std::count_if(what_ifs.ablated().begin(), what_ifs.ablated().end(),
                                                  [](const AblatedHit& hit) { return hit.done; }));
  if (what_ifs.sweeping()) {
    what_->setText(tr("segment %1: %2 of %3").arg(what_ifs.ablated_segment()).arg(done).arg(table_.rowCount()));
  } else if (segment < 0) {
    what_->setText(no_run_text());
  } else if (count == 0) {
    what_->setText(tr("segment %1 reads no anchors here").arg(segment));
  } else {
    const double seconds = context_.run().record(segment).seconds * static_cast<double>(count);
    what_->setText(tr("segment %1: %2 anchors, about %3 s").arg(segment).arg(count).arg(seconds, 0, 'f', 0));
  }
}

void AblationView::export_csv() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export the table"), QStringLiteral("hits-by-loss.csv"), tr("CSV (*.csv)"));
  if (path.isEmpty()) return;
  try {
    write_csv(path, table_text(sorted_, {}, QLatin1Char(',')),
              {tr("Segment %1: loss without each hit").arg(context_.what_ifs().ablated_segment()),
               run_provenance(context_.run())});
  } catch (const EngineError& error) {
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Export"), QString::fromStdString(error.what()),
                                QMessageBox::Ok, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  }
}

}  // namespace carryover
