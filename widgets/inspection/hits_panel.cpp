// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/hits_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/page_parts.h"
#include "widgets/lab/shown.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_export.h"
#include "widgets/runs/state/prefix_text.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

constexpr std::size_t most_rows = 20'000;  ///< of one head over all segments: each segment comes from disk

}  // namespace

HitsPanel::HitsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Hits"), parent),
      lab_(lab),
      view_(lab, QStringLiteral("hits"), this, [this] { show_masses(); }),
      scope_(new QComboBox(this)),
      table_(new QTableView(this)),
      count_(new QLabel(this)) {
  model_.set_text_source([this](std::int64_t position) { return text_around(this->context().run(), position); });
  filter_.setSourceModel(&model_);
  make_table();
  count_->setWordWrap(true);
  count_->setMargin(4);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_bar());
  layout->addWidget(table_, 1);
  layout->addWidget(count_);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::range_changed, this, [this] {
    shown_ = {};
    request_refresh();
  });
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, [this] {
    model_.set_blocks({});
    shown_ = {};
    request_refresh();
  });
}

QWidget* HitsPanel::make_bar() {
  auto* bar = new QWidget(this);
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(6, 4, 6, 4);
  column->setSpacing(6);
  auto* top = new QHBoxLayout;
  auto* bottom = new QHBoxLayout;
  column->addLayout(top);
  column->addLayout(bottom);
  scope_->addItems(
      {tr("Selected segment and head"), tr("Selected segment, all heads"), tr("Selected head, all segments")});
  scope_->setCurrentIndex(OneSegment);
  scope_->setAccessibleName(tr("Hits listed"));
  scope_->setMinimumWidth(90);  // on a narrow window it gives way
  connect(scope_, &QComboBox::currentIndexChanged, this, &Panel::request_refresh);
  auto* search = new QLineEdit(bar);
  search->setPlaceholderText(tr("Text or position"));
  search->setClearButtonEnabled(true);
  search->setMinimumWidth(70);
  search->setAccessibleName(tr("Filter hits by text or position"));
  connect(search, &QLineEdit::textChanged, &filter_, &HitsFilter::set_text);
  top->addWidget(scope_);
  top->addWidget(search, 1);
  top->addWidget(sync_toggle());
  const std::pair<HitKind, QString> kinds[] = {
      {HitKind::Anchor, tr("Anchors")}, {HitKind::Expanded, tr("Expanded")}, {HitKind::Padding, tr("Padding")}};
  for (const auto& [kind, name] : kinds) {
    auto* box = new QCheckBox(name, bar);
    box->setChecked(true);
    connect(box, &QCheckBox::toggled, this, [this, kind = kind](bool shown) { filter_.set_kind_shown(kind, shown); });
    bottom->addWidget(box);
  }
  bottom->addStretch(1);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&filter_, signal, this, &HitsPanel::show_count);
  connect(&filter_, &QAbstractItemModel::modelReset, this, &HitsPanel::show_count);
  return bar;
}

void HitsPanel::make_table() {
  prepare_table(*table_, tr("Hits"));
  table_->setModel(&filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(-1, Qt::AscendingOrder);  // as read: by layer, head, slot
  QHeaderView* header = table_->horizontalHeader();
  header->setSectionsMovable(true);
  const QFontMetrics metrics = table_->fontMetrics();
  for (int column = 0; column < HitsModel::ColumnCount; ++column) {
    const QString name = model_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    table_->setColumnWidth(column, metrics.horizontalAdvance(name) + 18);
  }
  for (const int number : {HitsModel::Score, HitsModel::Mass})
    table_->setColumnWidth(number, metrics.horizontalAdvance(QStringLiteral("00.00000")) + 10);
  table_->setColumnWidth(HitsModel::Kind, metrics.horizontalAdvance(tr("expanded")) + 40);
  table_->setColumnWidth(HitsModel::Text, metrics.averageCharWidth() * 28);
  // The columns that a narrow dock should show come first.
  int place = 0;
  for (const int column :
       {HitsModel::Segment, HitsModel::Layer, HitsModel::Head, HitsModel::Position, HitsModel::Text, HitsModel::Kind,
        HitsModel::Score, HitsModel::Mass, HitsModel::Distance, HitsModel::Slot, HitsModel::Anchor})
    header->moveSection(header->visualIndex(column), place++);
  add_copy_actions(*table_);
  add_export_action(*table_, tr("Export the hits"), QStringLiteral("hits.csv"),
                    [this](const QString& path) { export_csv(path); });
  add_table_action(*table_, tr("&Remove in the what-if"), QKeySequence::Delete, [this] { drop_rows(); });
  connect(table_, &QTableView::activated, this, &HitsPanel::jump);
}

HitsPanel::Shown HitsPanel::wanted() {
  const Selection& selected = context().selected();
  Shown shown{scope_->currentIndex(), shown_segment(context()), selected.layer, selected.head};
  if (shown.scope == OneSegment) shown.layer = shown.head = -1;
  if (shown.scope == OneHead) shown.segment = -1;
  return shown;
}

std::vector<HitBlock> HitsPanel::blocks(const Shown& shown, int first_segment) {
  const RunModel& run = context().run();
  std::vector<HitBlock> found;
  const int first = shown.scope == OneHead ? first_segment : shown.segment;
  const int end = shown.scope == OneHead ? run.segment_count() : shown.segment + 1;
  std::size_t rows = first_segment > 0 ? static_cast<std::size_t>(model_.rowCount()) : 0;
  cut_ = false;
  for (int segment = std::max(0, first); segment < end && !cut_; ++segment) {
    if (shown.scope == OneHead) {  // whole segments are on disk: those that hold nothing stay there
      const BriefHits hits = run.brief_hits(segment, shown.layer, shown.head);
      if (hits.empty() || !context().range().contains(segment)) continue;
      cut_ = (rows += hits.size()) > most_rows;
      if (cut_) continue;
    }
    const auto list = shown.scope == OneSegment ? std::nullopt : run.list_of(shown.layer, shown.head);
    for (const HeadHits& head : run.snapshot(segment).hits)
      if (shown.scope == OneSegment || (list && *list == HeadRef{head.layer, head.head}))
        found.push_back({head, run.record(segment).first_token});
  }
  return found;
}

void HitsPanel::refresh() {
  const Shown now = wanted();
  if (now != shown_) {
    shown_ = now;
    table_->setColumnHidden(HitsModel::Segment, now.scope != OneHead);
    table_->setColumnHidden(HitsModel::Layer, now.scope != OneSegment);
    table_->setColumnHidden(HitsModel::Head, now.scope != OneSegment);
    model_.set_blocks(blocks(now, 0));
  } else if (now.scope == OneHead && !cut_) {
    model_.append_blocks(blocks(now, segments_read_));
  }
  segments_read_ = context().run().segment_count();
  show_count();
  show_masses();
}

void HitsPanel::unseen() {
  view_.forget();
  request_refresh();
}

// Asks for the masses of one segment alone: each segment that is inspected costs a run of it.
void HitsPanel::show_masses() {
  if (!is_seen()) return;
  table_->setColumnHidden(HitsModel::Mass, shown_.scope == OneHead);
  InspectionParts parts;
  parts.masses = true;
  const bool any = shown_.scope != OneHead && model_.rowCount() > 0;
  const auto answer = view_.ask(any ? shown_.segment : -1, parts);
  model_.set_masses(answer ? answer->slot_masses : std::vector<SlotMasses>());
}

void HitsPanel::drop_rows() {
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    const HitRow row = model_.row(filter_.mapToSource(index).row());
    if (row.block->head.segment == shown_segment(context()))
      lab_.what_ifs().drop({row.block->head.layer, row.block->head.head, row.hit().position});
  }
  Q_EMIT what_if_wanted();
}

void HitsPanel::show_count() {
  const int all = model_.rowCount(), passing = filter_.rowCount();
  if (all == 0 && context().run().segment_count() == 0)
    count_->setText(no_run_text(context().run()));
  else if (all == 0 && shown_.scope != OneSegment && shown_.head < 0)
    count_->setText(tr("Select a head"));
  else if (all == 0)
    count_->setText(why_nothing_retrieved(
        context().run(), shown_.scope == OneHead ? context().run().segment_count() - 1 : shown_.segment,
        {shown_.layer, shown_.head}));
  else
    count_->setText(tr("%1 of %2 hits").arg(count_text(passing), count_text(all)) +
                    (cut_ ? tr(", and more in later segments: drag a range in the ribbon") : QString()));
}

void HitsPanel::jump(const QModelIndex& index) {
  const HitRow row = model_.row(filter_.mapToSource(index).row());
  const HeadHits& head = row.block->head;
  context().select({static_cast<int>(head.segment), head.layer, head.head, row.hit().position});
}

void HitsPanel::export_csv(const QString& path) const {
  write_csv(path, table_text(filter_, {}, QLatin1Char(',')),
            {title(), run_provenance(const_cast<HitsPanel*>(this)->context().run())});
}

}  // namespace carryover
