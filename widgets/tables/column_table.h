// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "widgets/tables/number_sort.h"
#include "widgets/tables/rows_model.h"
#include "widgets/tables/table_column.h"

namespace carryover {

/// A table that is its columns: each says what a row's cell holds. A `Row` is what columns read, a reference or a small
/// value; whoever derives says where rows are, and sets the columns in its constructor. GUI thread.
template <typename Row>
class ColumnModel : public RowsModel {
 public:
  virtual Row row(int index) const = 0;
  /// Returns the number that a cell sorts by; NaN where it has none.
  double number(int row_index, int column) const {
    const TableColumn<Row>& shown = columns_[static_cast<std::size_t>(column)];
    return shown.number ? shown.number(row(row_index)) : std::nan("");
  }

  int columnCount(const QModelIndex& parent = {}) const final {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    if (!has(index)) return {};
    const TableColumn<Row>& column = columns_[static_cast<std::size_t>(index.column())];
    const auto cell = [&](const Cell& value) {
      return value ? value(row(index.row())) : row_data(row(index.row()), role);
    };
    switch (role) {
      case Qt::DisplayRole:
        return cell(column.text);
      case Qt::EditRole:
        return column.edit ? cell(column.text) : QVariant();
      case number_role:
        return column.number ? QVariant(column.number(row(index.row()))) : QVariant();
      case Qt::TextAlignmentRole:
        return QVariant(column.side | Qt::AlignVCenter);
      case Qt::ToolTipRole:
        return cell(column.tool_tip);
      case Qt::ForegroundRole:
        return cell(column.colour);
      case Qt::DecorationRole:
        return cell(column.icon);
      case Qt::CheckStateRole:
        return check_state(column, index.row());
      default:
        return row_data(row(index.row()), role);
    }
  }

  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) final {
    if (!has(index)) return false;
    const TableColumn<Row>& column = columns_[static_cast<std::size_t>(index.column())];
    if (role == Qt::EditRole) return column.edit && column.edit(index.row(), value.toString());
    if (role != Qt::CheckStateRole || !column.tick) return false;
    column.tick(index.row(), value.toInt() == Qt::Checked);
    return true;
  }

  Qt::ItemFlags flags(const QModelIndex& index) const final {
    Qt::ItemFlags flags = RowsModel::flags(index);
    if (!has(index)) return flags;
    const TableColumn<Row>& column = columns_[static_cast<std::size_t>(index.column())];
    if (column.edit) flags |= Qt::ItemIsEditable;
    if (column.ticked && column.ticked(index.row())) flags |= Qt::ItemIsUserCheckable;
    return flags;
  }

  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const TableColumn<Row>& column = columns_[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    return role == Qt::ToolTipRole && !column.tip.isEmpty() ? QVariant(column.tip) : QVariant();
  }

 protected:
  using RowsModel::RowsModel;
  using Cell = typename TableColumn<Row>::Cell;
  using Number = typename TableColumn<Row>::Number;

  static TableColumn<Row> words(const QString& title, const QString& tip, Cell text) {
    return {title, tip, Qt::AlignLeft, std::move(text)};
  }
  static TableColumn<Row> words(const QString& title, Cell text) { return words(title, {}, std::move(text)); }
  /// Figures stand at the right, where they can be compared.
  static TableColumn<Row> figures(const QString& title, const QString& tip, Cell text) {
    return {title, tip, Qt::AlignRight, std::move(text)};
  }
  static TableColumn<Row> figures(const QString& title, Cell text) { return figures(title, {}, std::move(text)); }
  /// Numbers are figures by which the table sorts. A cell whose number is NaN is empty.
  static TableColumn<Row> numbers(const QString& title, const QString& tip, std::function<QString(double)> format,
                                  Number number) {
    const auto text = [number, format = std::move(format)](Row row) {
      const double value = number(row);
      return std::isnan(value) ? QString() : format(value);
    };
    return figures(title, tip, text).sorted_by(std::move(number));
  }

  void set_columns(std::vector<TableColumn<Row>> columns) { columns_ = std::move(columns); }
  /// Returns what all cells of a row have, where their columns say nothing else.
  virtual QVariant row_data(Row /*row*/, int /*role*/) const { return {}; }

 private:
  bool has(const QModelIndex& index) const {
    return index.isValid() && index.row() < count() && index.column() < columnCount();
  }
  static QVariant check_state(const TableColumn<Row>& column, int row) {
    const std::optional<bool> ticked = column.ticked ? column.ticked(row) : std::nullopt;
    return ticked ? QVariant(*ticked ? Qt::Checked : Qt::Unchecked) : QVariant();
  }

  std::vector<TableColumn<Row>> columns_;
};

/// A table that owns its rows. GUI thread.
template <typename Row>
class ColumnTable : public ColumnModel<const Row&> {
 public:
  void set_rows(std::vector<Row> rows) {
    const bool same = std::ranges::equal(rows, rows_, [this](const Row& a, const Row& b) { return is_same(a, b); });
    this->update_rows(same, static_cast<int>(rows.size()), [&] { rows_ = std::move(rows); });
  }
  const std::vector<Row>& rows() const { return rows_; }
  const Row& row(int index) const final { return rows_[static_cast<std::size_t>(index)]; }

 protected:
  using ColumnModel<const Row&>::ColumnModel;
  int count() const final { return static_cast<int>(rows_.size()); }
  /// Returns true if `b` is what `a` was before, for views to keep their selection and place.
  virtual bool is_same(const Row& /*a*/, const Row& /*b*/) const { return false; }

 private:
  std::vector<Row> rows_;
};

}  // namespace carryover
