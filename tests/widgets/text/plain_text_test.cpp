// SPDX-License-Identifier: GPL-3.0-or-later
// A token, a name or a path that is spelled as markup is shown as it is spelled, and no file that it names is read.
#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QTableView>
#include <QTest>
#include <QToolTip>

#include "tests/support/all_dialogs.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/settle.h"
#include "widgets/controls/elided_label.h"
#include "widgets/controls/panel_controls.h"
#include "widgets/look/markup.h"
#include "widgets/look/shown_name.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const QString hostile = QStringLiteral("<img\u00a0src=\"/dev/ptmx\"><b>bold</b>");

/// The label that Qt makes for a tooltip; null where none is shown.
const QLabel* tip() {
  for (const QWidget* widget : QApplication::topLevelWidgets())
    if (widget->inherits("QTipLabel") && widget->isVisible()) return static_cast<const QLabel*>(widget);
  return nullptr;
}

/// Returns the labels of which Qt would guess that their text is rich.
QStringList guessing_labels(const QWidget& widget) {
  QStringList found;
  for (const QLabel* label : widget.findChildren<QLabel*>())
    if (label->testAttribute(Qt::WA_WState_Polished) && label->textFormat() == Qt::AutoText) found += label->text();
  return found;
}

}  // namespace

class PlainTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup() { QToolTip::hideText(); }

  void a_label_shows_what_it_is_given() {
    QLabel label(hostile), other(QStringLiteral("x"));
    label.show();
    settle();
    QCOMPARE(label.textFormat(), Qt::PlainText);
    QVERIFY(label.sizeHint().width() >= label.fontMetrics().horizontalAdvance(hostile));
    label.setText(QStringLiteral("<i>other</i>"));
    QCOMPARE(label.textFormat(), Qt::PlainText);
  }

  /// Qt reads an & as a shortcut, a tab as the column of one, and [*] in a title as a mark of changes.
  void a_name_has_no_shortcut_and_no_mark() {
    QCOMPARE(action_text(QStringLiteral("R&D && x\tCtrl+Q\ny")), QStringLiteral("R&&D &&&& x Ctrl+Q y"));
    QMenu menu;
    QCOMPARE(menu.addAction(action_text(QStringLiteral("R&D")))->iconText(), QStringLiteral("R&D"));
    QCOMPARE(title_text(QStringLiteral("a[*]\nb")), QStringLiteral("a[*][*] b"));
    QWidget window;
    window.setWindowTitle(title_text(QStringLiteral("a[*]")) + QStringLiteral("[*]"));
    window.setWindowModified(true);
    QCOMPARE(window.windowTitle(), QStringLiteral("a[*][*][*]"));
  }

  void a_tooltip_shows_what_it_is_given() {
    QWidget place;
    place.resize(200, 100);
    place.show();
    for (const QString& text : {QStringLiteral("first"), hostile}) {  // Qt takes the same label for both
      QToolTip::showText(place.mapToGlobal(QPoint(5, 5)), text, &place);
      QTRY_VERIFY(tip() != nullptr && tip()->text() == text);
      QCOMPARE(tip()->textFormat(), Qt::PlainText);
    }
  }

  void a_cut_label_tells_its_text_in_a_tooltip() {
    ElidedLabel label(nullptr, Qt::ElideRight);
    label.setText(hostile + QString(400, u'x'));
    label.setToolTip(hostile);
    label.resize(60, 20);
    label.show();
    settle();
    QHelpEvent help(QEvent::ToolTip, {5, 5}, label.mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(&label, &help);
    QVERIFY(tip() && tip()->text().contains(hostile));
    QCOMPARE(tip()->textFormat(), Qt::PlainText);
  }

  void a_message_box_shows_what_it_is_given() {
    QMessageBox box(QMessageBox::Warning, QStringLiteral("title"), hostile, QMessageBox::Ok);
    box.setInformativeText(hostile);
    box.open();
    settle();
    QVERIFY(box.findChildren<QLabel*>().size() >= 2);
    QCOMPARE(guessing_labels(box), QStringList());
  }

  void markup_of_the_program_is_rich_and_read_as_text() {
    QLabel label;
    set_markup(label, QStringLiteral("<b>bold</b> %1").arg(hostile.toHtmlEscaped()));
    QCOMPARE(label.textFormat(), Qt::RichText);
    QCOMPARE(plain_text(label), QStringLiteral("bold <img src=\"/dev/ptmx\"><b>bold</b>"));
    QLabel plain(hostile);
    QCOMPARE(plain_text(plain), hostile);
  }

  void no_label_of_the_window_guesses() {
    const TempDir folder;
    Home home(folder);
    MainWindow& window = home.window;
    open_demo(window, 600);
    run_to_the_end(window);
    for (const QString& id : window.docks().ids()) {
      window.docks().raise(id);
      settle();
    }
    QCOMPARE(guessing_labels(window), QStringList());
    PlotView plot(QStringLiteral("loss"));
    for (const NamedDialog& each : all_dialogs(plot, folder.file("run"))) {
      const auto dialog = each.make();
      dialog->show();
      QCOMPARE(guessing_labels(*dialog), QStringList());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PlainTextTest>};
#include "plain_text_test.moc"
