// SPDX-License-Identifier: GPL-3.0-or-later
// A problem that keeps the window from opening is said, with what to do, and ends the program with code 3: no platform
// of Qt's that answers, and paths whose bytes Qt can't keep.
#include <QProcess>
#include <QTest>

#include "engine/base/error.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/look/qt_path.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Ended {
  int code;
  QString said;
};

/// `command` for a shell, in which $0 is the program: arguments of Qt's own are text.
Ended run(const QString& platform, const QString& command, const QString& folder) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("QT_QPA_PLATFORM"), platform);
  environment.remove(QStringLiteral("DISPLAY"));
  environment.insert(QStringLiteral("HOME"), folder);
  process.setProcessEnvironment(environment);
  process.setWorkingDirectory(folder);
  process.start(QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), command, QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover")});
  process.waitForFinished(60'000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAllStandardError())};
}

std::string shown(const std::string& path) {
  try {
    require_qt_path(path);
  } catch (const EngineError& error) {
    return error.fault() == Fault::BadInput ? error.where() : "another fault";
  }
  return {};
}

}  // namespace

class StartProblemsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_platform_that_is_not_there_is_named_data() {
    QTest::addColumn<QString>("platform");
    QTest::newRow("unknown") << QStringLiteral("nonsense");
    QTest::newRow("no display") << QStringLiteral("xcb");
  }

  void a_platform_that_is_not_there_is_named() {
    QFETCH(QString, platform);
    const TempDir folder;
    const Ended ended = run(platform, QStringLiteral("\"$0\""), QString::fromStdString(folder.path().string()));
    QCOMPARE(ended.code, 3);
    QVERIFY2(ended.said.contains(QStringLiteral("can't open on the platform \"%1\"").arg(platform)),
             qPrintable(ended.said));
    QVERIFY2(ended.said.contains(QStringLiteral("install")), qPrintable(ended.said));
  }

  void paths_of_other_bytes_are_shown_and_refused() {
    QCOMPARE(shown("/tmp/bad\xff"
                   "byte"),
             std::string("/tmp/bad\\xffbyte"));
    QCOMPARE(shown("\xe4t\xf6n"), std::string("\\xe4t\\xf6n"));
    QCOMPARE(shown("/tmp/gut/Ünï/漢字 🙂"), std::string());
    const TempDir folder;
    const QString here = QString::fromStdString(folder.path().string());
    const QString make = QStringLiteral("bad=$(printf 'bad\\377byte'); mkdir \"$bad\"; ");
    for (const char* words : {"\"$0\" \"$bad\"", "\"$0\" --headless --out \"$bad/run\"", "cd \"$bad\"; \"$0\" model",
                              "HOME=\"$PWD/$bad\" \"$0\"", "\"$0\" export run --figure loss -o \"$bad/loss.png\""}) {
      const Ended ended = run(QStringLiteral("offscreen"), make + QLatin1String(words), here);
      QCOMPARE(ended.code, 3);
      QVERIFY2(ended.said.contains(QStringLiteral("bad\\xffbyte")) && ended.said.contains(QStringLiteral("UTF-8")),
               qPrintable(ended.said));
      QVERIFY(run(QStringLiteral("offscreen"), QStringLiteral("rmdir bad*"), here).code == 0);  // and nothing was made
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<StartProblemsTest>};
#include "start_problems_test.moc"
