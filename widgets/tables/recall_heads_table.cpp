// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/recall_heads_table.h"

#include "engine/core/analysis/head_agreement.h"
#include "widgets/state/quantity_text.h"

namespace carryover {
namespace {

QString percent(double share) {
  return percent_text(share, share == 1 ? 0 : 1);
}

QVariant right_aligned() {
  return QVariant(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
}

}  // namespace

void SearchersTable::set_heads(const RecallHeads& heads) {
  beginResetModel();
  heads_ = heads;
  endResetModel();
}

int SearchersTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(heads_.searchers.size());
}
int SearchersTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant SearchersTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole) return right_aligned();
  if (role != Qt::DisplayRole) return {};
  const SearcherStep& step = heads_.searchers[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case Head:
      return QString::fromStdString(text_of_heads({step.head}));
    case Found:
      return percent(step.found.chosen_by);
    case HeldOut:
      return percent(step.found.held_out);
    default:
      return percent(heads_.found.at(step.head.layer, step.head.head));
  }
}

QVariant SearchersTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Searcher"), tr("Found"), tr("Held out"), tr("Alone")};
  const QString tips[] = {
      tr("Layer and head"), tr("Share of the answers in the windows that this head and those above find together"),
      tr("The same on documents that no head was chosen by"), tr("Share that the head finds alone")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

void ReadersTable::set_heads(const RecallHeads& heads, std::int64_t tokens) {
  beginResetModel();
  steps_ = heads.readers;
  if (!steps_.empty()) steps_.push_back({Grouping(), heads.loss_without, heads.answered_without, 0});
  tokens_ = tokens;
  endResetModel();
}

int ReadersTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}
int ReadersTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString ReadersTable::text(const ReaderStep& step, int column) const {
  const std::size_t heads = retrieving_heads(step.readers).size();
  switch (column) {
    case Layers:
      return heads == 0 ? tr("none") : QString::number(step.readers.long_range_layers().size());
    case Heads:
      return QString::number(heads);
    case Pool:
      return heads == 0 ? QString() : bytes_text(step.entry_bytes * tokens_);
    case Loss:
      return decimal_text(step.loss, 3);
    default:
      return percent(step.answered);
  }
}

QVariant ReadersTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole) return right_aligned();
  if (role != Qt::DisplayRole) return {};
  return text(steps_[static_cast<std::size_t>(index.row())], index.column());
}

QVariant ReadersTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Layers"), tr("Readers"), tr("Pool"), tr("Loss"), tr("Answered")};
  const QString tips[] = {
      tr("Layers with heads that read the retrieved tokens"), tr("Heads that read the retrieved tokens"),
      tr("The pool of a document: keys and values of readers and searchers"),
      tr("Mean loss of a token of the answers, in nats, with the needle in the prefix"),
      tr("Share of answers whose every token is the most likely one, with the needle in the prefix")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

}  // namespace carryover
