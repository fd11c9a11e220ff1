// SPDX-License-Identifier: GPL-3.0-or-later
// The window on the real engine and the demo.
#include "app/window/main_window.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "app/start/startup.h"
#include "app/window/message_bar.h"
#include "engine/formats/output_file.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;

namespace {

constexpr int patience_ms = 240'000;

QString demo() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
}

void open_demo(MainWindow& window, std::int64_t tokens) {
  RunOptions options;
  options.token_limit = tokens;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().loader.open_model(demo());
  window.lab().loader.open_text(demo() + QStringLiteral("/text.txt"));
}

void run_to_the_end(MainWindow& window) {
  QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
  window.lab().runs.run_when_ready();
  QVERIFY(ended.wait(patience_ms));
}

}  // namespace

class MainWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_message_leaves_the_docks_as_it_found_them() {
    MainWindow window;
    window.resize(1400, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    test::settle();
    const QDockWidget* bottom = window.docks().dock(QStringLiteral("loss"));
    const int height = bottom->height();
    QVERIFY(height > 50);
    for (int times = 0; times < 3; ++times) {
      window.show_error({Fault::BadInput, QStringLiteral("text.txt"), QStringLiteral("is empty"),
                         QStringLiteral("Choose another one.")});
      test::settle();
      QVERIFY(window.message_bar().isVisible());
      QCOMPARE(bottom->height(), height);
      window.message_bar().hide();
      test::settle();
      QCOMPARE(bottom->height(), height);
    }
  }

  /// The message has any length and the window any width, and a panel comes forward with it.
  void a_message_of_any_length_leaves_the_docks() {
    const QStringList below = panels_of(PanelArea::Bottom);
    QVERIFY(below.size() >= 2);
    for (const QSize size : {QSize(1024, 700), QSize(1400, 900)}) {
      MainWindow window;
      window.resize(size);
      window.show();
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      test::settle();
      const auto height = [&] {
        for (const QString& id : below)
          if (window.docks().panel(id)->is_seen()) return window.docks().dock(id)->height();
        return -1;
      };
      const int before = height();
      QVERIFY(before > 50);
      for (const int words : {1, 8, 20}) {
        const QString said = QStringLiteral("is not what it says ").repeated(words);
        for (const QString& front : {below[0], below[1]}) {
          window.show_error({Fault::BadInput, QStringLiteral("text.txt"), said, said});
          window.docks().raise(front);
          test::settle();
          const int with = height();
          window.message_bar().hide();
          test::settle();
          QVERIFY2(with == before && height() == before,
                   qPrintable(
                       QStringLiteral("%1 %2: %3, %4, %5").arg(words).arg(front).arg(before).arg(with).arg(height())));
        }
      }
    }
  }

  /// As the layout has it, and as the user has dragged it.
  void another_size_of_the_window_keeps_the_share_of_the_lower_row() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    test::settle();
    QDockWidget *const top = window.docks().dock(QStringLiteral("text")), *const bottom = window.docks().dock(
                                                                              QStringLiteral("loss"));
    const auto share = [&] { return static_cast<double>(bottom->height()) / (bottom->height() + top->height()); };
    const int arranged = bottom->height();
    for (const int dragged : {0, 60}) {
      const QPoint line(top->geometry().center().x(), top->geometry().bottom() + 2);
      QTest::mousePress(&window, Qt::LeftButton, {}, line);
      QTest::mouseMove(&window, line - QPoint(0, dragged));
      test::settle();
      QTest::mouseRelease(&window, Qt::LeftButton, {}, line - QPoint(0, dragged));
      test::settle();
      QCOMPARE(bottom->height() > arranged, dragged > 0);
      const double before = share();
      const int height = bottom->height();
      for (const QSize size : {QSize(1900, 1180), QSize(1024, 760), QSize(1280, 1000), QSize(1280, 800)}) {
        window.resize(size);
        test::settle();
        const bool kept = size.height() < 800 || share() > before - 0.03;  // panels above need their height
        QVERIFY2(kept && share() < before + 0.03,
                 qPrintable(QStringLiteral("%1 px high: %2, was %3").arg(size.height()).arg(share()).arg(before)));
      }
      QVERIFY(std::abs(bottom->height() - height) <= 2);
    }
  }

  /// Qt tells a button whose menu has opened a dialog nothing of the mouse that left it meanwhile.
  void no_button_stays_highlighted_behind_a_dialog() {
    MainWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QCursor::setPos(window.mapToGlobal(QPoint(window.width() / 2, window.height() / 2)));
    test::settle();
    for (QToolButton* button : window.findChild<LabToolbar*>()->findChildren<QToolButton*>())
      button->setAttribute(Qt::WA_UnderMouse);
    QEvent activated(QEvent::WindowActivate);
    QApplication::sendEvent(&window, &activated);
    for (const QToolButton* button : window.findChild<LabToolbar*>()->findChildren<QToolButton*>())
      QVERIFY(!button->underMouse());
  }

  void progress_is_told_in_one_line() {
    MainWindow window;
    const QString long_text = QStringLiteral("Reading a file whose name is longer than the whole toolbar is wide");
    window.meters().show_fetching(0.5, long_text);
    const auto meters = window.findChildren<QProgressBar*>();
    const auto meter = std::ranges::find(meters, StatusMeters::tr("Progress"), &QProgressBar::accessibleName);
    QVERIFY(meter != meters.end());
    QVERIFY((*meter)->fontMetrics().horizontalAdvance((*meter)->format()) < (*meter)->minimumWidth());
    QCOMPARE((*meter)->toolTip(), long_text);
  }

  void fits_a_small_screen() {
    MainWindow window;
    window.resize(1280, 760);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    test::settle();
    QStringList heights;
    for (const QString& id : window.docks().ids())
      heights += QStringLiteral("%1 %2").arg(id).arg(window.docks().panel(id)->minimumSizeHint().height());
    QVERIFY2(window.size() == QSize(1280, 760), qPrintable(heights.join(", ")));
  }

  /// Whatever they say at the moment: a panel without the room for it scrolls.
  void panels_neither_grow_the_window_nor_cut_their_texts() {
    const QSize size(1024, 700);
    MainWindow window;
    window.resize(size);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    open_demo(window, 300);
    run_to_the_end(window);
    SegmentConfig config = window.lab().context.config();
    config.carry_length /= 2;  // differs from training, which the grid says in several lines
    window.lab().context.edit_config(config, QStringLiteral("carry"));
    for (const QString& id : window.docks().ids()) {
      Panel* panel = window.docks().panel(id);
      window.docks().raise(id);
      QTRY_VERIFY(panel->is_seen());
      panel->catch_up();
      test::settle();
      QVERIFY2(window.size() == size,
               qPrintable(QStringLiteral("%1: %2×%3").arg(id).arg(window.width()).arg(window.height())));
      int texts = 0;
      for (const QLabel* label : panel->findChildren<QLabel*>()) {
        if (!label->isVisible() || !label->wordWrap()) continue;
        ++texts;
        const QString said = QStringLiteral("%1, %2 of %3 px: %4").arg(id).arg(label->height());
        QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                 qPrintable(said.arg(label->heightForWidth(label->width())).arg(label->text())));
      }
      if (id == QLatin1String("grid")) QVERIFY(texts >= 2);
    }
  }

  void runs_the_demo_and_shows_every_segment() {
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    const RunModel& run = window.lab().context.run();
    QVERIFY(run.finished());
    QCOMPARE(run.token_count(), std::int64_t{1000});
    QCOMPARE(run.segment_count(), run.expected_segments());
    QVERIFY(run.summary().ppl().has_value());
    std::int64_t targets = 0;
    for (int segment = 0; segment < run.segment_count(); ++segment) targets += run.record(segment).targets;
    QCOMPARE(targets, run.summary().targets);
    for (const QString& id : window.docks().ids()) {
      window.docks().raise(id);
      QVERIFY(QTest::qWaitFor([&] { return window.docks().panel(id)->isVisible(); }));
      QVERIFY(!window.docks().panel(id)->grab().isNull());
    }
  }

  void a_text_that_can_not_be_read_leaves_the_run() {
    const test::TempDir folder;
    const QString good = QString::fromStdString(folder.file("good.txt")),
                  bad = QString::fromStdString(folder.file("bad.txt"));
    write_file_atomically(good.toStdString(), "Another text, of a few words.");
    write_file_atomically(bad.toStdString(), "no UTF-8: \xff\xfe");
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    RunController& runs = window.lab().runs;
    const RunModel& run = window.lab().context.run();
    QTRY_VERIFY_WITH_TIMEOUT(runs.can_run(), patience_ms);
    runs.run(2);  // the engine waits within segment 2
    QTRY_VERIFY_WITH_TIMEOUT(runs.engine_paused() && run.segment_count() == 2, patience_ms);
    const std::string id = run.origin().id;
    QSignalSpy failed(&window.lab(), &Lab::failed);
    const auto refuses = [&](const auto& open) {
      failed.clear();
      open();
      return failed.wait(patience_ms) && window.message_bar().isVisible() &&
             QTest::qWaitFor([&] { return !window.lab().loader.loading(); }, patience_ms) &&
             runs.state() == RunController::State::Running;
    };
    QVERIFY(refuses([&] { window.open_path(bad); }));
    QVERIFY(refuses([&] { window.open_path(bad + QStringLiteral(".none")); }));
    QVERIFY(refuses([&] { window.lab().open_pasted_text({}); }));
    QVERIFY(run.origin().id == id && !run.finished());
    window.open_path(good);
    QTRY_VERIFY_WITH_TIMEOUT(run.finished() && run.text_name() == good, patience_ms);
    QVERIFY(!run.summary().cancelled);
  }

  void selections_and_edits_can_be_taken_back() {
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    LabContext& lab = window.lab().context;
    lab.select_segment(1);
    lab.select_head(1, 0);
    lab.go_back();
    QCOMPARE(lab.selected().segment, 1);
    const SegmentConfig before = lab.config();
    SegmentConfig after = before;
    after.carry_length = 5;
    lab.edit_config(after, QStringLiteral("carry"));
    run_to_the_end(window);
    QCOMPARE(lab.run().request().config.carry_length, std::int64_t{5});
    lab.undo_stack().undo();
    QCOMPARE(lab.config(), before);
  }

  void exports_plots_and_the_run() {
    const test::TempDir folder;
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    const QString plots = QString::fromStdString(folder.file("plots"));
    window.exports().export_plots(plots);
    QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));
    for (const char* suffix : {"png", "pdf", "svg", "csv"})
      QVERIFY(!QDir(plots).entryList({QStringLiteral("*.%1").arg(QLatin1String(suffix))}).isEmpty());
    QSignalSpy saved(&window.lab().runs, &RunController::saved);
    const QString run = QString::fromStdString(folder.file("run"));
    window.lab().runs.save_run(run);
    QVERIFY(saved.wait(patience_ms));
    const StoredRun stored = read_run_folder(run.toStdString());
    QCOMPARE(static_cast<int>(stored.segments.size()), window.lab().context.run().segment_count());
    QCOMPARE(static_cast<std::int64_t>(stored.target_nll.size()), window.lab().context.run().summary().targets);
  }

  void the_window_outlives_bad_input() {
    const test::TempDir folder;
    MainWindow window;
    window.show();
    open_demo(window, 500);
    run_to_the_end(window);
    QSignalSpy failed(&window.lab().runs, &RunController::failed);
    const QString bad = QString::fromStdString(folder.file("bad.gguf"));
    write_file_atomically(bad.toStdString(), "GGUF but not quite");
    window.open_path(bad);
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(!window.message_bar().isHidden());
    QVERIFY(window.message_bar().text().contains(QStringLiteral("bad.gguf")));
    window.open_path(QString::fromStdString(folder.file("missing.txt")));
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(window.message_bar().text().contains(QStringLiteral("missing.txt")));
    run_to_the_end(window);  // what was open before still runs
    QVERIFY(window.message_bar().isHidden());
  }

  void a_dtype_that_is_chosen_while_the_engine_is_busy_waits_for_its_turn() {
    MainWindow window;
    open_demo(window, 300);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    Lab& lab = window.lab();
    QSignalSpy failed(&lab, &Lab::failed);
    const auto choose = [&](DType dtype) {
      RunOptions options = lab.context.run_options();
      options.dtype = dtype;
      lab.context.set_run_options(options);
    };
    lab.engine.set_busy(QStringLiteral("a test is using the engine"));
    choose(DType::Float64);
    QVERIFY(!lab.loader.loading());
    lab.engine.set_busy({});
    QTRY_VERIFY_WITH_TIMEOUT(lab.runs.can_run(), patience_ms);
    QCOMPARE(lab.loader.model()->info.dtype, DType::Float64);
    lab.engine.set_busy(QStringLiteral("a test is using the engine"));
    choose(DType::Float32);
    choose(DType::Float64);  // as it is
    lab.engine.set_busy({});
    QVERIFY(!lab.loader.loading());
    QCOMPARE(failed.count(), 0);
  }

  void posted_events_are_handled_while_the_engine_is_latched() {
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    QSignalSpy appended(&window.lab().context.run(), &RunModel::segments_appended);
    window.lab().runs.run(1);  // the engine stops by itself in the middle of segment 1
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.engine_paused() && appended.count() == 1, patience_ms);
    int handled = 0;
    for (int i = 0; i < 100; ++i) {
      QMetaObject::invokeMethod(
          &window, [&handled] { ++handled; }, Qt::QueuedConnection);
      QCoreApplication::processEvents();
    }
    QCOMPARE(handled, 100);
    window.lab().context.select_segment(0);
    window.docks().raise(QStringLiteral("memory"));
    QVERIFY(!window.grab().isNull());
    QCOMPARE(appended.count(), 1);
    QCOMPARE(ended.count(), 0);
    window.lab().runs.pause();
    const double speed = window.lab().runs.tokens_per_second();
    QVERIFY(speed > 0);
    QTest::qWait(50);
    QCOMPARE(window.lab().runs.tokens_per_second(), speed);  // a pause is no time of the run
    window.lab().runs.resume();
    QVERIFY(ended.wait(patience_ms));
    QCOMPARE(window.lab().context.run().segment_count(), window.lab().context.run().expected_segments());
  }

  void a_stop_keeps_what_is_done_and_the_window_closes_while_running() {
    MainWindow window;
    window.show();
    open_demo(window, 1000);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    window.lab().runs.run(2);
    QTRY_COMPARE_WITH_TIMEOUT(window.lab().context.run().segment_count(), 2, patience_ms);
    window.lab().runs.stop();
    QVERIFY(ended.wait(patience_ms));
    const RunModel& run = window.lab().context.run();
    QVERIFY(run.summary().cancelled);
    QCOMPARE(run.segment_count(), 2);
    QCOMPARE(run.tokens_done(), run.tokens_after(1));  // nothing of the segment that was under way
    QVERIFY(std::ranges::any_of(window.findChildren<QProgressBar*>(), [](const QProgressBar* meter) {
      return meter->format().contains(StatusMeters::tr("%1 · stopped").arg(QString()));
    }));
    window.lab().runs.run(1);  // left latched: the destructor must still end it
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<MainWindowTest>};
#include "main_window_test.moc"
