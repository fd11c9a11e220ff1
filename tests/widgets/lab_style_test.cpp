// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/lab_style.h"

#include <QTabBar>
#include <QTest>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "widgets/look/theme.h"

using namespace carryover;

class LabStyleTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }
  void cleanup() { apply_theme(*qApp, ThemeKind::Light); }

  void the_selected_tab_stands_out_in_the_dark() {
    LabStyle style;
    QTabBar tabs;
    tabs.setStyle(&style);
    for (const char* name : {"Loss", "Memory", "Time"}) tabs.addTab(QLatin1String(name));
    tabs.setCurrentIndex(1);
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
      apply_theme(*qApp, theme);
      tabs.show();
      test::settle();
      const QImage image = tabs.grab().toImage();
      for (int tab = 0; tab < tabs.count(); ++tab) {
        const QRect place = tabs.tabRect(tab);
        bool lined = false;
        for (int y = place.top(); y < place.top() + 6; ++y)
          lined |= image.pixelColor(place.center().x(), y) == current_theme().accent;
        QCOMPARE(lined, theme == ThemeKind::Dark && tab == 1);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<LabStyleTest>};
#include "lab_style_test.moc"
