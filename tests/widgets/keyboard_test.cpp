// SPDX-License-Identifier: GPL-3.0-or-later
// The window by keyboard: Tab reaches every control that is seen, and none that another panel's tab covers.
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QMenuBar>
#include <QTabBar>
#include <QTest>
#include <set>

#include "app/start/layouts.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/settle.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Such a dock stands beside the window.
bool behind_a_tab(const QWidget* widget) {
  for (; widget != nullptr; widget = widget->parentWidget())
    if (qobject_cast<const QDockWidget*>(widget) != nullptr)
      return !widget->window()->rect().intersects(QRect(widget->mapTo(widget->window(), QPoint()), widget->size()));
  return false;
}

QString told(const QWidget* widget) {
  QString where;
  for (const QWidget* each = widget; each != nullptr; each = each->parentWidget())
    if (qobject_cast<const QDockWidget*>(each) != nullptr) where = each->windowTitle();
  return QStringLiteral("%1 '%2' of %3")
      .arg(widget->metaObject()->className(), widget->accessibleName(), where.isEmpty() ? "the window" : where);
}

/// Returns the widgets that Tab has to reach: controls on screen, and those that scrolling brings there.
std::set<QWidget*> wanted_in(QMainWindow& window) {
  std::set<QWidget*> wanted;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->window() != &window || !widget->isVisible() || !widget->isEnabled() || widget->focusProxy() != nullptr)
      continue;
    if ((widget->focusPolicy() & Qt::TabFocus) == 0 || behind_a_tab(widget)) continue;
    if (widget->inherits("QComboBoxListView") || qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) != nullptr ||
        qobject_cast<QComboBox*>(widget->parentWidget()) != nullptr)
      continue;  // has its keys from the control that it is a part of
    const auto* tabs = qobject_cast<QTabBar*>(widget);
    if (tabs == nullptr || tabs->count() > 0) wanted.insert(widget);
  }
  return wanted;
}

/// Returns the widgets that the focus reaches by `key`, from where it is until it is there again.
std::set<QWidget*> walked_by(QMainWindow& window, Qt::Key key, std::size_t limit) {
  std::set<QWidget*> reached;
  for (std::size_t i = 0; i < limit; ++i) {
    const QWidget* const before = QApplication::focusWidget();
    QTest::keyClick(QApplication::focusWidget(), key);
    if (QApplication::focusWidget() == before) qWarning() << "Tab stays at" << told(before);
    QWidget* focus = QApplication::focusWidget();
    if (focus == nullptr || focus->window() != &window) break;
    if (!reached.insert(focus).second && i > reached.size() + 4) break;
  }
  return reached;
}

QStringList told(const std::set<QWidget*>& widgets) {
  QStringList all;
  for (const QWidget* widget : widgets) all += told(widget);
  all.sort();
  return all;
}

std::set<QWidget*> without(const std::set<QWidget*>& from, const std::set<QWidget*>& those) {
  std::set<QWidget*> rest;
  std::ranges::set_difference(from, those, std::inserter(rest, rest.begin()));
  return rest;
}

}  // namespace

class KeyboardTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void tab_reaches_every_control_that_is_seen_and_no_other() {
    const TempDir folder;
    Home home(folder);
    MainWindow& window = home.window;
    window.resize(1400, 900);
    open_demo(window, 600);
    run_to_the_end(window);
    QStringList problems;
    std::set<QString> seen;
    for (const QString& id : window.docks().ids()) {
      if (window.docks().dock(id)->isHidden()) window.docks().dock(id)->show();
      window.docks().raise(id);
      QTRY_VERIFY2(!behind_a_tab(window.docks().dock(id)), qPrintable(id));  // docks move there
      test::settle();
      window.activateWindow();
      window.menuBar()->setFocus(Qt::NoFocusReason);
      window.docks().focus_next(1);
      QVERIFY2(QApplication::focusWidget() != nullptr, qPrintable(id));
      const std::set<QWidget*> wanted = wanted_in(window);
      for (const Qt::Key key : {Qt::Key_Tab, Qt::Key_Backtab}) {
        const std::set<QWidget*> reached = walked_by(window, key, 3 * wanted.size() + 20);
        for (const QString& one : told(without(wanted, reached))) problems += id + ": not reached: " + one;
        for (QWidget* one : reached)
          if (behind_a_tab(one) || !one->isVisible()) problems += id + ": reached unseen: " + told(one);
      }
      seen.insert(id);
    }
    problems.removeDuplicates();
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    QCOMPARE(seen.size(), window.docks().ids().size());
  }

  void f6_comes_to_every_panel_in_front() {
    MainWindow window;
    window.resize(1400, 900);
    window.show();
    test::settle();
    window.activateWindow();
    std::set<QString> front, reached;
    for (const QString& id : window.docks().ids())
      if (!window.docks().dock(id)->isHidden() && !behind_a_tab(window.docks().dock(id))) front.insert(id);
    QVERIFY(front.size() >= 3);
    for (std::size_t i = 0; i < front.size(); ++i) {
      QTest::keyClick(&window, Qt::Key_F6);
      for (const QString& id : front)
        if (window.docks().panel(id)->isAncestorOf(QApplication::focusWidget()) ||
            window.docks().panel(id) == QApplication::focusWidget())
          reached.insert(id);
    }
    QVERIFY(reached == front);
  }

  void a_frame_shows_which_panel_has_the_keyboard() {
    MainWindow window;
    window.resize(1400, 900);
    window.show();
    test::settle();
    window.activateWindow();
    const auto framed = [&](const QString& id) {
      return window.docks().dock(id)->widget()->grab().toImage().pixelColor(0, 0) == current_theme().accent;
    };
    const auto focused = [&](const QString& id) {
      return window.docks().panel(id) == QApplication::focusWidget() ||
             window.docks().panel(id)->isAncestorOf(QApplication::focusWidget());
    };
    for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
      apply_theme(*qApp, kind);
      for (int presses = 0; presses < 3; ++presses) {
        QTest::keyClick(&window, Qt::Key_F6);
        test::settle();
        for (const QString& id : window.docks().ids())
          if (!window.docks().dock(id)->isHidden() && !behind_a_tab(window.docks().dock(id)))
            QVERIFY2(framed(id) == focused(id), qPrintable(id));
      }
    }
    QWidget* focus = QApplication::focusWidget();
    focus->clearFocus();
    focus->setFocus(Qt::MouseFocusReason);  // a pointer shows where it is by itself
    for (const QString& id : window.docks().ids())
      if (focused(id)) QVERIFY2(!framed(id), qPrintable(id));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<KeyboardTest>};
#include "keyboard_test.moc"
