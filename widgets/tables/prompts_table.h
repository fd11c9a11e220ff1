// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <memory>

#include "engine/experiments/prompt_report.h"

namespace carryover {

/// A row an example of a prompt set, in the file's order. GUI thread.
class PromptExamplesTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Tags, FirstValue };  ///< then a column a value, and what went wrong

  using QAbstractTableModel::QAbstractTableModel;
  void set_report(std::shared_ptr<const PromptReport> report);
  const PromptReport::Example& example(int row) const { return report_->examples[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;  ///< numbers under number_sort.h's role too
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const PromptReport> report_;
};

/// A row a tag, behind one for all examples: means with their 95 % intervals. GUI thread.
class PromptSlicesTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Slice, Examples, FirstValue };  ///< then a column a value

  using QAbstractTableModel::QAbstractTableModel;
  void set_report(std::shared_ptr<const PromptReport> report);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const PromptReport> report_;
};

}  // namespace carryover
