// SPDX-License-Identifier: GPL-3.0-or-later
// The state that views share, and that one keeps for itself: pinned segment, brushed range, the cursor, unlinked
// panels.
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "widgets/inspection/hits_panel.h"
#include "widgets/inspection/retrieval_map_panel.h"
#include "widgets/lab/segment_cursor.h"
#include "widgets/look/theme.h"
#include "widgets/runs/context_ribbon.h"
#include "widgets/runs/loss_panel.h"
#include "widgets/runs/memory_panel.h"
#include "widgets/text/text_panel.h"
#include "widgets/text/token_view.h"

using namespace carryover;

namespace {

void drag(RibbonStrip& strip, int from, int to) {
  QTest::mousePress(strip.viewport(), Qt::LeftButton, {}, strip.cell_rect(from).center());
  for (const int segment : {(from + to) / 2, to}) {  // QTest::mouseMove holds no button down
    const QPointF at = strip.cell_rect(segment).center();
    QMouseEvent move(QEvent::MouseMove, at, strip.viewport()->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(strip.viewport(), &move);
  }
  QTest::mouseRelease(strip.viewport(), Qt::LeftButton, {}, strip.cell_rect(to).center());
}

void show(QWidget& widget, const QSize& size = {900, 400}) {
  widget.resize(size);
  widget.show();
  test::settle();
}

}  // namespace

class LinkedSelectionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void a_drag_filters_every_view_and_is_undone() {
    LabContext lab;
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    RibbonStrip strip(lab);
    LossPanel loss(lab);
    MemoryPanel memory(lab);
    HitsPanel hits(lab);
    RetrievalMapPanel map(lab);
    lab.select_head(8, 1);
    hits.findChild<QComboBox*>()->setCurrentIndex(2);  // the selected head, all segments
    for (QWidget* widget : std::initializer_list<QWidget*>{&strip, &loss, &memory, &hits, &map}) show(*widget);
    auto* rows = hits.findChild<QTableView*>()->model();
    QCOMPARE(rows->rowCount(), 11 * 32);
    drag(strip, 7, 3);
    QCOMPARE(lab.range(), (SegmentRange{3, 7}));
    test::settle();
    const auto points = loss.plots()[0]->drawn_points(0);
    QCOMPARE(points.size(), std::size_t{5});
    QCOMPARE(points.front().first, 3.0);
    QCOMPARE(memory.plots()[0]->drawn_points(1).size(), std::size_t{5});
    QCOMPARE(rows->rowCount(), 5 * 32);
    QVERIFY(map.plots()[0]->view().bottom() < 5);
    lab.undo_stack().undo();
    test::settle();
    QVERIFY(!lab.range().is_set());
    QCOMPARE(loss.plots()[0]->drawn_points(0).size(), std::size_t{12});
    QCOMPARE(rows->rowCount(), 11 * 32);
    lab.undo_stack().redo();
    QCOMPARE(lab.range(), (SegmentRange{3, 7}));
    QTest::keyClick(&strip, Qt::Key_Escape);
    QVERIFY(!lab.range().is_set());
    lab.undo_stack().undo();
    QCOMPARE(lab.range(), (SegmentRange{3, 7}));
  }

  void a_click_filters_nothing_and_keys_extend() {
    LabContext lab;
    RibbonStrip strip(lab);
    show(strip, {900, 90});
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, strip.cell_rect(5).center());
    QVERIFY(!lab.range().is_set());
    QTest::keyClick(&strip, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(&strip, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(lab.range(), (SegmentRange{5, 7}));
    QTest::keyClick(&strip, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(lab.range(), (SegmentRange{5, 6}));
    QCOMPARE(lab.selected().segment, 6);
  }

  void a_range_stays_only_where_the_next_run_has_it() {
    LabContext lab;
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    lab.brush({2, 9});
    test::synthetic_run(lab.run(), 12, 3, test::synthetic_request(12));
    QCOMPARE(lab.range(), (SegmentRange{2, 9}));
    test::synthetic_run(lab.run(), 8, 3, test::synthetic_request(8));
    QVERIFY(!lab.range().is_set());
  }

  void an_unlinked_panel_stays() {
    LabContext lab;
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    lab.select({3, 8, 1, -1});
    HitsPanel kept(lab), following(lab);
    for (HitsPanel* panel : {&kept, &following}) {
      panel->findChild<QComboBox*>()->setCurrentIndex(0);  // selected segment and head
      show(*panel);
    }
    auto* toggle = kept.findChild<QToolButton*>(QStringLiteral("sync_toggle"));
    QVERIFY(toggle->isChecked());
    toggle->click();
    QVERIFY(!kept.linked());
    const auto first = [](HitsPanel& panel) {
      return panel.findChild<QTableView*>()->model()->index(0, HitsModel::Segment).data().toInt();
    };
    lab.select({6, 3, 0, -1});
    test::settle();
    QCOMPARE(first(kept), 3);
    QCOMPARE(first(following), 6);
    // Its own jumps stay inside.
    auto* table = kept.findChild<QTableView*>();
    Q_EMIT table->activated(table->model()->index(5, 0));
    QCOMPARE(lab.selected(), (Selection{6, 3, 0, -1}));
    toggle->click();
    test::settle();
    QCOMPARE(first(kept), 6);
  }

  void an_unlinked_panel_forgets_a_run_that_is_gone() {
    LabContext lab;
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    lab.select({7, 8, 1, -1});
    HitsPanel panel(lab);
    show(panel);
    panel.set_linked(false);
    test::synthetic_run(lab.run(), 2, 2, test::synthetic_request(2));
    test::settle();
    QVERIFY(!panel.linked());
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 6 * 32);  // of segment 1, the newest
  }

  void one_cursor_goes_through_all_plots_over_segments() {
    LabContext lab;
    test::synthetic_run(lab.run(), 10, 10, test::synthetic_request(10));
    LossPanel loss(lab);
    MemoryPanel memory(lab);
    show(loss);
    show(memory);
    lab.select_segment(2);
    test::settle();
    auto *in_loss = loss.findChild<SegmentCursor*>(), *in_memory = memory.findChild<SegmentCursor*>();
    for (const QLabel* label : {in_loss, in_memory}) QVERIFY(label->toolTip().startsWith(QLatin1String("segment 2 ")));
    Selection hovered;
    hovered.segment = 7;
    lab.hover(hovered);
    for (const QLabel* label : {in_loss, in_memory}) QVERIFY(label->toolTip().startsWith(QLatin1String("segment 7 ")));
    QVERIFY(!in_loss->toolTip().contains(u'Δ'));
    lab.pin({4, -1, -1, -1});
    const auto mean = [&](int segment) {
      return lab.run().record(segment).nll_sum / static_cast<double>(lab.run().record(segment).targets);
    };
    const QString change = QLocale().toString(mean(7) - mean(4), 'g', 4);
    QVERIFY2(loss.plots()[0]->values_at(7).contains(QStringLiteral("Δ ")), qPrintable(loss.plots()[0]->values_at(7)));
    QVERIFY2(loss.plots()[0]->values_at(7).contains(change), qPrintable(loss.plots()[0]->values_at(7) + change));
    QVERIFY(in_loss->toolTip().contains(QStringLiteral("Δ to segment 4")));
    lab.hover({});
    QVERIFY(in_memory->toolTip().startsWith(QLatin1String("segment 2 ")));
    lab.pin({});
    QVERIFY(!in_loss->toolTip().contains(u'Δ'));
  }

  void the_ribbon_pins_by_key_and_shows_it() {
    LabContext lab;
    RibbonStrip strip(lab);
    show(strip, {900, 90});
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    lab.select_segment(5);
    const QImage before = strip.grab().toImage();
    QTest::keyClick(&strip, Qt::Key_P);
    QCOMPARE(lab.pinned().segment, 5);
    QVERIFY(strip.grab().toImage() != before);
    QTest::keyClick(&strip, Qt::Key_P);
    QCOMPARE(lab.pinned().segment, -1);
    lab.pin({5, -1, -1, -1});
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    QCOMPARE(lab.pinned().segment, -1);
  }

  void the_text_is_coloured_by_the_change_of_loss() {
    LabContext lab;
    test::synthetic_run(lab.run(), 2, 2, test::synthetic_request(2, 64));
    TextPanel panel(lab);
    show(panel);
    auto* colour = panel.findChild<QComboBox*>();
    const int index = static_cast<int>(TokenView::Colouring::LossChange);
    QVERIFY(!colour->model()->flags(colour->model()->index(index, 0)).testFlag(Qt::ItemIsEnabled));
    lab.pin_run();
    QVERIFY(colour->model()->flags(colour->model()->index(index, 0)).testFlag(Qt::ItemIsEnabled));
    colour->setCurrentIndex(static_cast<int>(TokenView::Colouring::None));
    const QImage plain = panel.findChild<TokenView*>()->grab().toImage();
    colour->setCurrentIndex(index);
    QCOMPARE(panel.findChild<TokenView*>()->grab().toImage(), plain);  // a run against itself: no change, no colour
    RunRequest request = test::synthetic_request(2, 64);
    lab.run().begin(test::synthetic_model(), request, nullptr);
    for (int segment = 0; segment < 2; ++segment) {
      auto worse = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(lab.run(), segment));
      for (float& loss : worse->target_nll) loss += 1.5F;
      lab.run().append(std::move(worse));
    }
    test::settle();
    QVERIFY(panel.findChild<TokenView*>()->grab().toImage() != plain);
    lab.unpin_run();
    QCOMPARE(colour->currentIndex(), 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<LinkedSelectionTest>};
#include "linked_selection_test.moc"
