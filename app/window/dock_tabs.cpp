// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/dock_tabs.h"

#include <QAction>
#include <QChildEvent>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QMenu>
#include <QMouseEvent>
#include <QTabBar>
#include <algorithm>

namespace carryover {
namespace {

/// A covered dock stands beside the window, and would float there. Its title comes first, since the window that floats
/// has no frame of its own without one.
void float_dock(QDockWidget* dock) {
  dock->raise();
  DockTabs::show_title(dock, true);
  dock->setFloating(true);
}

bool is_docked(const QDockWidget* dock) {
  return !dock->isHidden() && !dock->isFloating();
}

}  // namespace

DockTabs::DockTabs(QMainWindow& window) : window_(window) {
  window.installEventFilter(this);  // Qt makes tab bars as it needs them
}

void DockTabs::add(QDockWidget* dock) {
  docks_.push_back(dock);
  connect(dock, &QDockWidget::topLevelChanged, this, &DockTabs::show_titles_soon);
  connect(dock, &QDockWidget::visibilityChanged, this, &DockTabs::show_titles_soon);
}

void DockTabs::show_title(QDockWidget* dock, bool titled) {
  QWidget* own = dock->titleBarWidget();
  if (titled == (own == nullptr)) return;
  dock->setTitleBarWidget(titled ? nullptr : new QWidget(dock));
  delete own;
}

/// Shows the titles once Qt has moved the docks, because Qt reports each dock while it moves them.
void DockTabs::show_titles_soon() {
  if (titles_due_) return;
  titles_due_ = true;
  QMetaObject::invokeMethod(this, &DockTabs::show_titles, Qt::QueuedConnection);
}

void DockTabs::show_titles() {
  titles_due_ = false;
  for (QDockWidget* dock : docks_) {
    if (dock->isHidden()) continue;
    const QList<QDockWidget*> others = window_.tabifiedDockWidgets(dock);
    const bool has_tab = is_docked(dock) && std::any_of(others.begin(), others.end(), &is_docked);
    show_title(dock, !has_tab);
  }
}

QDockWidget* DockTabs::dock_at(const QTabBar& tabs, int index) const {
  if (index < 0) return nullptr;
  const QString title = tabs.tabText(index);
  const auto found = std::find_if(docks_.begin(), docks_.end(), [&](const QDockWidget* dock) {
    return is_docked(dock) && dock->windowTitle() == title;
  });
  return found == docks_.end() ? nullptr : *found;
}

void DockTabs::show_menu(QDockWidget* dock, const QPoint& global_position) {
  auto* menu = new QMenu(&window_);
  menu->setObjectName(QStringLiteral("dock_menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  connect(menu->addAction(tr("Float")), &QAction::triggered, dock, [dock] { float_dock(dock); });
  connect(menu->addAction(tr("Close")), &QAction::triggered, dock, &QWidget::close);
  menu->popup(global_position);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &window_ && event->type() == QEvent::ChildPolished) {
    QObject* child = static_cast<QChildEvent*>(event)->child();
    if (auto* tabs = qobject_cast<QTabBar*>(child)) {
      child->installEventFilter(this);
      tabs->setElideMode(Qt::ElideNone);  // else two letters are left of each before its buttons scroll
      tabs->setUsesScrollButtons(true);
    }
  }
  const auto* tabs = qobject_cast<const QTabBar*>(watched);
  if (tabs == nullptr) return false;
  if (event->type() == QEvent::MouseButtonDblClick) {
    const auto* click = static_cast<const QMouseEvent*>(event);
    QDockWidget* dock = dock_at(*tabs, tabs->tabAt(click->position().toPoint()));
    if (dock == nullptr || click->button() != Qt::LeftButton) return false;
    QMetaObject::invokeMethod(
        dock, [dock] { float_dock(dock); }, Qt::QueuedConnection);  // not while its tab has the mouse
    return true;
  }
  if (event->type() == QEvent::ContextMenu) {
    const auto* asked = static_cast<const QContextMenuEvent*>(event);
    const bool by_key = asked->reason() == QContextMenuEvent::Keyboard;
    QDockWidget* dock = dock_at(*tabs, by_key ? tabs->currentIndex() : tabs->tabAt(asked->pos()));
    if (dock != nullptr) show_menu(dock, asked->globalPos());
    return dock != nullptr;
  }
  return false;
}

}  // namespace carryover
