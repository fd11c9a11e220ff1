// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include "app/saved_window/session_keeper.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace carryover {

/// The sessions that windows left behind: when, how large, and what is in them; to be opened or deleted. Deleting can
/// be undone until the window closes. GUI thread. Lives shorter than the keeper.
class SessionHistory : public QDialog {
  Q_OBJECT
 public:
  explicit SessionHistory(SessionKeeper& keeper, QWidget* parent = nullptr);
  QTreeWidget& list() { return *list_; }

 private:
  void fill();
  void open_chosen();
  void delete_chosen();
  void undo_delete();
  void update_buttons();
  QStringList chosen() const;  ///< folders

  SessionKeeper& keeper_;
  QTreeWidget* list_;
  QLabel* total_;
  QPushButton *open_, *delete_, *undo_;
};

}  // namespace carryover
