// SPDX-License-Identifier: GPL-3.0-or-later
// While a field holds what can't be run, nothing runs: not by the button, its key, the palette or a script. What is
// typed just before Run is what runs.
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "app/script/script_runner.h"
#include "app/start/palette_commands.h"
#include "app/window/message_bar.h"
#include "tests/support/demo_window.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"
#include "widgets/what_if/edit_form.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QAction* run_action(MainWindow& window) {
  for (QAction* action : window.findChildren<QAction*>())
    if (action->shortcut() == QKeySequence(Qt::Key_F5)) return action;
  return nullptr;
}

void type(QSpinBox& box, const QString& text) {
  auto* line = box.findChild<QLineEdit*>();
  line->setFocus();
  line->selectAll();
  if (text.isEmpty())
    QTest::keyClick(line, Qt::Key_Delete);
  else
    QTest::keyClicks(line, text);
}

bool has_command(MainWindow& window, const QString& title) {
  for (const Command& command : window_commands(window))
    if (command.name == title) return true;
  return false;
}

}  // namespace

class InvalidSettingsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void nothing_runs_while_a_field_is_invalid() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    open_demo(window, 400);
    run_to_the_end(window);
    window.docks().raise("config");
    QTRY_VERIFY(window.docks().panel("config")->isVisible());
    window.docks().panel("config")->catch_up();
    QSpinBox* field = segment_field(*window.docks().panel(QStringLiteral("config")));
    QVERIFY(field != nullptr);
    QCOMPARE(field->value(), static_cast<int>(window.lab().context.config().segment_length));
    const std::int64_t before = window.lab().context.config().segment_length;
    const QString help = field->toolTip();
    QAction* run = run_action(window);
    QVERIFY(run != nullptr && run->isEnabled() && has_command(window, run->text()));
    QSignalSpy started(&window.lab().runs, &RunController::run_started);
    for (const QString& wrong : {QStringLiteral("0"), QString()}) {
      type(*field, wrong);
      QVERIFY2(!run->isEnabled(), qPrintable(wrong));
      QVERIFY(field->toolTip() != help);
      QVERIFY2(run->toolTip().contains(field->toolTip()), qPrintable(run->toolTip()));
      QVERIFY(!has_command(window, run->text()));
      QTest::keyClick(&window, Qt::Key_F5);
      run->trigger();
      window.lab().runs.run();
      QTest::qWait(500);  // longer than the pause after which what is typed counts
      QCOMPARE(started.count(), 0);
      QCOMPARE(window.lab().context.config().segment_length, before);
      expect_script_refuses(window);
      type(*field, QString::number(before));
      QVERIFY2(run->isEnabled(), qPrintable(run->toolTip()));
      QCOMPARE(field->toolTip(), help);
    }
    type(*field, "0");
    QSignalSpy failed(&window.lab().runs, &RunController::failed);
    window.lab().loader.open_text(demo_folder() + "/text.txt");  // as a drop, which runs what it opens
    window.lab().runs.run_when_ready();
    QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, patience_ms);
    QCOMPARE(started.count(), 0);
    type(*field, QString::number(before));
    QTest::qWait(500);
    QCOMPARE(started.count(), 0);  // it was refused, not put off
  }

  void what_a_busy_engine_refuses_is_not_put_off() {
    MainWindow window;
    window.show();
    Lab& lab = window.lab();
    open_demo(window, 400);
    run_to_the_end(window);
    const RunOptions before = lab.context.run_options();
    QSignalSpy started(&lab.runs, &RunController::run_started), failed(&lab, &Lab::failed);
    lab.engine.set_busy(QStringLiteral("a question is using the engine"));
    lab.open_text(demo_folder() + "/text.txt");
    QCOMPARE(failed.count(), 1);
    ModelRequest other;
    other.path = demo_folder().toStdString();
    other.dtype = before.dtype == DType::Float64 ? DType::Float32 : DType::Float64;
    lab.open_model(other);
    QCOMPARE(failed.count(), 2);
    QVERIFY(lab.context.run_options() == before);  // of the open model
    lab.engine.set_busy({});
    QTest::qWait(300);
    QCOMPARE(started.count(), 0);
    run_to_the_end(window);
    QTest::qWait(300);
    QCOMPARE(started.count(), 1);
  }

  void what_is_typed_just_before_run_is_what_runs() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    open_demo(window, 400);
    run_to_the_end(window);
    window.docks().raise("config");
    QTRY_VERIFY(window.docks().panel("config")->isVisible());
    window.docks().panel("config")->catch_up();
    QSpinBox* field = segment_field(*window.docks().panel(QStringLiteral("config")));
    QVERIFY(window.lab().context.config().segment_length != 80);
    type(*field, "80");
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    run_action(window)->trigger();
    QVERIFY(ended.wait(patience_ms));
    QCOMPARE(window.lab().context.run().request().config.segment_length, std::int64_t{80});
  }

  void a_plan_with_an_empty_number_does_not_start() {
    MainWindow window;
    window.show();
    open_demo(window, 400);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    FinetuneDialog* dialog = window.dialogs().open_finetune();
    QVERIFY2(dialog->problem().isEmpty(), qPrintable(dialog->problem()));
    auto* steps = qobject_cast<QSpinBox*>(dialog->form().editor("max_steps")->input());
    QVERIFY(steps != nullptr);
    type(*steps, {});
    QSignalSpy wanted(dialog, &FinetuneDialog::start_wanted);
    dialog->start();
    QCOMPARE(wanted.count(), 0);
    QVERIFY2(dialog->problem().contains("max_steps"), qPrintable(dialog->problem()));
  }

  void a_what_if_does_not_run_past_what_its_form_says() {
    LabContext lab;
    EditForm form(lab);
    form.show();
    auto* positions = form.findChild<QLineEdit*>({}, Qt::FindDirectChildrenOnly);
    for (QLineEdit* line : form.findChildren<QLineEdit*>())
      if (line->accessibleName() == EditForm::tr("Positions to remove, add or exclude")) positions = line;
    QVERIFY(positions != nullptr);
    QVERIFY(form.problem().isEmpty());
    positions->setText("12x");
    QVERIFY(form.problem().contains("12x"));
    positions->clear();
    QVERIFY(form.problem().isEmpty());
    lab.set_settings_problem("S is 0");
    QVERIFY(form.problem().isEmpty());  // the what-if has the run's settings
    SegmentEdit edit;
    edit.config = SegmentConfig{};
    lab.what_ifs().set_draft(edit);
    QCOMPARE(form.problem(), QString("S is 0"));
  }

 private:
  static void expect_script_refuses(MainWindow& window) {
    ScriptRunner runner(window, parse_script("run", "s"), "s");
    QSignalSpy failed(&runner, &ScriptRunner::failed);
    runner.start();
    QVERIFY(failed.count() > 0 || failed.wait(5000));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<InvalidSettingsTest>};
#include "invalid_settings_test.moc"
