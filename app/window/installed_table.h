// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/installed/installed_model.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A row a model on this computer. One that does not open is grey, and says why. GUI thread.
class InstalledTable : public ColumnTable<InstalledModel> {
  Q_OBJECT
 public:
  enum Column { Name, Family, Parameters, Storage, Context, Size, Memory, Program, ColumnCount };
  explicit InstalledTable(QObject* parent = nullptr);
  void set_tokens(std::int64_t tokens);  ///< the length of the text for which memory is told

 protected:
  QVariant row_data(const InstalledModel& model, int role) const override;
  bool is_same(const InstalledModel& a, const InstalledModel& b) const override { return a.path == b.path; }

 private:
  std::int64_t tokens_ = kListedTokens;
};

}  // namespace carryover
