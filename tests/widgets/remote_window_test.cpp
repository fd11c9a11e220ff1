// SPDX-License-Identifier: GPL-3.0-or-later
// The window with an engine in another process: it runs, shows a lost line without blocking, and reconnects.
#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <csignal>

#include "app/start/window_options.h"
#include "app/window/engine_dialog.h"
#include "app/window/identity_bar.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "engine/base/error.h"
#include "tests/support/gui_test.h"
#include "widgets/training/finetune_dialog.h"

using namespace carryover;

namespace {

constexpr int patience_ms = 240'000;
const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
const QString command = QStringLiteral("'" CARRYOVER_BINARY_DIR "/bin/carryover-cli' engine");

void open_there(MainWindow& window, std::int64_t tokens) {
  RunOptions options;
  options.token_limit = tokens;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().engine.use(command);
  window.lab().loader.open_model(demo);
  window.lab().loader.open_text(demo + QStringLiteral("/text.txt"));
  QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
}

/// The engine's process; asked on its own thread.
pid_t engine_process(MainWindow& window) {
  pid_t id = 0;
  EngineWorker& worker = window.lab().engine.worker();
  QMetaObject::invokeMethod(
      &worker, [&] { id = worker.engine().process().value(); }, Qt::BlockingQueuedConnection);
  return id;
}

QToolButton* reconnect_button(MainWindow& window) {
  return window.message_bar().findChild<QToolButton*>(QStringLiteral("offer"));
}

}  // namespace

class RemoteWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void runs_as_in_this_program() {
    MainWindow near, far;
    far.show();
    open_there(far, 1000);
    QVERIFY(far.lab().engine.elsewhere().has_value());
    QSignalSpy far_ended(&far.lab().runs, &RunController::run_ended);
    far.lab().runs.run();
    QVERIFY(far_ended.wait(patience_ms));
    near.lab().context.set_run_options(far.lab().context.run_options());
    near.lab().loader.open_model(demo);
    near.lab().loader.open_text(demo + QStringLiteral("/text.txt"));
    QSignalSpy near_ended(&near.lab().runs, &RunController::run_ended);
    near.lab().runs.run_when_ready();
    QVERIFY(near_ended.wait(patience_ms));
    const RunModel &here = near.lab().context.run(), &there = far.lab().context.run();
    QVERIFY(there.finished());
    QCOMPARE(there.segment_count(), here.segment_count());
    QCOMPARE(there.summary().nll_sum, here.summary().nll_sum);
    QCOMPARE(there.summary().targets, here.summary().targets);
    QVERIFY(there.tokenizer() != nullptr);
    QVERIFY(far.identity().chip().startsWith(QString::fromStdString(far.lab().engine.elsewhere()->place.host)));
  }

  void a_lost_engine_is_told_and_reconnected_to() {
    MainWindow window;
    window.show();
    open_there(window, 1500);
    SegmentConfig config = window.lab().context.config();
    config.carry_length = 5;
    window.lab().context.edit_config(config, QStringLiteral("carry"));
    RunController& controller = window.lab().runs;
    QSignalSpy ended(&controller, &RunController::run_ended);
    QSignalSpy appended(&window.lab().context.run(), &RunModel::segments_appended);
    const pid_t engine = engine_process(window);
    controller.run(2);  // the engine stops by itself in the middle of segment 2
    QTRY_VERIFY_WITH_TIMEOUT(controller.engine_paused() && window.lab().context.run().segment_count() == 2,
                             patience_ms);
    ::kill(engine, SIGKILL);
    QVERIFY(ended.wait(patience_ms));
    QTRY_VERIFY_WITH_TIMEOUT(controller.engine().lost(), patience_ms);
    const RunModel& run = window.lab().context.run();
    QVERIFY(run.finished() && run.summary().cancelled);
    QCOMPARE(run.segment_count(), 2);  // what was received stays
    QCOMPARE(run.summary().segments, std::int64_t{2});
    QVERIFY(run.summary().ppl().has_value());
    QVERIFY(!controller.can_run());
    QVERIFY(window.message_bar().isVisible());
    QVERIFY2(window.message_bar().text().contains(QStringLiteral("Killed")), qPrintable(window.message_bar().text()));
    QVERIFY(QApplication::activeModalWidget() == nullptr);
    QVERIFY(reconnect_button(window)->isVisible());
    QTest::mouseClick(reconnect_button(window), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(controller.can_run(), patience_ms);
    QVERIFY(!window.message_bar().isVisible());
    QCOMPARE(window.lab().context.config(), config);  // the same model: its settings stay
    controller.run();
    QVERIFY(ended.wait(patience_ms));
    QVERIFY(!run.summary().cancelled);
    QCOMPARE(run.segment_count(), run.expected_segments());
  }

  void an_engine_lost_between_runs_is_told_too() {
    MainWindow window;
    window.show();
    open_there(window, 300);
    ::kill(engine_process(window), SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().engine.lost(), patience_ms);
    QVERIFY(reconnect_button(window)->isVisible());
    QVERIFY(!window.lab().runs.can_run());
  }

  void commands_that_are_no_engine_leave_a_window_that_works() {
    MainWindow window;
    window.show();
    window.lab().engine.use(QStringLiteral("sh -c 'echo no such host >&2; exit 255'"));
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().engine.lost(), patience_ms);
    QVERIFY(window.message_bar().text().contains(QStringLiteral("no such host")));
    QSignalSpy failed(&window.lab().runs, &RunController::failed);
    window.lab().loader.open_model(demo);
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(reconnect_button(window)->isVisible());
    window.lab().engine.use({});
    window.lab().loader.open_model(demo);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().loader.model().has_value(), patience_ms);
    QVERIFY(!window.lab().engine.elsewhere().has_value());
    QVERIFY(!window.message_bar().isVisible());
  }

  void a_wrong_command_that_somebody_types_leaves_the_engine_and_its_model() {
    const QString wrong = QStringLiteral("sh -c 'echo no such host >&2; exit 255'");
    MainWindow window;
    window.show();
    Lab& lab = window.lab();
    QSignalSpy failed(&lab, &Lab::failed), ended(&lab.runs, &RunController::run_ended);
    const auto try_wrong = [&] {
      failed.clear();
      lab.engine.change_to(wrong);
      return failed.wait(patience_ms) && window.message_bar().text().contains(QStringLiteral("no such host")) &&
             QTest::qWaitFor([&] { return lab.runs.can_run(); }, patience_ms) && !lab.engine.lost();
    };
    const auto run = [&] {
      lab.runs.run();
      return ended.wait(patience_ms) && !lab.context.run().summary().cancelled;
    };
    RunOptions options;
    options.token_limit = 300;
    lab.context.set_run_options(options);
    lab.loader.open_model(demo);
    lab.loader.open_text(demo + QStringLiteral("/text.txt"));
    QTRY_VERIFY_WITH_TIMEOUT(lab.runs.can_run(), patience_ms);
    QVERIFY(try_wrong());  // in this program
    QVERIFY(lab.engine.command().isEmpty() && !lab.engine.elsewhere());
    QVERIFY(run());

    lab.engine.change_to(command);
    QTRY_VERIFY_WITH_TIMEOUT(lab.engine.elsewhere().has_value(), patience_ms);
    QVERIFY(lab.engine.command() == command && !lab.loader.model());
    lab.loader.open_model(demo);
    QTRY_VERIFY_WITH_TIMEOUT(lab.runs.can_run(), patience_ms);
    const pid_t engine = engine_process(window);
    QVERIFY(try_wrong());  // elsewhere
    QVERIFY(lab.engine.command() == command && lab.engine.elsewhere());
    QCOMPARE(engine_process(window), engine);
    QVERIFY(run());
  }

  /// The first one has answered, but the window hears of it only after the second one was asked for.
  void of_two_commands_in_a_row_the_one_that_answered_is_in_use() {
    MainWindow window;
    window.show();
    Lab& lab = window.lab();
    QSignalSpy failed(&lab, &Lab::failed), replaced(&lab.engine, &EngineConnection::replaced);
    lab.engine.change_to(command);
    QMetaObject::invokeMethod(
        &lab.engine.worker(), [] {}, Qt::BlockingQueuedConnection);
    lab.engine.change_to(QStringLiteral("sh -c 'echo no such host >&2; exit 255'"));
    QVERIFY(failed.wait(patience_ms));
    QTRY_VERIFY_WITH_TIMEOUT(!lab.loader.loading(), patience_ms);
    QCOMPARE(lab.engine.command(), command);
    QVERIFY(lab.engine.elsewhere() && !lab.engine.lost());
    QCOMPARE(replaced.count(), 1);
    lab.engine.change_to(command);
    QMetaObject::invokeMethod(
        &lab.engine.worker(), [] {}, Qt::BlockingQueuedConnection);
    lab.engine.use({});  // which no earlier answer undoes
    QTRY_VERIFY_WITH_TIMEOUT(!lab.loader.loading(), patience_ms);
    QVERIFY(lab.engine.command().isEmpty() && !lab.engine.elsewhere());
  }

  void closes_while_connecting_and_while_running() {
    {
      MainWindow window;
      window.lab().engine.use(QStringLiteral("sleep 1000"));
      QTest::qWait(50);
    }
    MainWindow window;
    window.show();
    open_there(window, 1000);
    window.lab().runs.run(1);  // left latched
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.engine_paused(), patience_ms);
  }

  void the_dialog_gives_the_command() {
    MainWindow window;
    EngineDialog dialog({}, &window);
    QVERIFY(!dialog.connect_button().isEnabled());
    QSignalSpy chosen(&dialog, &EngineDialog::command_chosen);
    dialog.show();
    dialog.field().setText(QStringLiteral("  ssh host carryover-cli engine "));
    QVERIFY(dialog.connect_button().isEnabled());
    QTest::mouseClick(&dialog.connect_button(), Qt::LeftButton);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.first().first().toString(), QStringLiteral("ssh host carryover-cli engine"));
  }

  void a_fine_tuning_there_is_planned_here() {
    MainWindow window;
    window.show();
    open_there(window, 300);
    TrainingPlan plan;
    plan.model = demo.toStdString();
    plan.data = {"/a folder/that is/there.txt"};
    plan.output_dir = "aligned";
    plan.config = window.lab().context.config();
    plan.config.segment_length = 64;
    plan.config.carry_length = plan.config.retrieval_length = 16;
    plan.training.gradient_accumulation_steps = 1;
    plan.dtype = DType::Float32;
    FinetuneDialog* dialog = window.dialogs().open_finetune();
    dialog->set_plan(plan);
    QCOMPARE(dialog->problem(), QString());
    plan.model = "/another/model";
    dialog->set_plan(plan);
    QVERIFY2(dialog->problem().contains(QStringLiteral("not the open one")), qPrintable(dialog->problem()));
    plan.model = demo.toStdString();
    QSignalSpy done(&window.lab().training, &TrainController::dry_run_done);
    QSignalSpy failed(&window.lab().training, &TrainController::dry_run_failed);
    window.lab().training.dry_run(plan);  // its data are looked for where the engine is
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(failed.first().first().value<ErrorReport>().where.contains(QStringLiteral("there.txt")));
    plan.data = {demo.toStdString() + "/text.txt"};
    window.lab().training.dry_run(plan);
    QVERIFY(done.wait(patience_ms));
    QCOMPARE(done.first().first().value<DryRun>().step.step, std::int64_t{2});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RemoteWindowTest>};
#include "remote_window_test.moc"
