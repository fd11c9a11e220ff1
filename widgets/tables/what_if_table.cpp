// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/what_if_table.h"

#include "widgets/state/provenance.h"
#include "widgets/state/quantity_text.h"

namespace carryover {

WhatIfTable::WhatIfTable(LabContext& context, QObject* parent)
    : QAbstractTableModel(parent), what_ifs_(context.what_ifs()) {
  rows_ = static_cast<int>(what_ifs_.results().size());
  connect(&what_ifs_, &WhatIfs::results_changed, this, [this] {
    const int now = static_cast<int>(what_ifs_.results().size());
    if (now == rows_ + 1) {
      beginInsertRows({}, rows_, rows_);
      rows_ = now;
      endInsertRows();
    } else if (now == rows_ && now > 0) {
      Q_EMIT dataChanged(index(0, 0), index(rows_ - 1, ColumnCount - 1));
    } else {
      beginResetModel();
      rows_ = now;
      endResetModel();
    }
  });
}

int WhatIfTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}
int WhatIfTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

Qt::ItemFlags WhatIfTable::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.column() == Name ? flags | Qt::ItemIsEditable : flags;
}

QString WhatIfTable::display(const WhatIfResult& result, int column) const {
  switch (column) {
    case Name:
      return result.name;
    case Segment:
      return QString::number(result.segment);
    case Change:
      return signed_text(result.change.mean, 4);
    case Low:
      return bound_texts(result).first;
    case High:
      return bound_texts(result).second;
    case Logit:
      return result.prediction ? signed_text(result.prediction->logit_change(), 4) : QString();
    case Hits:
      return QString::number(result.changes.size());
    case Run:
      return run_name_in(result.provenance);
    default:
      return edit_text(result.edit, result.run_config);
  }
}

QVariant WhatIfTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const bool words = index.column() == Name || index.column() == Run || index.column() == Edit;
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::Alignment(Qt::AlignVCenter | (words ? Qt::AlignLeft : Qt::AlignRight)));
  if (role == Qt::ToolTipRole && index.column() == Logit) {
    const auto& prediction = what_ifs_.results()[static_cast<std::size_t>(index.row())].prediction;
    return prediction ? prediction_text(*prediction) : QString();
  }
  if (role == Qt::DisplayRole || role == Qt::EditRole || (role == Qt::ToolTipRole && words))
    return display(what_ifs_.results()[static_cast<std::size_t>(index.row())], index.column());
  return {};
}

bool WhatIfTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || index.column() != Name || value.toString().trimmed().isEmpty())
    return false;
  what_ifs_.rename(index.row(), value.toString());
  return true;
}

QVariant WhatIfTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  const QString names[] = {tr("Name"),    tr("Segment"), tr("Δ loss"), tr("CI low"), tr("CI high"),
                           tr("Δ logit"), tr("Hits"),    tr("Run"),    tr("What if")};
  const QString tips[] = {tr("Double-click or press F2 to change it"),
                          tr("The segment that was run again"),
                          tr("Mean over the segment's targets, in nats. Positive: worse"),
                          tr("Lower bound of the 95 % interval: paired bootstrap over blocks of 32 tokens"),
                          tr("Upper bound of the 95 % interval: paired bootstrap over blocks of 32 tokens"),
                          tr("Change of the selected token's logit; with a foil, of that logit minus the foil's"),
                          tr("Hits that only one of the two has"),
                          tr("Run that the segment belongs to, with its text and model"),
                          tr("What was changed")};
  if (role == Qt::DisplayRole) return names[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

}  // namespace carryover
