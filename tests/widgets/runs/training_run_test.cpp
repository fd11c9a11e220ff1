// SPDX-License-Identifier: GPL-3.0-or-later
// Training on the real engine and the demo, from the dialog to the run's folder and back.
#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/faults/full_disk.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/lab/panel.h"
#include "widgets/look/theme.h"
#include "widgets/plot/plot_view.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"

using namespace carryover;

/// Replaces the system's function, for FullDisk.
extern "C" ssize_t pwrite(int descriptor, const void* bytes, std::size_t count, off_t offset) {
  return test::full_disk_pwrite(descriptor, bytes, count, offset);
}

namespace {

constexpr int patience_ms = 240'000;

QString demo() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
}

void open_demo(MainWindow& window) {
  window.show();
  RunOptions options;
  options.token_limit = 400;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().loader.open_model(demo());
  window.lab().loader.open_text(demo() + QStringLiteral("/text.txt"));
  QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
}

TrainingPlan plan_for(const std::string& output, std::int64_t steps) {
  TrainingPlan plan;
  plan.model = demo().toStdString();
  plan.data = {CARRYOVER_SOURCE_DIR "/LICENSE"};  // of which the demo has read nothing
  plan.output_dir = output;
  plan.dtype = DType::Float32;
  plan.threads = 1;
  plan.config.segment_length = 32;
  plan.config.carry_length = plan.config.retrieval_length = 8;
  plan.config.query_length = 8;
  plan.config.grouping = Grouping({1}, {{0}});
  plan.training.max_steps = steps;
  plan.training.gradient_accumulation_steps = 2;
  plan.training.train_segments = 3;
  plan.training.learning_rate = 1e-3;
  plan.training.save_steps = 50;
  plan.training.on_alert = AlertPolicy::Skip;
  return plan;
}

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

QToolButton* message_button(MainWindow& window, const QString& text) {
  for (QToolButton* each : window.message_bar().findChildren<QToolButton*>(QStringLiteral("offer")))
    if (each->text() == text) return each;
  return nullptr;
}

QAction* action(const QWidget& window, const QString& text) {
  for (QAction* each : window.findChildren<QAction*>())
    if (each->text() == text) return each;
  return nullptr;
}

TrainingModel* current(MainWindow& window) {
  return window.lab().context.training().current();
}

void expect_state(MainWindow& window, TrainingState state) {
  QTRY_VERIFY_WITH_TIMEOUT(current(window) != nullptr && current(window)->state() == state, patience_ms);
}

void train_to_the_end(MainWindow& window, const TrainingPlan& plan) {
  window.lab().training.start(plan);
  expect_state(window, TrainingState::Finished);
}

}  // namespace

class TrainingRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void the_dialog_starts_a_run_that_pauses_stops_and_goes_on() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    FinetuneDialog* dialog = window.dialogs().open_finetune();
    QVERIFY(dialog->plan().has_value());  // filled in from what is open
    QCOMPARE(dialog->plan()->model, window.lab().loader.model()->info.path);
    dialog->set_plan(plan_for(folder.file("run"), 1'000'000));
    QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
    button(*dialog, FinetuneDialog::tr("Start"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(current(window) != nullptr && current(window)->step_count() >= 3, patience_ms);
    QVERIFY(!window.lab().runs.can_run());
    QVERIFY(action(window, LabToolbar::tr("Run"))->toolTip().contains(window.lab().engine.busy()));
    for (const char* id : {"training", "reach", "training_runs"}) {
      window.docks().raise(QLatin1String(id));
      QTRY_VERIFY(window.docks().panel(QLatin1String(id))->isVisible());
      window.docks().panel(QLatin1String(id))->catch_up();
      QVERIFY(!window.docks().panel(QLatin1String(id))->plots().front()->is_empty());
    }
    action(window, LabToolbar::tr("Pause"))->trigger();
    expect_state(window, TrainingState::Paused);
    const std::size_t at_pause = current(window)->step_count();
    QTest::qWait(300);
    QVERIFY(current(window)->step_count() <= at_pause + 1);  // one may have been on its way
    const std::size_t paused = current(window)->step_count();
    QTest::qWait(300);
    QCOMPARE(current(window)->step_count(), paused);
    action(window, LabToolbar::tr("Resume"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(current(window)->step_count() >= paused + 2, patience_ms);
    action(window, LabToolbar::tr("Stop"))->trigger();
    expect_state(window, TrainingState::Stopped);
    QVERIFY(window.lab().runs.can_run());
    QVERIFY(!current(window)->checkpoint().isEmpty());
    const std::size_t stopped = current(window)->step_count();
    window.lab().training.resume_run(current(window)->directory());
    QTRY_VERIFY_WITH_TIMEOUT(current(window)->step_count() >= stopped + 2, patience_ms);
    window.lab().training.stop();
    expect_state(window, TrainingState::Stopped);
    const auto& steps = current(window)->column(TrainingColumn::Step);
    for (std::size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i], static_cast<double>(i + 1));
    QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));
  }

  void going_on_gives_the_losses_of_a_run_that_never_stopped() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    const std::int64_t steps = 8;
    train_to_the_end(window, plan_for(folder.file("whole"), steps));
    const std::vector<double> whole = current(window)->column(TrainingColumn::Loss);
    QCOMPARE(whole.size(), static_cast<std::size_t>(steps));
    QVERIFY(whole.back() < whole.front());
    window.lab().training.start(plan_for(folder.file("parts"), steps));
    QTRY_VERIFY_WITH_TIMEOUT(current(window)->step_count() >= 3 || !window.lab().training.active(), patience_ms);
    window.lab().training.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!window.lab().training.active(), patience_ms);
    if (current(window)->state() == TrainingState::Stopped)
      window.lab().training.resume_run(current(window)->directory());
    expect_state(window, TrainingState::Finished);
    QCOMPARE(current(window)->column(TrainingColumn::Loss), whole);
  }

  void a_step_that_was_kept_is_seen_like_a_run() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    train_to_the_end(window, plan_for(folder.file("run"), 6));
    TrainingRuns& runs = window.lab().context.training();
    qsizetype kept = -1;
    for (qsizetype i = 0; i < 6; ++i)
      if (current(window)->snapshot(static_cast<std::size_t>(i))) kept = i;
    QVERIFY(kept >= 0);
    runs.select_step(kept);
    const RunModel& run = window.lab().context.run();
    QCOMPARE(run.segment_count(), 3);
    QVERIFY(run.finished());
    QVERIFY(!run.snapshot(1).hits.empty());
    QCOMPARE(run.token_count(), std::int64_t{96});
    QVERIFY(run.summary().ppl().has_value());
  }

  void a_dry_run_measures_and_leaves_no_trace() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    QSignalSpy done(&window.lab().training, &TrainController::dry_run_done);
    FinetuneDialog* dialog = window.dialogs().open_finetune();
    dialog->set_plan(plan_for(folder.file("run"), 10));
    button(*dialog, FinetuneDialog::tr("Dry run"))->click();
    QVERIFY(done.wait(patience_ms));
    const DryRun result = done.at(0).at(0).value<DryRun>();
    QVERIFY(result.step.memory.weights > 0);
    QVERIFY(result.step.seconds > 0);
    QVERIFY(!std::filesystem::exists(folder.file("run")));
    QVERIFY(window.lab().runs.can_run());
    QCOMPARE(window.lab().context.training().count(), 0);
  }

  void a_folder_is_opened_and_followed_while_another_writes_it() {
    const test::TempDir folder;
    MainWindow writer, reader;
    open_demo(writer);
    reader.show();
    writer.lab().training.start(plan_for(folder.file("run"), 16));
    QTRY_VERIFY_WITH_TIMEOUT(current(writer) != nullptr && current(writer)->step_count() >= 2, patience_ms);
    reader.open_path(QString::fromStdString(folder.file("run")));
    QTRY_VERIFY_WITH_TIMEOUT(current(reader) != nullptr && current(reader)->step_count() >= 1, patience_ms);
    expect_state(writer, TrainingState::Finished);
    expect_state(reader, TrainingState::Finished);
    for (const TrainingColumn column : {TrainingColumn::Step, TrainingColumn::Loss, TrainingColumn::GradientNorm})
      QCOMPARE(current(reader)->column(column), current(writer)->column(column));
    QCOMPARE(current(reader)->validations().size(), current(writer)->validations().size());
    QVERIFY2(reader.message_bar().isHidden(), qPrintable(reader.message_bar().text()));
  }

  void the_folder_in_training_can_be_opened_and_no_step_comes_twice() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    window.lab().training.start(plan_for(folder.file("run"), 1'000'000));
    QTRY_VERIFY_WITH_TIMEOUT(current(window) != nullptr && current(window)->step_count() >= 2, patience_ms);
    window.lab().training.open_folder(QString::fromStdString(folder.file("run")));
    QTest::qWait(700);  // longer than from one look of a follower to the next
    window.lab().training.stop();
    expect_state(window, TrainingState::Stopped);
    QTest::qWait(1200);
    QCOMPARE(window.lab().context.training().count(), 1);
    QVERIFY(current(window)->state() == TrainingState::Stopped);
    const auto& steps = current(window)->column(TrainingColumn::Step);
    for (std::size_t i = 0; i < steps.size(); ++i) QCOMPARE(steps[i], static_cast<double>(i + 1));
  }

  void a_run_in_the_list_is_not_replaced_by_one_that_is_refused() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    train_to_the_end(window, plan_for(folder.file("run"), 4));
    window.lab().training.start(plan_for(folder.file("run"), 4));
    QVERIFY(window.message_bar().text().contains(TrainController::tr("holds a training run")));
    QVERIFY(!window.lab().training.active());
    QCOMPARE(current(window)->step_count(), std::size_t{4});
    QVERIFY(current(window)->state() == TrainingState::Finished);
  }

  void a_folder_that_nobody_trains_in_is_stopped() {
    const test::TempDir folder;
    const QString run = QString::fromStdString(folder.file("run"));
    MainWindow writer, reader;
    open_demo(writer);
    reader.show();
    writer.lab().training.start(plan_for(folder.file("run"), 1'000'000));
    QTRY_VERIFY_WITH_TIMEOUT(current(writer) != nullptr && current(writer)->step_count() >= 2, patience_ms);
    reader.open_path(run);
    expect_state(reader, TrainingState::Attached);
    writer.lab().training.stop();
    expect_state(writer, TrainingState::Stopped);
    expect_state(reader, TrainingState::Stopped);
    MainWindow later;  // as after a restart
    later.show();
    later.open_path(run);
    expect_state(later, TrainingState::Stopped);
    QCOMPARE(current(later)->column(TrainingColumn::Loss), current(writer)->column(TrainingColumn::Loss));
    const RunLibrary& library = later.lab().context.library();
    QTRY_VERIFY(library.count() == 1 && library.run(0).standing == Standing::Partial && library.run(0).resumable);
    writer.lab().training.resume_run(run);
    expect_state(reader, TrainingState::Attached);
  }

  void what_goes_wrong_is_said_and_the_window_goes_on() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    QSignalSpy failed(&window.lab().training, &TrainController::failed);
    TrainingPlan plan = plan_for(folder.file("run"), 4);
    plan.data = {folder.file("missing.txt")};
    window.lab().training.start(plan);
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(window.message_bar().text().contains(QLatin1String("missing.txt")));
    QVERIFY(current(window)->state() == TrainingState::Failed);
    QVERIFY(window.lab().runs.can_run());
    train_to_the_end(window, plan_for(folder.file("run"), 4));
  }

  /// Nothing that was trained is lost: losses and weights are those of a training that never saw a full disk.
  void a_full_disk_pauses_a_training_and_retry_goes_on() {
    const test::TempDir folder;
    constexpr int steps = 5;
    std::vector<double> losses;
    {
      MainWindow other;
      open_demo(other);
      train_to_the_end(other, plan_for(folder.file("undisturbed"), steps));
      losses = current(other)->column(TrainingColumn::Loss);
    }
    MainWindow window;
    open_demo(window);
    std::optional<test::FullDisk> full(folder.file("run") + "/metrics.jsonl");
    window.lab().training.start(plan_for(folder.file("run"), steps));
    expect_state(window, TrainingState::Paused);
    QTRY_VERIFY(current(window)->missing_room().contains(QStringLiteral("metrics.jsonl: the disk is full")));
    QVERIFY(window.message_bar().isVisible() && window.message_bar().text().contains(QStringLiteral("disk is full")));
    QVERIFY(current(window)->alerts().empty());  // none of the training's own

    message_button(window, QStringLiteral("Retry"))->click();  // still full: it waits again
    QTRY_VERIFY_WITH_TIMEOUT(!current(window)->missing_room().isEmpty(), patience_ms);
    QVERIFY(current(window)->state() == TrainingState::Paused && message_button(window, QStringLiteral("Stop")));
    full.emplace(folder.file("run") + "/checkpoints");  // the record has room, the checkpoint has none
    message_button(window, QStringLiteral("Retry"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(current(window)->missing_room().contains(QStringLiteral("checkpoints")), patience_ms);
    QTRY_COMPARE(current(window)->step_count(), std::size_t{steps});
    full.reset();
    QPushButton* retry = button(window, QStringLiteral("Retry"));  // that of the panel
    QVERIFY(retry != nullptr);
    retry->click();
    expect_state(window, TrainingState::Finished);
    QVERIFY(current(window)->missing_room().isEmpty() && !window.message_bar().isVisible());
    QVERIFY(current(window)->column(TrainingColumn::Loss) == losses);
    const StoredTraining kept = read_training_folder(folder.file("run"));
    QCOMPARE(kept.steps.size(), std::size_t{steps});
    QVERIFY(!kept.final_folder.empty() && kept.checkpoints.size() == 1);
    QVERIFY(test::read_bytes(folder.file("run/final/model.safetensors")) ==
            test::read_bytes(folder.file("undisturbed/final/model.safetensors")));
  }

  void a_full_disk_ends_a_training_on_stop() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    const test::FullDisk full(folder.file("run") + "/metrics.jsonl");
    window.lab().training.start(plan_for(folder.file("run"), 4));
    QTRY_VERIFY_WITH_TIMEOUT(current(window) != nullptr && !current(window)->missing_room().isEmpty(), patience_ms);
    message_button(window, QStringLiteral("Stop"))->click();
    expect_state(window, TrainingState::Stopped);
    QVERIFY(current(window)->missing_room().isEmpty() && window.lab().runs.can_run());
    QVERIFY(!current(window)->alerts().empty());  // no checkpoint could be written
  }

  void a_model_can_not_be_opened_under_a_training_and_the_window_closes_over_one() {
    const test::TempDir folder;
    MainWindow window;
    open_demo(window);
    window.lab().training.start(plan_for(folder.file("run"), 1'000'000));
    QTRY_VERIFY_WITH_TIMEOUT(current(window)->step_count() >= 1, patience_ms);
    QSignalSpy failed(&window.lab().runs, &RunController::failed);
    window.lab().loader.open_model(demo());
    QCOMPARE(failed.count(), 1);
    QVERIFY(window.lab().training.active());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TrainingRunTest>};
#include "training_run_test.moc"
