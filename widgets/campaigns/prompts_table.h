// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/campaigns/prompts/prompt_report.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A row an example of a prompt set, in the file's order. GUI thread.
class PromptExamplesTable : public ColumnModel<const PromptReport::Example&> {
  Q_OBJECT
 public:
  enum Column { Name, Tags, FirstValue };  ///< then a column a value, and what went wrong

  explicit PromptExamplesTable(QObject* parent = nullptr);
  void set_report(std::shared_ptr<const PromptReport> report);
  const PromptReport::Example& row(int index) const override {
    return report_->examples[static_cast<std::size_t>(index)];
  }

 protected:
  int count() const override { return report_ ? static_cast<int>(report_->examples.size()) : 0; }
  QVariant row_data(const PromptReport::Example& example, int role) const override;

 private:
  std::shared_ptr<const PromptReport> report_;
};

/// A row a tag, behind one for all examples: means with their 95 % intervals. GUI thread.
class PromptSlicesTable : public ColumnTable<PromptReport::Slice> {
  Q_OBJECT
 public:
  enum Column { Slice, Examples, FirstValue };  ///< then a column a value
  explicit PromptSlicesTable(QObject* parent = nullptr);
};

}  // namespace carryover
