// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QScrollBar>
#include <QTest>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "widgets/controls/context_ribbon.h"
#include "widgets/look/theme.h"

using namespace carryover;

class RibbonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_click_selects_the_cell_under_it() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 90);
    strip.show();
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    for (int segment = 0; segment < 12; ++segment) {
      QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, strip.cell_rect(segment).center());
      QCOMPARE(lab.selected().segment, segment);
    }
  }

  void keys_reach_every_segment() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 90);
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    QTest::keyClick(&strip, Qt::Key_End);
    QCOMPARE(lab.selected().segment, 11);
    QTest::keyClick(&strip, Qt::Key_Left);
    QCOMPARE(lab.selected().segment, 10);
    QTest::keyClick(&strip, Qt::Key_Home);
    QTest::keyClick(&strip, Qt::Key_Left);
    QCOMPARE(lab.selected().segment, 0);
    QTest::keyClick(&strip, Qt::Key_Right);
    QCOMPARE(lab.selected().segment, 1);
  }

  void thousands_of_segments_scroll_and_the_selected_one_comes_into_view() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 100);
    strip.show();
    test::synthetic_run(lab.run(), 5000, 3, test::synthetic_request(5000, 8, 4));
    lab.select_segment(4321);
    QVERIFY(strip.viewport()->rect().contains(strip.cell_rect(4321)));
    QVERIFY(!strip.grab().isNull());
    lab.select_segment(1);
    QVERIFY(strip.viewport()->rect().contains(strip.cell_rect(1)));
  }

  void colours_follow_the_chosen_value() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 90);
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    QStringList scales;
    QList<QImage> pictures;
    using Value = RibbonStrip::Value;
    for (const Value value : {Value::Loss, Value::Perplexity, Value::CarryNorm, Value::Hits}) {
      strip.set_value(value);
      scales += strip.scale_text();
      pictures += strip.grab().toImage();
    }
    for (int i = 0; i < 4; ++i) {
      QVERIFY(!scales[i].isEmpty());
      for (int j = 0; j < i; ++j) QVERIFY(scales[i] != scales[j]);
    }
    QVERIFY(pictures[0] != pictures[2]);
  }

  void arcs_run_only_where_hits_come_from() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 90);
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    const auto arc_ink = [&](int reader) {
      lab.select_segment(reader);
      const QImage picture = strip.grab().toImage();
      int count = 0;
      for (int y = 0; y < strip.cell_rect(0).top() - 4; ++y)
        for (int x = 0; x < picture.width(); ++x) count += picture.pixelColor(x, y) != current_theme().background;
      return count;
    };
    QCOMPARE(arc_ink(0), 0);  // nothing to retrieve from
    QVERIFY(arc_ink(7) > 100);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RibbonTest>};
#include "ribbon_test.moc"
