// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/platform_notes.h"

#include <QWindow>

#include "tests/support/gui_test.h"

using namespace carryover;

namespace {
QStringList said;
}

class PlatformNotesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_platforms_own_notes_are_dropped_and_nothing_else() {
    const QtMessageHandler before =
        qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString& text) { said += text; });
    const auto make_window_speak = [] {
      QWidget window;
      window.setMinimumSize(100, 100);
      window.show();
      window.setMinimumSize(200, 200);
      qWarning("a warning of ours");
    };
    make_window_speak();
    QVERIFY2(said.size() > 1 && said.first().contains("propagateSizeHints"), "the platform says nothing: test another");
    said.clear();
    drop_platform_notes();
    make_window_speak();
    qInstallMessageHandler(before);
    QCOMPARE(said, QStringList{"a warning of ours"});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PlatformNotesTest>};
#include "platform_notes_test.moc"
