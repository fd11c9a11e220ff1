// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/what_if/what_if_table.h"

class QPushButton;
class QTableView;

namespace carryover {

/// All what-ifs of the session: CSV by the suffix (a line a token), else JSON (everything). Throws EngineError{Io}.
void export_what_ifs(LabContext& context, const QString& path);

/// The what-ifs that were run: shown, renamed, removed, exported. GUI thread.
class WhatIfList : public QWidget {
  Q_OBJECT
 public:
  explicit WhatIfList(LabContext& context, QWidget* parent = nullptr);

 private:
  void ask_and_export();
  void remove_current();
  void show_current();

  LabContext& context_;
  WhatIfTable table_;
  QTableView* view_;
  QPushButton *export_, *remove_, *again_;
};

}  // namespace carryover
