// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include "widgets/state/lab_context.h"

namespace carryover {

/// A row a what-if that was run, of LabContext::what_ifs(). Names can be edited. GUI thread.
class WhatIfTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Segment, Change, Low, High, Logit, Hits, Run, Edit, ColumnCount };

  explicit WhatIfTable(LabContext& context, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString display(const WhatIfResult& result, int column) const;

  WhatIfs& what_ifs_;
  int rows_ = 0;
};

}  // namespace carryover
