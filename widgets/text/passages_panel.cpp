// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/passages_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <cmath>

#include "widgets/controls/elided_label.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/plot/plot_export.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

PassagesPanel::PassagesPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Retrieved passages"), parent),
      lab_(lab),
      view_(new QTableView(this)),
      what_(new ElidedLabel(this)) {
  what_->setAccessibleName(tr("Heads whose passages are listed"));
  remove_ = new QPushButton(tr("Remove"), this);
  remove_->setToolTip(tr("Runs the segment again without this passage and shows the change of its loss"));
  only_ = new QPushButton(tr("Only this one"), this);
  only_->setToolTip(tr("Runs the segment again with only this passage"));
  make_table();
  WrappingBar* bar = control_bar();
  bar->addWidget(what_, 1);
  bar->addWidget(remove_);
  bar->addWidget(only_);
  bar->addWidget(sync_toggle());
  put_bar_above(this, bar, view_);
  connect(remove_, &QPushButton::clicked, this, [this] { run_edit(true); });
  connect(only_, &QPushButton::clicked, this, [this] { run_edit(false); });
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::range_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
  for (const auto signal : {&WhatIfs::results_changed, &WhatIfs::state_changed})
    connect(&lab.what_ifs(), signal, this, &Panel::request_refresh);
}

void PassagesPanel::make_table() {
  view_->setModel(&table_);
  prepare_table(*view_, tr("Retrieved passages"));
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setMouseTracking(true);
  for (const int column : {PassagesTable::Without, PassagesTable::Alone}) view_->setColumnHidden(column, true);
  QHeaderView* header = view_->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(PassagesTable::Text, QHeaderView::Stretch);
  add_copy_actions(*view_);
  add_export_action(*view_, tr("Export the passages"), QStringLiteral("passages.csv"),
                    [this](const QString& path) { export_csv(path); });
  add_table_action(*view_, tr("&Remove"), QKeySequence::Delete, [this] { run_edit(true); });
  connect(view_, &QTableView::activated, this, [this](const QModelIndex& index) { go_to(index.row()); });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { show_buttons(); });
  connect(view_, &QTableView::entered, this, [this](const QModelIndex& index) {
    const Passage& passage = table_.rows()[static_cast<std::size_t>(index.row())].passage;
    context().hover({segment_, passage.held.front().layer, passage.held.front().head, passage.anchor});
  });
  view_->viewport()->installEventFilter(this);
}

bool PassagesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Leave && watched == view_->viewport()) context().hover({});
  return Panel::eventFilter(watched, event);
}

const HeadHits* PassagesPanel::shown_hits(int segment) {
  if (segment < 0) return nullptr;
  const SegmentConfig& config = context().run().request().config;
  const bool shared = config.search == SearchBy::Shared && !config.search_heads.empty();
  const HeadRef head = shared ? config.search_heads.front() : shown_head(context());
  return context().run().hits(segment, head.layer, head.head);
}

PassageRow PassagesPanel::row_of(const Passage& passage, int segment) const {
  const RunModel& run = lab_.run();
  PassageRow row{passage, run.segment_of_token(passage.first), passage_text(run, passage), NAN, NAN};
  const WhatIfs& what_ifs = lab_.what_ifs();
  const SegmentEdit edit = without_passage(passage);
  for (int i = 0; i < static_cast<int>(what_ifs.results().size()); ++i) {
    const WhatIfResult& result = what_ifs.results()[static_cast<std::size_t>(i)];
    if (!what_ifs.in_run(i) || result.segment != segment || !(result.edit == edit)) continue;
    row.change = result.change.mean;
    row.token_change = static_cast<double>(result.loss_change(token_));
  }
  return row;
}

void PassagesPanel::refresh() {
  segment_ = shown_segment(context());
  const std::int64_t selected = context().selected().token;
  if (segment_ >= 0 && context().run().segment_of_token(selected) == segment_) token_ = selected;
  const HeadHits* hits = shown_hits(segment_);
  const int current = view_->currentIndex().row();
  std::vector<PassageRow> rows;
  if (hits)
    for (const Passage& passage : passages_of(*hits)) rows.push_back(row_of(passage, segment_));
  table_.set_rows(std::move(rows));
  if (current >= 0 && current < table_.rowCount()) view_->selectRow(current);
  if (segment_ < 0)
    what_->setText(no_run_text(context().run()));
  else if (context().run().request().config.search == SearchBy::Shared && table_.rowCount() == 0)
    what_->setText(tr("Segment %1: the shared search retrieved nothing").arg(segment_));
  else if (!hits || table_.rowCount() == 0)
    what_->setText(tr("Segment %1: nothing was retrieved for this head").arg(segment_));
  else if (hits->shared)
    what_->setText(filled(tr("Segment %1, all readers, passages: %2"), segment_, table_.rowCount()));
  else
    what_->setText(
        filled(tr("Segment %1, L%2H%3, passages: %4"), segment_, hits->layer, hits->head, table_.rowCount()));
  show_buttons();
}

std::optional<std::size_t> PassagesPanel::chosen() const {
  const int row = view_->currentIndex().row();
  if (row < 0 || row >= table_.rowCount()) return std::nullopt;
  return static_cast<std::size_t>(row);
}

void PassagesPanel::show_buttons() {
  const WhatIfs& what_ifs = lab_.what_ifs();
  const bool ready = chosen() && !what_ifs.running() && what_ifs.unavailable().isEmpty();
  remove_->setEnabled(ready);
  only_->setEnabled(ready && table_.rowCount() > 1);
}

void PassagesPanel::run_edit(bool remove) {
  const auto row = chosen();
  if (!row || lab_.what_ifs().running()) return;
  std::vector<Passage> all;
  for (const PassageRow& each : table_.rows()) all.push_back(each.passage);
  const std::int64_t position = all[*row].first;
  lab_.what_ifs().ask_run(
      {segment_, {remove ? without_passage(all[*row]) : only_passage(all, *row)}},
      remove ? tr("without the passage at %1").arg(position) : tr("only the passage at %1").arg(position));
}

void PassagesPanel::go_to(int row) {
  const Passage& passage = table_.rows()[static_cast<std::size_t>(row)].passage;
  context().select({segment_, passage.held.front().layer, passage.held.front().head, passage.anchor});
}

void PassagesPanel::export_csv(const QString& path) const {
  write_csv(path, table_text(table_, {}, QLatin1Char(',')), {title(), run_provenance(lab_.run())});
}

}  // namespace carryover
