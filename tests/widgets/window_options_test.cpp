// SPDX-License-Identifier: GPL-3.0-or-later
// The options that the window's command line refuses before anything opens, and the size that the window opens with.
#include <QTest>

#include "tests/support/gui_test.h"
#include "tests/support/window_process.h"
#include "widgets/look/screen_size.h"

using namespace carryover;
using namespace carryover::test;

class WindowOptionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void empty_paths_are_refused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("said");
    for (const char* option : {"--out", "--screenshots", "--training", "--adapter", "--script"})
      QTest::newRow(option) << QStringList{"--headless", option, ""} << QByteArray(option) + " names no file or folder";
    QTest::newRow("a model") << QStringList{"--headless", ""} << QByteArray("an empty argument names no model");
  }
  void empty_paths_are_refused() {
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, said);
    const TempDir home;
    Program program(home, arguments);
    QVERIFY(program.process.waitForFinished(60'000));
    QCOMPARE(program.process.exitCode(), 2);
    const QByteArray error = program.process.readAllStandardError();
    QVERIFY2(error.contains(said), error.constData());
  }

  void nothing_opens_larger_than_its_screen() {
    const QSize usual(1280, 800), fine_tuning(1100, 680);
    QCOMPARE(size_within({1920, 1080}, usual), usual);
    QCOMPARE(size_within({1366, 768}, usual), QSize(1280, 720));
    QCOMPARE(size_within({1024, 700}, usual), QSize(1008, 652));
    QCOMPARE(size_within({1366, 768}, fine_tuning), fine_tuning);
    QCOMPARE(size_within({1024, 700}, fine_tuning), QSize(1008, 652));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<WindowOptionsTest>};
#include "window_options_test.moc"
