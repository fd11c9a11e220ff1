// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTreeWidget>
#include <string>
#include <vector>

namespace carryover {

/// The tasks that can be evaluated, by family, each with a box to check. A family's box is that of all its tasks. GUI
/// thread.
class TaskTree : public QTreeWidget {
  Q_OBJECT
 public:
  explicit TaskTree(QWidget* parent = nullptr);

  std::vector<std::string> checked() const;                 ///< names, in the tree's order
  void set_checked(const std::vector<std::string>& names);  ///< those alone; names that it does not have are left out

 Q_SIGNALS:
  void checks_changed();

 private:
  std::vector<QTreeWidgetItem*> tasks() const;
};

}  // namespace carryover
