// SPDX-License-Identifier: GPL-3.0-or-later
// Docks by their tabs: how one floats and closes, and which of them have a title bar.
#include "app/window/dock_tabs.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QMenu>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "app/window/main_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"

using namespace carryover;

namespace {

/// The place of a dock's tab; `bar` is null if the dock has no tab.
struct TabPlace {
  QTabBar* bar = nullptr;
  QPoint middle;
};

TabPlace tab_of(const MainWindow& window, const QDockWidget& dock) {
  for (QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    for (int tab = 0; tab < bar->count(); ++tab)
      if (bar->isVisible() && bar->tabText(tab) == dock.windowTitle()) return {bar, bar->tabRect(tab).center()};
  return {};
}

bool has_title(const QDockWidget& dock) {
  return dock.titleBarWidget() == nullptr;
}

/// Chooses from the menu that a right click on its tab opens.
void choose(MainWindow& window, const QDockWidget& dock, const QString& text) {
  const TabPlace tab = tab_of(window, dock);
  QVERIFY(tab.bar != nullptr);
  QContextMenuEvent event(QContextMenuEvent::Mouse, tab.middle, tab.bar->mapToGlobal(tab.middle));
  QApplication::sendEvent(tab.bar, &event);
  auto* menu = window.findChild<QMenu*>(QStringLiteral("dock_menu"));
  QVERIFY(menu != nullptr);
  QAction* wanted = nullptr;
  for (QAction* action : menu->actions())
    if (action->text() == text) wanted = action;
  QVERIFY(wanted != nullptr);
  wanted->trigger();
  menu->close();
  test::settle();
}

void show(MainWindow& window) {
  window.resize(1280, 800);
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  test::settle();
}

}  // namespace

class DockTabsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_double_click_on_a_tab_floats_its_dock_and_it_comes_back() {
    MainWindow window;
    show(window);
    QDockWidget *map = window.docks().dock("retrieval_map"), *text = window.docks().dock("text");
    const TabPlace tab = tab_of(window, *map);
    QVERIFY(tab.bar != nullptr && !has_title(*map));
    QTest::mouseDClick(tab.bar, Qt::LeftButton, {}, tab.middle);
    QTRY_VERIFY(map->isFloating());
    test::settle();
    QVERIFY(map->isVisible() && has_title(*map) && !has_title(*text));
    QVERIFY(map->width() > 100 && map->height() > 60);
    QVERIFY(tab_of(window, *map).bar == nullptr);
    map->setFloating(false);  // as a double click on its title bar does
    test::settle();
    QVERIFY(!has_title(*map) && tab_of(window, *map).bar != nullptr);
    QVERIFY(window.tabifiedDockWidgets(map).contains(text));
  }

  void a_covered_tab_floats_from_its_menu_where_the_window_is() {
    MainWindow window;
    show(window);
    QDockWidget* sinks = window.docks().dock("sinks");
    QVERIFY(!window.docks().panel("sinks")->is_seen());
    choose(window, *sinks, DockTabs::tr("Float"));
    QVERIFY(sinks->isFloating() && sinks->isVisible() && has_title(*sinks));
    QVERIFY(window.frameGeometry().contains(sinks->geometry().center()));
    QVERIFY(window.docks().panel("sinks")->is_seen());
  }

  void tabs_keep_their_whole_names_in_a_narrow_window() {
    MainWindow window;
    show(window);
    window.resize(800, 600);
    test::settle();
    int scrolled = 0;
    for (QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
      if (!bar->isVisible()) continue;
      int width = 0;
      for (int tab = 0; tab < bar->count(); ++tab) {
        QVERIFY2(bar->tabRect(tab).width() > bar->fontMetrics().horizontalAdvance(bar->tabText(tab)),
                 qPrintable(bar->tabText(tab)));
        width += bar->tabRect(tab).width();
      }
      if (width <= bar->width()) continue;
      ++scrolled;
      const auto buttons = bar->findChildren<QToolButton*>();
      QVERIFY(std::ranges::count_if(buttons, [](const QToolButton* button) { return button->isVisible(); }) >= 2);
      bar->setCurrentIndex(bar->count() - 1);
      test::settle();
      QVERIFY(bar->rect().contains(bar->tabRect(bar->count() - 1).center()));
    }
    QVERIFY(scrolled > 0);
  }

  void the_last_dock_of_a_place_gets_a_title_bar() {
    MainWindow window;
    show(window);
    QDockWidget *grid = window.docks().dock("grid"), *runs = window.docks().dock("runs");
    QVERIFY(!has_title(*grid) && !has_title(*runs));
    choose(window, *runs, DockTabs::tr("Float"));
    QVERIFY(runs->isFloating() && has_title(*grid));
    runs->setFloating(false);
    test::settle();
    QVERIFY(!has_title(*grid) && !has_title(*runs));
    choose(window, *runs, DockTabs::tr("Close"));
    QVERIFY(runs->isHidden() && has_title(*grid));
    window.docks().raise("runs");
    test::settle();
    QVERIFY(!has_title(*grid) && !has_title(*runs));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<DockTabsTest>};
#include "dock_tabs_test.moc"
