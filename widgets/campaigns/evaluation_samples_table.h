// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "engine/campaigns/evaluations/score_cell.h"
#include "widgets/tables/column_table.h"
#include "widgets/tables/row_filter.h"

namespace carryover {

/// The samples of one cell of an evaluation, in their order. GUI thread.
class EvaluationSamplesTable : public ColumnModel<int> {
  Q_OBJECT
 public:
  enum Column { Id, Slice, Score, Tokens, Answer, Reference, Problem, ColumnCount };

  explicit EvaluationSamplesTable(QObject* parent = nullptr);
  /// Shows the samples of a cell; null: no samples. A cell that has grown keeps its rows. `references` may be fewer
  /// than samples.
  void set_cell(std::shared_ptr<const ScoreCell> cell, const std::vector<std::string>& references);
  const ScoreCell* cell() const { return cell_.get(); }
  int row(int index) const override { return index; }
  bool is_wrong(int row) const { return carryover::is_wrong(*cell_, entry(row)); }

 protected:
  int count() const override { return cell_ ? static_cast<int>(cell_->entries.size()) : 0; }

 private:
  const SampleEntry& entry(int row) const { return cell_->entries[static_cast<std::size_t>(row)]; }
  QString reference(int row) const;

  std::shared_ptr<const ScoreCell> cell_;
  std::vector<std::string> references_;
};

/// Shows those that are wrong alone where that is wanted, and those that have each word. GUI thread.
class EvaluationSamplesFilter : public RowFilter {
  Q_OBJECT
 public:
  using RowFilter::RowFilter;
  void set_wrong_only(bool wrong_only);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  bool wrong_only_ = false;
};

}  // namespace carryover
