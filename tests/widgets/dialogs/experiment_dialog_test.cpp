// SPDX-License-Identifier: GPL-3.0-or-later
// The form of an experiment: what is wrong, what a plan needs, how long it takes, and the plans that are shipped.
#include "app/window/experiment_dialog.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <filesystem>

#include "tests/support/cli_process.h"
#include "tests/support/experiment_window.h"
#include "tests/support/gui_test.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

class ExperimentDialogTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache"))); }
  void init() { fail_on_qt_warnings(); }
  void the_dialog_says_what_is_wrong();
  void shipped_plans_say_what_they_need();
  void a_dry_run_says_how_long();

 private:
  TempDir temp_;
};

void ExperimentDialogTest::the_dialog_says_what_is_wrong() {
  ExperimentDialog dialog;
  QSignalSpy wanted(&dialog, &ExperimentDialog::start_wanted);
  QVERIFY(!dialog.problem().isEmpty() && dialog.command_line().isEmpty());
  ExperimentRequest good = small_request(temp_, temp_.file("new out"));
  good.overrides = {{{"demo", demo_folder().toStdString()}}, {temp_.file("a"), temp_.file("b")}, {}, {"all"}, 2};
  dialog.set_request(good);
  QVERIFY2(dialog.problem().contains(text(temp_.file("a"))), qPrintable(dialog.problem()));
  for (const char* folder : {"a", "b"}) fs::create_directories(temp_.file(folder));
  dialog.set_request(good);
  QCOMPARE(dialog.problem(), QString());
  const QString command = dialog.command_line();
  QVERIFY2(command.contains(QStringLiteral("--model demo=")) && command.count(QStringLiteral("--data")) == 2 &&
               command.contains(QStringLiteral("--only all")) && command.contains(QStringLiteral("--threads 2")) &&
               command.endsWith(QStringLiteral("new out'")),
           qPrintable(command));
  ExperimentRequest bad = good;
  bad.overrides.models[0].path = "/nowhere/model.gguf";
  dialog.set_request(bad);
  QVERIFY2(dialog.problem().contains(QStringLiteral("/nowhere/model.gguf")), qPrintable(dialog.problem()));
  bad = good;
  bad.overrides.only = {"al"};
  dialog.set_request(bad);
  QVERIFY2(dialog.problem().contains(QStringLiteral("al")), qPrintable(dialog.problem()));
  bad = good;
  bad.out = good.plan;
  dialog.set_request(bad);
  QVERIFY(!dialog.problem().isEmpty());
  write_bytes(temp_.file("broken.json"), R"({"name": "x"})");
  bad = good;
  bad.plan = temp_.file("broken.json");
  dialog.set_request(bad);
  QVERIFY2(dialog.problem().contains(QStringLiteral("broken.json")), qPrintable(dialog.problem()));
  dialog.accept();
  QCOMPARE(wanted.count(), 0);
  dialog.set_request(good);
  dialog.accept();
  QCOMPARE(wanted.count(), 1);
  QCOMPARE(wanted.front().front().value<ExperimentRequest>().overrides.data, good.overrides.data);
}

/// In the source tree; tests/repo/install_test.sh looks at those of an installation.
void ExperimentDialogTest::shipped_plans_say_what_they_need() {
  const auto plans = ExperimentDialog::shipped_plans();
  QVERIFY2(plans.size() >= 14, QByteArray::number(static_cast<int>(plans.size())));
  QVERIFY(plans.front().path.contains(QStringLiteral("demo_")));  // which needs nothing more
  ExperimentDialog dialog;
  auto* shipped = dialog.findChild<QComboBox*>();
  QCOMPARE(shipped->count(), std::ssize(plans));
  QCOMPARE(shipped->currentIndex(), -1);
  const auto choose = [&](const QString& name) {
    for (int i = 0; i < shipped->count(); ++i)
      if (shipped->itemData(i).toString().endsWith(u'/' + name)) {
        shipped->setCurrentIndex(i);
        Q_EMIT shipped->activated(i);
      }
  };
  choose(QStringLiteral("demo_k.json"));
  QCOMPARE(dialog.problem(), QString());
  QVERIFY(dialog.request().plan.ends_with("/demo_k.json"));
  const QString needs = dialog.needs();
  QVERIFY2(needs.contains(QStringLiteral("resources/demo")) && needs.contains(QStringLiteral("demo/train")) &&
               needs.contains(QStringLiteral("demo/test")) && needs.count(u'\n') == 2,
           qPrintable(needs));
  QVERIFY(!needs.contains(ExperimentDialog::tr("%1 (missing)").arg(QString())));

  choose(QStringLiteral("held_out.json"));
  const QString lines = dialog.needs();
  QVERIFY2(lines.contains(ExperimentDialog::tr("%1 evaluation texts: %2").arg(12).arg(QString())) &&
               lines.contains(QStringLiteral("SmolLM2")) && lines.contains(QStringLiteral("adapters/smollm2-135m")),
           qPrintable(lines));
  ExperimentRequest request = dialog.request();
  request.overrides.models = {{"smollm2", temp_.file("nowhere.gguf")}};
  dialog.set_request(request);
  const QString missing = ExperimentDialog::tr("%1 (missing)").arg(text(temp_.file("nowhere.gguf")));
  QVERIFY2(dialog.needs().contains(missing) && dialog.problem().contains(missing), qPrintable(dialog.problem()));

  dialog.set_request(small_request(temp_, {}));
  QCOMPARE(shipped->currentIndex(), -1);  // one's own
}

void ExperimentDialogTest::a_dry_run_says_how_long() {
  ExperimentDialog dialog;
  dialog.forecast().set_program(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"));
  auto* ask = button<QPushButton>(dialog, ExperimentDialog::tr("Dry run"));
  QVERIFY(!ask->isEnabled());  // no plan yet
  dialog.set_request(small_request(temp_, temp_.file("planned")));
  QVERIFY(ask->isEnabled() && dialog.said().isEmpty());
  ask->click();
  QVERIFY(!ask->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(!dialog.forecast().running(), patience_ms);
  QVERIFY2(dialog.said().contains(QStringLiteral("9")) &&
               dialog.said().startsWith(ExperimentDialog::tr("%1 of %2 cells to run: about %3, %4 of disk space")
                                            .arg(9)
                                            .arg(9)
                                            .section(QStringLiteral("%3"), 0, 0)),
           qPrintable(dialog.said()));
  QVERIFY(!fs::exists(temp_.file("planned")));  // nothing is run

  ExperimentRequest other = small_request(temp_, temp_.file("planned"));
  other.overrides.threads = 1;
  dialog.set_request(other);
  QVERIFY(dialog.said().isEmpty() && ask->isEnabled());  // what was said is not of this one
  write_bytes(temp_.file("short.txt"), "Who is May?");
  other.overrides.texts = {temp_.file("short.txt")};
  dialog.set_request(other);
  dialog.check();
  QTRY_VERIFY_WITH_TIMEOUT(!dialog.forecast().running(), patience_ms);
  QVERIFY2(dialog.said().contains(QStringLiteral("short.txt")), qPrintable(dialog.said()));
}

static const TestFile these_tests{__FILE__, in_window<ExperimentDialogTest>};
#include "experiment_dialog_test.moc"
