// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment's process: run, stopped, killed and continued from the window, by whoever started it.
#include <signal.h>

#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <filesystem>

#include "app/window/continue_dialog.h"
#include "app/window/experiment_dialog.h"
#include "engine/formats/json_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/experiment_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

bool lives(qint64 process) {
  return ::kill(static_cast<pid_t>(process), 0) == 0;
}

bool trains(const ExperimentState& state) {
  return std::ranges::any_of(state.cells,
                             [](const CellState& cell) { return cell.training && cell.status == CellStatus::Running; });
}

}  // namespace

class ExperimentProcessTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache"))); }
  void init() { fail_on_qt_warnings(); }
  void the_dialog_runs_it();
  void stop_and_continue();
  void a_killed_one_continues_with_its_command();
  void without_its_files_the_dialog_asks();
  void nothing_runs_on_without_its_window();

 private:
  TempDir temp_;
};

void ExperimentProcessTest::the_dialog_runs_it() {
  const std::string out = temp_.file("out");
  ExperimentWindow lab;
  QTRY_VERIFY(lab.panel.said().contains(ExperimentsPanel::tr("No experiment is open: open its folder, or press Run…")));
  button<QToolButton>(lab.panel, ExperimentsPanel::tr("Run…"))->click();
  ExperimentDialog* dialog = lab.window.dialogs().open_experiment(small_request(temp_, out));
  QCOMPARE(dialog->problem(), QString());
  QCOMPARE(dialog->command_line(),
           QStringLiteral("carryover experiment %1 --out %2").arg(text(temp_.file("plan-4.json")), text(out)));
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  QSignalSpy failed(&lab.experiments, &ExperimentController::failed);
  QSignalSpy changed(&lab.model, &ExperimentModel::cells_changed);
  dialog->accept();
  QVERIFY(lab.experiments.process().running());
  settle();
  QVERIFY(!button<QToolButton>(lab.panel, FolderPanel::tr("Continue"))->isEnabled());
  QVERIFY(button<QToolButton>(lab.panel, FolderPanel::tr("Stop"))->isEnabled());
  QVERIFY(ended.wait(patience_ms));
  QVERIFY2(failed.isEmpty(), qPrintable(lab.window.message_bar().text()));
  QTRY_COMPARE_WITH_TIMEOUT(lab.model.state().status, CellStatus::Done, patience_ms);
  QVERIFY(changed.count() >= 2);
}

void ExperimentProcessTest::stop_and_continue() {
  const std::string out = temp_.file("stopped");
  ExperimentWindow lab;
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  lab.experiments.start(small_request(temp_, out, 400));
  QTRY_VERIFY_WITH_TIMEOUT(trains(lab.model.state()), patience_ms);
  const qint64 process = lab.experiments.process().process_id();
  settle();
  ExperimentWindow second(out);  // sees that another one runs it
  QTRY_VERIFY2(second.panel.said().contains(ExperimentsPanel::tr("running in another process")),
               qPrintable(second.panel.said()));
  QVERIFY(!button<QToolButton>(second.panel, FolderPanel::tr("Continue"))->isEnabled());
  button<QToolButton>(lab.panel, FolderPanel::tr("Stop"))->click();
  QVERIFY(ended.wait(patience_ms));
  QVERIFY(!lives(process));
  QTRY_COMPARE(lab.model.state().status, CellStatus::Pending);
  const std::size_t done = lab.model.state().count(CellStatus::Done);
  QVERIFY(done > 0 && done < 9);
  settle();
  QVERIFY2(lab.panel.said().contains(ExperimentsPanel::tr("stopped")), qPrintable(lab.panel.said()));

  // Whoever ran it continues at once.
  button<QToolButton>(lab.panel, FolderPanel::tr("Continue"))->click();
  QVERIFY(lab.experiments.process().running());
  QVERIFY(ended.wait(patience_ms));
  QTRY_COMPARE(lab.model.state().status, CellStatus::Done);
  QTRY_COMPARE(second.model.state().status, CellStatus::Done);  // it watches the same folder
}

/// In a terminal, with models, recipes and threads that the plan does not say, and without a chance to write a word.
void ExperimentProcessTest::a_killed_one_continues_with_its_command() {
  const std::string out = temp_.file("killed"), plan = small_request(temp_, out, 20'000).plan;
  const QStringList words{"experiment", text(plan), "--model",   "demo=" + demo_folder(),
                          "--only",     "all",      "--threads", "1",
                          "--out",      text(out),  "--quiet"};
  QProcess terminal;
  prepare_cli(terminal, words);
  terminal.start();
  ExperimentWindow lab(out);
  QTRY_VERIFY_WITH_TIMEOUT(trains(lab.model.state()), patience_ms);
  terminal.kill();
  QVERIFY(terminal.waitForFinished(patience_ms));
  QCOMPARE(read_experiment_state(out).status, CellStatus::Running);  // as it was left
  QTRY_COMPARE(lab.model.state().status, CellStatus::Pending);
  settle();
  QVERIFY2(lab.panel.said().contains(ExperimentsPanel::tr("stopped")), qPrintable(lab.panel.said()));
  auto* resume = button<QToolButton>(lab.panel, FolderPanel::tr("Continue"));
  QVERIFY(resume->isEnabled());

  resume->click();
  const auto* dialog = lab.window.findChild<ContinueDialog*>();
  QVERIFY(dialog != nullptr && !lab.experiments.process().running());  // shown before it is run
  QCOMPARE(dialog->command_line(),
           QStringLiteral("carryover experiment %1 --model demo=%2 --only all --threads 1 --out %3")
               .arg(text(plan), demo_folder(), text(out)));
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  lab.window.findChild<ContinueDialog*>()->accept();
  QVERIFY(lab.experiments.process().running());
  QTRY_VERIFY_WITH_TIMEOUT(trains(lab.model.state()), patience_ms);
  lab.experiments.stop();
  QVERIFY(ended.wait(patience_ms));
  QTRY_COMPARE(lab.model.state().status, CellStatus::Pending);
  const auto command = read_experiment_state(out).command;  // the same one again
  QVERIFY(command && command->overrides.only == std::vector<std::string>{"all"} && command->overrides.threads == 1);
}

void ExperimentProcessTest::without_its_files_the_dialog_asks() {
  ExperimentState state = demo_state();
  ExperimentRequest gone = small_request(temp_, temp_.file("elsewhere"));
  gone.overrides = {{{"demo", temp_.file("gone.gguf")}}, {temp_.file("data")}, {}, {"all"}, 2};
  state.command = gone;
  const std::string out = temp_.file("moved");
  fs::create_directories(out);
  write_experiment_state(out, state);
  ExperimentWindow lab(out);
  QTRY_VERIFY(lab.model.has_news());
  settle();
  auto* resume = button<QToolButton>(lab.panel, FolderPanel::tr("Continue"));
  resume->click();
  QVERIFY(lab.window.findChild<ContinueDialog*>() == nullptr);
  auto* dialog = lab.window.findChild<ExperimentDialog*>();
  QVERIFY(dialog != nullptr && dialog->isVisible());
  QVERIFY2(dialog->problem().contains(text(temp_.file("gone.gguf"))), qPrintable(dialog->problem()));
  ExperimentRequest expected = gone;
  expected.out = out;  // where the folder is now
  QCOMPARE(experiment_command(dialog->request()), experiment_command(expected));
  dialog->reject();
  QTRY_VERIFY(lab.window.findChild<ExperimentDialog*>() == nullptr);

  // An earlier version recorded no command: the plan's file is known.
  state.command.reset();
  state.plan_file = gone.plan;
  write_experiment_state(out, state);
  QTRY_VERIFY(!lab.model.state().command);
  resume->click();
  dialog = lab.window.findChild<ExperimentDialog*>();
  QVERIFY(dialog != nullptr && lab.window.findChild<ContinueDialog*>() == nullptr);
  QCOMPARE(experiment_command(dialog->request()), experiment_command({gone.plan, out, {}}));
  dialog->reject();

  // With its files, what the dialog shows can be changed first.
  gone.overrides = {};
  state.command = gone;
  write_experiment_state(out, state);
  QTRY_VERIFY(lab.model.state().command);
  resume->click();
  auto* ask = lab.window.findChild<ContinueDialog*>();
  QVERIFY(ask != nullptr);
  ask->change();
  QTRY_VERIFY(lab.window.findChild<ContinueDialog*>() == nullptr);
  QVERIFY(lab.window.findChild<ExperimentDialog*>() != nullptr && !lab.experiments.process().running());
}

void ExperimentProcessTest::nothing_runs_on_without_its_window() {
  qint64 process = 0;
  {
    ExperimentWindow lab;
    lab.experiments.start(small_request(temp_, temp_.file("left"), 5000));
    QTRY_VERIFY_WITH_TIMEOUT(lab.model.count() == 9, patience_ms);
    process = lab.experiments.process().process_id();
    QVERIFY(process > 0 && lives(process));
    QSignalSpy failed(&lab.experiments, &ExperimentController::failed);
    lab.experiments.open(text(temp_.file("another")));  // one at a time
    QCOMPARE(failed.count(), 1);
  }
  QVERIFY(!lives(process));
  ExperimentWindow lab;
  QSignalSpy failed(&lab.experiments, &ExperimentController::failed);
  QSignalSpy ended(&lab.experiments, &ExperimentController::ended);
  ExperimentRequest wrong = small_request(temp_, temp_.file("wrong"));
  wrong.plan = temp_.file("nowhere.json");
  lab.experiments.start(wrong);
  QVERIFY(ended.wait(patience_ms));
  QCOMPARE(failed.count(), 1);
  QVERIFY(failed.front().front().value<ErrorReport>().problem.contains(QStringLiteral("nowhere.json")));
  lab.experiments.process().set_program(QStringLiteral("/nowhere/carryover"));
  lab.experiments.start(small_request(temp_, temp_.file("wrong")));
  QTRY_COMPARE(failed.count(), 2);
  QCOMPARE(lab.model.work(), ExperimentModel::Work::None);
}

static const TestFile these_tests{__FILE__, in_window<ExperimentProcessTest>};
#include "experiment_process_test.moc"
