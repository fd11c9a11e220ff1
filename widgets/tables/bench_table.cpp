// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/bench_table.h"

#include <algorithm>
#include <cmath>

#include "widgets/plot/bench_plots.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

QString seconds_text(const BenchMeasurement& row, double seconds) {
  const bool milliseconds = row.kind == BenchKind::Decode || seconds < 1;
  return milliseconds ? decimal_text(1000 * seconds, 2) + QStringLiteral(" ms")
                      : decimal_text(seconds, 3) + QStringLiteral(" s");
}

QString percent(double share, bool sign) {
  const double value = std::abs(share) < 0.0005 ? 0 : share;  // no "-0.0"
  return (sign && value >= 0 ? QStringLiteral("+") : QString()) + percent_text(value, std::abs(value) < 0.1 ? 1 : 0);
}

QString cell_text(const BenchMeasurement& row, int column) {
  switch (column) {
    case BenchTable::Work:
      return bench_kind_title(row.kind);
    case BenchTable::Who:
      return bench_curve_name(row);
    case BenchTable::Tokens:
      return count_text(row.tokens);
    case BenchTable::Repeats:
      return count_text(row.repeats);
    case BenchTable::Time:
      return seconds_text(row, row.median_s);
    case BenchTable::Rate:
      return row.tokens_per_s ? decimal_text(*row.tokens_per_s, *row.tokens_per_s < 100 ? 1 : 0) : QString();
    case BenchTable::Share:
      return row.share ? percent(*row.share, false) : QString();
    case BenchTable::Peak:
      return row.peak_bytes ? bytes_text(*row.peak_bytes) : QString();
    case BenchTable::Deviation:
      return row.deviation ? percent(*row.deviation, true) : QString();
    default:
      return {};
  }
}

QString tool_tip(const BenchMeasurement& row, int column) {
  switch (column) {
    case BenchTable::Time:
      return BenchTable::tr("Median of %1 repetitions, from %2 to %3")
          .arg(static_cast<qlonglong>(row.repeats))
          .arg(seconds_text(row, row.min_s), seconds_text(row, row.max_s));
    case BenchTable::Share:
      return row.kind == BenchKind::Decode
                 ? BenchTable::tr(
                       "Bytes of weights and of visible keys and values read per second, as a share of memory "
                       "bandwidth")
                 : BenchTable::tr("FLOPs of the definition per second, as a share of the fastest matmul");
    case BenchTable::Deviation:
      return row.predicted_bytes ? BenchTable::tr("predicted: %1").arg(bytes_text(*row.predicted_bytes)) : QString();
    default:
      return {};
  }
}

QVariant alignment(int column) {
  return QVariant((column <= BenchTable::Who ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

template <typename Value>
double number_or_nan(const std::optional<Value>& value) {
  return value ? static_cast<double>(*value) : NAN;
}

}  // namespace

void BenchTable::set_rows(std::vector<BenchMeasurement> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  names_.clear();
  for (const BenchMeasurement& row : rows_) names_.push_back(bench_curve_name(row).toStdString());
  std::sort(names_.begin(), names_.end());
  endResetModel();
}

int BenchTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int BenchTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

double BenchTable::number(const BenchMeasurement& row, int column) const {
  switch (column) {
    case Work:
      return static_cast<double>(row.kind);
    case Who:
      return static_cast<double>(std::lower_bound(names_.begin(), names_.end(), bench_curve_name(row).toStdString()) -
                                 names_.begin());
    case Tokens:
      return static_cast<double>(row.tokens);
    case Repeats:
      return static_cast<double>(row.repeats);
    case Time:
      return row.median_s;
    case Rate:
      return number_or_nan(row.tokens_per_s);
    case Share:
      return number_or_nan(row.share);
    case Peak:
      return number_or_nan(row.peak_bytes);
    default:
      return number_or_nan(row.deviation);
  }
}

QVariant BenchTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const BenchMeasurement& row = rows_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return cell_text(row, index.column());
    case Qt::TextAlignmentRole:
      return alignment(index.column());
    case Qt::ToolTipRole:
      return tool_tip(row, index.column());
    case number_role:
      return number(row, index.column());
    default:
      return {};
  }
}

QVariant BenchTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return alignment(section);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Work:
      return tr("Work");
    case Who:
      return tr("Program");
    case Tokens:
      return tr("Tokens");
    case Repeats:
      return tr("n");
    case Time:
      return tr("Time");
    case Rate:
      return tr("Tokens/s");
    case Share:
      return tr("Share of peak");
    case Peak:
      return tr("Peak memory");
    default:
      return tr("Deviation");
  }
}

}  // namespace carryover
