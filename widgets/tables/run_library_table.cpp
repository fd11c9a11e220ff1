// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/run_library_table.h"

#include <QDateTime>
#include <QDir>
#include <QFont>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>
#include <cmath>

#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

constexpr qsizetype most_tooltip = 2000;

/// Runs and trainings; of the others a box would compare nothing.
bool can_be_ticked(const ListedRun& run) {
  return run.kind == ListedKind::Run || run.kind == ListedKind::Training;
}

QString tokens_text(const ListedRun& run) {
  if (run.tokens == 0) return {};
  const QString tokens = count_text(run.tokens);
  if (run.tokens >= run.expected_tokens) return tokens;
  return RunLibraryTable::tr("%1 of %2").arg(tokens, count_text(run.expected_tokens));
}

QString loss_text(const ListedRun& run) {
  if (std::isnan(run.loss)) return {};
  return run.kind == ListedKind::WhatIf ? QStringLiteral("Δ ") + signed_text(run.loss, 3) : decimal_text(run.loss, 3);
}

QString standing_text(const ListedRun& run) {
  switch (run.standing) {
    case Standing::Whole:
      return {};
    case Standing::Partial:
      return RunLibraryTable::tr("Not complete");
    case Standing::UnderWay:
      return RunLibraryTable::tr("In progress");
    case Standing::Missing:
      return RunLibraryTable::tr("No longer there");
  }
  return {};
}

/// Returns plain text, because names may come from any session file.
QString tooltip_of(const ListedRun& run) {
  QStringList lines{run.name};
  if (const QString standing = standing_text(run); !standing.isEmpty()) lines += standing;
  if (has_files(run.kind)) lines += QDir::toNativeSeparators(run.place);
  if (run.kind == ListedKind::Question) lines += run.text;
  if (!run.saved_in.isEmpty()) lines += RunLibraryTable::tr("Saved in %1").arg(QDir::toNativeSeparators(run.saved_in));
  lines += run.details;
  return lines.join(u'\n').left(most_tooltip);
}

}  // namespace

RunLibraryTable::RunLibraryTable(RunLibrary& library, QObject* parent)
    : QAbstractTableModel(parent), library_(library) {
  connect(&library, &RunLibrary::about_to_add, this, [this](int index) { beginInsertRows({}, index, index); });
  connect(&library, &RunLibrary::added, this, [this] { endInsertRows(); });
  connect(&library, &RunLibrary::about_to_remove, this, [this](int index) { beginRemoveRows({}, index, index); });
  connect(&library, &RunLibrary::removed_from, this, [this] { endRemoveRows(); });
  connect(&library, &RunLibrary::about_to_reset, this, [this] { beginResetModel(); });
  connect(&library, &RunLibrary::reset, this, [this] { endResetModel(); });
  connect(&library, &RunLibrary::run_changed, this, &RunLibraryTable::tell);
}

void RunLibraryTable::tell(int row) {
  if (row >= 0) Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void RunLibraryTable::set_shown(const QString& place) {
  const QString before = std::exchange(shown_, place);
  if (before == place) return;
  tell(library_.index_of(before));
  tell(library_.index_of(place));
}

int RunLibraryTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : library_.count();
}
int RunLibraryTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString RunLibraryTable::text(const ListedRun& run, int column) {
  switch (column) {
    case Name:
      return run.name;
    case Kind:
      return kind_name(run.kind);
    case Tags:
      return run.tags.join(QStringLiteral(", "));
    case Policy:
      return run.policy;
    case Model:
      return run.model;
    case Tokens:
      return tokens_text(run);
    case Loss:
      return loss_text(run);
    case Ppl:
      return run.kind == ListedKind::Run && !std::isnan(run.loss) ? decimal_text(std::exp(run.loss), 3) : QString();
    case Size:
      return run.bytes > 0 ? bytes_text(run.bytes) : QString();
    case Made:
      return run.made_ms > 0 ? QLocale().toString(QDateTime::fromMSecsSinceEpoch(run.made_ms), QLocale::ShortFormat)
                             : QString();
    default:
      return {};
  }
}

/// Invalid in columns of text.
QVariant RunLibraryTable::number(const ListedRun& run, int column) {
  switch (column) {
    case Tokens:
      return static_cast<double>(run.tokens);
    case Loss:
      return run.kind == ListedKind::WhatIf ? std::nan("") : run.loss;
    case Ppl:
      return run.kind == ListedKind::Run ? run.loss : std::nan("");
    case Size:
      return static_cast<double>(run.bytes);
    case Made:
      return static_cast<double>(run.made_ms);
    default:
      return {};
  }
}

QVariant RunLibraryTable::look(const ListedRun& run, int role) const {
  if (role == Qt::FontRole && run.place == shown_) {
    QFont bold;
    bold.setBold(true);
    return bold;
  }
  if (role == Qt::ForegroundRole && run.standing == Standing::Missing)
    return QGuiApplication::palette().color(QPalette::PlaceholderText);
  return {};
}

QVariant RunLibraryTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= library_.count()) return {};
  const ListedRun& run = library_.run(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
      return text(run, index.column());
    case place_role:
      return run.place;
    case number_role:
      return number(run, index.column());
    case Qt::TextAlignmentRole:
      return QVariant((number(run, index.column()).isValid() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::CheckStateRole:
      if (index.column() != Name || !can_be_ticked(run)) return {};
      return run.ticked() ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return tooltip_of(run);
    default:
      return look(run, role);
  }
}

bool RunLibraryTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid()) return false;
  if (role == Qt::CheckStateRole && index.column() == Name) {
    library_.set_ticked(index.row(), value.toInt() == Qt::Checked);
  } else if (role == Qt::EditRole && index.column() == Name) {
    library_.rename(index.row(), value.toString());
  } else if (role == Qt::EditRole && index.column() == Tags) {
    library_.set_tags(index.row(), value.toString().split(u','));
  } else {
    return false;
  }
  return true;
}

QVariant RunLibraryTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name:
      return tr("Name");
    case Kind:
      return tr("Kind");
    case Tags:
      return tr("Tags");
    case Policy:
      return tr("Policy");
    case Model:
      return tr("Model");
    case Tokens:
      return tr("Tokens");
    case Loss:
      return tr("Loss");
    case Ppl:
      return tr("PPL");
    case Size:
      return tr("Size");
    case Made:
      return tr("Date");
    default:
      return {};
  }
}

Qt::ItemFlags RunLibraryTable::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (!index.isValid()) return flags;
  if (index.column() == Name && can_be_ticked(library_.run(index.row()))) flags |= Qt::ItemIsUserCheckable;
  if (index.column() == Name || index.column() == Tags) flags |= Qt::ItemIsEditable;
  return flags;
}

}  // namespace carryover
