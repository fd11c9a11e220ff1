// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/fitted_columns.h"

#include <QHeaderView>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <vector>

namespace carryover {
namespace {

constexpr int fit_interval_ms = 200;  // values may come one by one

class ColumnFitter : public QObject {
 public:
  explicit ColumnFitter(QTableView& table) : QObject(&table), table_(table) {
    timer_.setSingleShot(true);
    timer_.setInterval(fit_interval_ms);
    connect(&timer_, &QTimer::timeout, this, &ColumnFitter::widen);
    const auto later = [this] {
      if (!timer_.isActive()) timer_.start();
    };
    const QAbstractItemModel* model = table.model();
    connect(model, &QAbstractItemModel::modelReset, this, &ColumnFitter::fit);
    connect(model, &QAbstractItemModel::dataChanged, this, later);
    connect(model, &QAbstractItemModel::rowsInserted, this, later);
    fit();
  }

 private:
  int columns() const { return table_.model()->columnCount(); }

  void fit() {
    table_.resizeColumnsToContents();
    fitted_.clear();
    for (int column = 0; column < columns(); ++column) fitted_.push_back(table_.columnWidth(column));
  }

  void widen() {
    if (static_cast<int>(fitted_.size()) != columns()) return fit();
    const QAbstractItemView& contents = table_;
    const int most = table_.horizontalHeader()->maximumSectionSize();
    for (int column = 0; column < columns(); ++column) {
      int& width = fitted_[static_cast<std::size_t>(column)];
      const bool by_hand = table_.columnWidth(column) != width;
      const int wanted = std::min(contents.sizeHintForColumn(column) + (table_.showGrid() ? 1 : 0), most);
      if (by_hand || wanted <= width) continue;
      table_.setColumnWidth(column, wanted);
      width = table_.columnWidth(column);
    }
  }

  QTableView& table_;
  QTimer timer_;
  std::vector<int> fitted_;  ///< widths that were set last
};

}  // namespace

void keep_columns_fitted(QTableView& table) {
  new ColumnFitter(table);
}

}  // namespace carryover
