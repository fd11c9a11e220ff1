// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMainWindow>
#include <QObject>
#include <vector>

class QDockWidget;
class QTabBar;

namespace carryover {

/// Gives a dock's tab the functions of a title bar: a double click floats the dock, and the tab's menu floats or closes
/// it. A tab names its dock, so that only a dock that floats or stands alone has a title bar. Names are not cut:
/// buttons scroll to tabs that have no room. GUI thread. Must not outlive the docks and their window.
class DockTabs : public QObject {
  Q_OBJECT
 public:
  explicit DockTabs(QMainWindow& window);

  void add(QDockWidget* dock);
  static void show_title(QDockWidget* dock, bool titled);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the window and of its tabs

 private:
  QDockWidget* dock_at(const QTabBar& tabs, int index) const;  ///< null where there is none
  void show_menu(QDockWidget* dock, const QPoint& global_position);
  void show_titles_soon();
  void show_titles();

  QMainWindow& window_;
  std::vector<QDockWidget*> docks_;
  bool titles_due_ = false;
};

}  // namespace carryover
