// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog with the real command on random weights, and with programs that fail, hang and lie.
#include "app/window/bench_dialog.h"

#include <signal.h>

#include <QAction>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "app/window/bench_figure.h"
#include "engine/cost/policy_table.h"
#include "tests/support/demo_window.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/synthetic_bench.h"
#include "tests/support/temp_dir.h"
#include "widgets/bench/bench_form.h"
#include "widgets/bench/bench_results.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;
using test::patience_ms;

namespace {

const QString cli = QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli");

BenchRequest tiny_bench(std::vector<std::int64_t> contexts) {
  BenchRequest request;
  request.settings.shape = "tiny";
  request.settings.contexts = std::move(contexts);
  request.settings.kinds = {"prefill", "decode"};
  request.settings.repeats = 1;
  request.settings.new_tokens = 2;
  request.dtype = DType::Float32;
  request.threads = 1;
  return request;
}

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

bool lives(qint64 process) {
  return ::kill(static_cast<pid_t>(process), 0) == 0;
}

/// A dialog whose program is a shell script, or the real one.
struct Bench {
  test::TempDir temp;
  std::unique_ptr<BenchDialog> dialog = std::make_unique<BenchDialog>();

  explicit Bench(const std::string& script = {}) {
    dialog->form().set_request(tiny_bench({16}));
    dialog->process().set_program(cli);
    if (script.empty()) return;
    const std::string path = temp.file("program");
    test::write_bytes(path, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    dialog->process().set_program(QString::fromStdString(path));
  }
  void run() {
    QSignalSpy ended(&dialog->process(), &BenchProcess::ended);
    dialog->start();
    QVERIFY2(dialog->process().running(), qPrintable(dialog->said()));
    QVERIFY(ended.wait(patience_ms));
  }
};

}  // namespace

class BenchDialogTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void a_bench_is_measured_shown_and_saved() {
    Bench bench;
    BenchDialog& dialog = *bench.dialog;
    BenchRequest request = tiny_bench({16, 96});
    request.settings.output = bench.temp.file("out");
    dialog.form().set_request(request);
    dialog.show();
    QVERIFY(dialog.command_line().startsWith(QStringLiteral("carryover bench --shape tiny --dtype fp32")));
    QSignalSpy told(&dialog.process(), &BenchProcess::progressed);
    bench.run();
    QVERIFY2(dialog.report(), qPrintable(dialog.said()));
    QVERIFY(told.count() > 0);
    QCOMPARE(dialog.report()->measurements.size(), 4 * policies().size());
    QCOMPARE(dialog.results().table().model()->rowCount(), static_cast<int>(4 * policies().size()));
    QVERIFY(!dialog.results().plots()[0]->is_empty());
    const std::string json = bench.temp.file("a.json"), csv = bench.temp.file("a.csv");
    dialog.save(QString::fromStdString(json));
    dialog.save(QString::fromStdString(csv));
    QVERIFY(test::read_bytes(json) == test::read_bytes(bench.temp.file("out/bench.json")));
    QVERIFY(test::read_bytes(csv) == test::read_bytes(bench.temp.file("out/bench.csv")));
    QCOMPARE(test::unlike(Fault::Usage, ".csv", [&] { dialog.save(QStringLiteral("a.txt")); }), std::string());
    QVERIFY(!button(dialog, BenchDialog::tr("Start"))->isEnabled());  // its folder holds this bench now
    QVERIFY(dialog.command_line().isEmpty());

    BenchDialog again;
    again.open_folder(QString::fromStdString(bench.temp.file("out")));
    QCOMPARE(again.report()->measurements.size(), 4 * policies().size());
    QCOMPARE(again.results().said(), dialog.results().said());
  }

  void a_stop_keeps_what_was_measured() {
    Bench bench;
    BenchDialog& dialog = *bench.dialog;
    BenchRequest request = tiny_bench({16, 1'000'000});
    request.settings.policies = {"segmented"};
    request.settings.kinds = {"prefill"};
    request.settings.output = bench.temp.file("out");
    dialog.form().set_request(request);
    dialog.show();
    QSignalSpy ended(&dialog.process(), &BenchProcess::ended);
    dialog.start();
    QVERIFY(!dialog.form().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(is_bench_folder(bench.temp.file("out")), patience_ms);
    QVERIFY(dialog.process().running());
    const qint64 process = dialog.process().process_id();
    button(dialog, BenchDialog::tr("Stop"))->click();
    QVERIFY(ended.wait(patience_ms));
    QVERIFY2(dialog.report() && dialog.report()->interrupted, qPrintable(dialog.said()));
    QCOMPARE(dialog.report()->measurements.size(), std::size_t{1});
    QVERIFY(!lives(process) && dialog.form().isEnabled());
  }

  void what_the_command_refuses_is_shown() {
    Bench bench;
    bench.dialog->form().set_model(QStringLiteral("/nowhere/model.gguf"), QStringLiteral("model"), {});
    BenchRequest request = tiny_bench({16});
    request.settings.shape.clear();
    bench.dialog->form().set_request(request);
    bench.run();
    QVERIFY2(bench.dialog->said().contains(QStringLiteral("model.gguf")), qPrintable(bench.dialog->said()));
    QVERIFY(!bench.dialog->report());
    QVERIFY(button(*bench.dialog, BenchDialog::tr("Start"))->isEnabled());
  }

  void a_child_that_fails_is_said_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("part");
    QTest::newRow("an error") << "echo prefill >&2; echo 'carryover: --peer: has no torch' >&2; echo '  Get it.' >&2; "
                                 "exit 5"
                              << "--peer: has no torch\nGet it.";
    QTest::newRow("something else") << "echo not found >&2; exit 127"
                                    << "not found";
    QTest::newRow("nothing") << "exit 3"
                             << "3";
    QTest::newRow("a crash") << "kill -SEGV $$"
                             << "11";
    QTest::newRow("no memory")
        << "kill -KILL $$"
        << BenchProcess::tr(
               "The system ends processes when memory runs out: choose shorter contexts or a smaller model.");
    QTest::newRow("no JSON") << "echo '{\"date\": '"
                             << "JSON";
    QTest::newRow("another JSON") << "echo '{\"date\": \"now\"}'"
                                  << "machine is missing";
  }
  void a_child_that_fails_is_said() {
    QFETCH(QString, script);
    QFETCH(QString, part);
    Bench bench(script.toStdString());
    bench.dialog->show();
    bench.run();
    QVERIFY2(bench.dialog->said().contains(part), qPrintable(bench.dialog->said()));
    QVERIFY(!bench.dialog->report() && bench.dialog->form().isEnabled());
  }

  void a_program_that_is_not_there_is_said() {
    Bench bench;
    bench.dialog->process().set_program(QStringLiteral("/nowhere/carryover"));
    QSignalSpy ended(&bench.dialog->process(), &BenchProcess::ended);
    bench.dialog->start();
    QTRY_COMPARE(ended.count(), 1);
    QVERIFY2(bench.dialog->said().contains(QStringLiteral("carryover")), qPrintable(bench.dialog->said()));
    QVERIFY(button(*bench.dialog, BenchDialog::tr("Start"))->isEnabled());
  }

  void one_that_does_not_stop_is_killed() {
    Bench bench("trap '' TERM; echo going on >&2; while :; do sleep 0.05; done");
    bench.dialog->process().set_patience(200);
    QSignalSpy ended(&bench.dialog->process(), &BenchProcess::ended),
        told(&bench.dialog->process(), &BenchProcess::progressed);
    bench.dialog->start();
    QVERIFY(told.wait(patience_ms));
    const qint64 process = bench.dialog->process().process_id();
    bench.dialog->stop();
    QVERIFY(lives(process));
    QVERIFY(ended.wait(patience_ms));
    QVERIFY(!lives(process));
    QVERIFY(!bench.dialog->report());
  }

  void closing_asks_first() {
    Bench bench("echo going on >&2; exec sleep 100");
    BenchDialog& dialog = *bench.dialog;
    dialog.show();
    QSignalSpy told(&dialog.process(), &BenchProcess::progressed);
    dialog.start();
    QVERIFY(told.wait(patience_ms));
    for (const bool by_key : {false, true}) {
      by_key ? QTest::keyClick(&dialog, Qt::Key_Escape) : static_cast<void>(dialog.close());
      QVERIFY(dialog.isVisible() && dialog.process().running());
      auto* question = dialog.findChild<QMessageBox*>();
      QVERIFY(question != nullptr);
      QCOMPARE(question->defaultButton()->text(), BenchDialog::tr("Keep it running"));  // Enter stops nothing
      button(*question, BenchDialog::tr("Keep it running"))->click();
      QTRY_VERIFY(dialog.findChild<QMessageBox*>() == nullptr);
    }
    QVERIFY(dialog.process().running());
    dialog.close();
    button(*dialog.findChild<QMessageBox*>(), BenchDialog::tr("Stop and close"))->click();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog.isVisible(), patience_ms);
    QVERIFY(!dialog.process().running());
  }

  void a_window_that_goes_leaves_no_process() {
    Bench bench("echo going on >&2; exec sleep 100");
    QSignalSpy told(&bench.dialog->process(), &BenchProcess::progressed);
    bench.dialog->start();
    QVERIFY(told.wait(patience_ms));
    const qint64 process = bench.dialog->process().process_id();
    bench.dialog.reset();
    QVERIFY(!lives(process));
  }

  void the_window_opens_it_and_fills_it_in() {
    const test::TempDir temp;
    test::write_bytes(temp.file("bench.json"), test::synthetic_bench().dump());
    MainWindow window;
    QVERIFY(window.dialogs().bench() == nullptr);
    test::open_demo(window, 64);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().loader.model() && !window.lab().loader.loading(), patience_ms);
    for (QAction* action : window.findChildren<QAction*>())
      if (action->text() == LabToolbar::tr("Benchmark…")) action->trigger();
    BenchDialog* dialog = window.dialogs().bench();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QCOMPARE(dialog->command_line(), QStringLiteral("carryover bench ") + test::demo_folder());
    SegmentConfig config = window.lab().context.config();
    config.segment_length = 80;
    window.lab().context.set_config(config);
    QVERIFY2(dialog->command_line().contains(QStringLiteral("--config '{\"segment_length\":80}'")),
             qPrintable(dialog->command_line()));
    window.open_path(QString::fromStdString(temp.path().string()));
    QCOMPARE(window.dialogs().bench(), dialog);
    QCOMPARE(dialog->report()->measurements.size(), std::size_t{14});
    dialog->set_engine_busy(QStringLiteral("a run is using the engine"));
    QVERIFY(!button(*dialog, BenchDialog::tr("Start"))->isEnabled());
    dialog->close();
    QTRY_VERIFY(window.dialogs().bench() == nullptr);
    test::write_bytes(temp.file("bench.json"), "[]");
    QVERIFY(test::error_of([&] {
              window.dialogs().open_bench()->open_folder(QString::fromStdString(temp.path().string()));
            }).has_value());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<BenchDialogTest>};
#include "bench_dialog_test.moc"
