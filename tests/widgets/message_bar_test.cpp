// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/message_bar.h"

#include <QTest>
#include <QToolButton>

#include "tests/support/gui_test.h"

using namespace carryover;

class MessageBarTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_note_has_no_button_of_what_was_said_before_and_never_hides_an_error() {
    QWidget window;
    MessageBar bar(&window);
    window.show();
    bar.show_written(QStringLiteral("/nowhere/study.carryover"));
    const auto* offer = bar.findChild<QToolButton*>(QStringLiteral("offer"));
    QVERIFY(offer != nullptr && offer->isVisible());
    bar.show_note(QStringLiteral("said"));
    QVERIFY(bar.isVisible() && bar.text().contains(QStringLiteral("said")));
    QVERIFY(!offer->isVisible());
    bar.show_error({Fault::Io, QStringLiteral("here"), QStringLiteral("broken"), QStringLiteral("mend it")});
    bar.show_note(QStringLiteral("said again"));
    bar.show_written(QStringLiteral("/nowhere/study.carryover"));
    QVERIFY(bar.text().contains(QStringLiteral("broken")));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<MessageBarTest>};
#include "message_bar_test.moc"
