// SPDX-License-Identifier: GPL-3.0-or-later
// The window over a run that is on disk: what it reads of it, and what it does when the disk fails it.
#include <QFile>
#include <filesystem>

#include "app/window/message_bar.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/same_map.h"
#include "tests/support/temp_dir.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

class SpilledRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    MainWindow window;
    open_demo(window, 3200);
    run_to_the_end(window);
    QSignalSpy saved(&window.lab().runs, &RunController::saved);
    window.lab().runs.save_run(folder());
    QVERIFY(saved.wait(patience_ms));
  }

  void init() { fail_on_qt_warnings(); }

  void no_view_reads_all_segments() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    open(window);
    RunModel& run = window.lab().context.run();
    QCOMPARE(run.segment_count(), 50);
    QVERIFY(run.segments_loaded() <= 1);  // the one that is shown
    window.lab().context.select({30, 3, 2, -1});
    for (const QString& id : window.docks().ids()) {
      window.docks().raise(id);
      window.docks().panel(id)->catch_up();
      QCoreApplication::processEvents();
    }
    window.lab().context.brush({10, 40});
    QCoreApplication::processEvents();
    QVERIFY(run.segments_loaded() <= 3);
    QVERIFY(run.hit_counts(30).size() > 8);
    window.lab().context.pin_run();  // what is compared is in memory
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents();
    QVERIFY(run.segments_loaded() <= 3);
    QCOMPARE(window.lab().context.comparison()->total_overlap().jaccard(), std::optional(1.0));
  }

  void an_opened_run_is_the_one_that_was_saved() {
    MainWindow live, reopened;
    open_demo(live, 3200);
    run_to_the_end(live);
    open(reopened);
    const RunModel &a = reopened.lab().context.run(), &b = live.lab().context.run();
    QCOMPARE(a.segment_count(), b.segment_count());
    for (int i = 0; i < a.segment_count(); ++i) {
      QVERIFY(a.snapshot(i).hits == b.snapshot(i).hits);
      QVERIFY(a.snapshot(i).target_nll == b.snapshot(i).target_nll);
      QVERIFY(same_map(a.snapshot(i).carry_key_norm, b.snapshot(i).carry_key_norm));
      QCOMPARE(a.digest(i).anchors, b.digest(i).anchors);
    }
  }

  void a_run_cut_on_disk_is_told_and_the_window_goes_on() {
    const TempDir copy;
    const QString path = QString::fromStdString(copy.file("run"));
    fs::copy(folder().toStdString(), path.toStdString());
    MainWindow window;
    window.show();
    QSignalSpy opened(&window.lab().runs, &RunController::run_opened);
    window.lab().runs.open_run(path);
    QVERIFY(opened.wait(patience_ms));
    const fs::path hits = fs::path(path.toStdString()) / "hits.jsonl";
    fs::resize_file(hits, fs::file_size(hits) / 3);
    window.lab().context.select({45, 3, 2, -1});
    QTRY_VERIFY_WITH_TIMEOUT(!window.message_bar().isHidden(), patience_ms);
    QVERIFY(window.message_bar().text().contains(QStringLiteral("hits.jsonl")));
    const HeadHits* left = window.lab().context.run().hits(45, 3, 2);
    QVERIFY(left && !left->hits.empty());  // positions and kinds are in memory
    window.lab().context.select({5, 3, 2, -1});
    QVERIFY(!std::isnan(window.lab().context.run().hits(5, 3, 2)->hits.front().score));  // what is there still reads
    for (const QString& id : window.docks().ids()) window.docks().raise(id);
    QCoreApplication::processEvents();
  }

  void without_a_place_of_its_own_a_run_spills_to_a_file_without_a_name() {
    MainWindow window;
    open_demo(window, 1280);
    run_to_the_end(window);
    const auto segments = window.lab().context.run().segments();
    QCOMPARE(segments->count(), 20);
    QVERIFY(dynamic_cast<const HeldSegments*>(segments.get()) == nullptr);
    QVERIFY(segments->load(7)->hits == window.lab().context.run().snapshot(7).hits);
  }

 private:
  QString folder() const { return QString::fromStdString(temp_.file("run")); }
  void open(MainWindow& window) {
    QSignalSpy opened(&window.lab().runs, &RunController::run_opened);
    window.lab().runs.open_run(folder());
    QVERIFY(opened.wait(patience_ms));
    QCoreApplication::processEvents();
  }

  TempDir temp_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SpilledRunTest>};
#include "spilled_run_test.moc"
