// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QHelpEvent>
#include <QScrollBar>
#include <QTest>
#include <QToolTip>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "widgets/look/theme.h"
#include "widgets/runs/context_ribbon.h"

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

  /// A badge, a tooltip and the description for screen readers, and nothing of it where no sink is lost.
  void segments_that_lost_their_sink_have_a_badge() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 90);
    const RunRequest request = test::synthetic_request(8);
    test::synthetic_run(lab.run(), 8, 8, request);  // 3 and 6 have lost it
    const auto badge = [&](const QImage& picture, int segment) {
      int ink = 0;
      const QRect cell = strip.cell_rect(segment);
      for (int x = cell.right() - 9; x <= cell.right(); ++x)
        for (int y = cell.top(); y < cell.top() + 9; ++y) ink += picture.pixelColor(x, y) == current_theme().anchor;
      return ink;
    };
    const QImage picture = strip.grab().toImage();
    const auto is_lost = [&](int segment) {
      const SegmentRecord& record = lab.run().record(segment);
      return lost_sink(*record.sinks, record.length, *lab.run().record(0).sinks);
    };
    int lost = 0;
    for (int segment = 0; segment < 8; ++segment) {
      QCOMPARE(badge(picture, segment) > 5, is_lost(segment));
      QVERIFY(is_lost(segment) || badge(picture, segment) == 0);
      lost += is_lost(segment);
    }
    QCOMPARE(lost, 2);
    QVERIFY(strip.accessibleDescription().contains(QStringLiteral("lost in 2 of 8 segments: 3, 6.")));
    const auto tooltip = [&](int segment) {
      QHelpEvent help(QEvent::ToolTip, strip.cell_rect(segment).center(), {});
      QCoreApplication::sendEvent(strip.viewport(), &help);
      return QToolTip::text();
    };
    QVERIFY(tooltip(3).contains(QStringLiteral("13 % of the attention is on sinks, 53 % in segment 0")));
    QVERIFY(tooltip(3).contains(QStringLiteral("Set Sinks to 4")));
    QVERIFY(!tooltip(4).contains(QStringLiteral("lost")));
    lab.run().begin(test::synthetic_model(), request, nullptr);
    QVERIFY(!strip.accessibleDescription().contains(QStringLiteral("lost")));
  }

  void a_stopped_run_leaves_no_bar_of_progress() {
    LabContext lab;
    RibbonStrip strip(lab);
    strip.resize(900, 90);
    test::synthetic_run(lab.run(), 8, 3, test::synthetic_request(8));
    const auto has_bar = [&] {
      const QRect cell = strip.cell_rect(3);
      return strip.grab().toImage().pixelColor(cell.left() + 2, cell.bottom() - 2) == current_theme().accent;
    };
    QVERIFY(!has_bar());
    lab.run().set_progress(3 * 256 + 128);
    QVERIFY(has_bar());
    lab.run().finish({});
    QVERIFY(!has_bar());
    QCOMPARE(lab.run().tokens_done(), std::int64_t{3 * 256});
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
