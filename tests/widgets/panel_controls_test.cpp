// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/panel_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QVBoxLayout>

#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"

using namespace carryover;
using carryover::test::unlike;

namespace {

/// One of each kind of switch.
struct Board : QWidget {
  Board() {
    setObjectName(QStringLiteral("board"));
    auto* layout = new QVBoxLayout(this);
    for (QWidget* widget : std::initializer_list<QWidget*>{label, colour, shown, count, rate, query, pages, go})
      layout->addWidget(widget);
    colour->addItems({QStringLiteral("red"), QStringLiteral("2"), QStringLiteral("blue")});
    colour->setAccessibleName(QStringLiteral("Colour"));
    count->setAccessibleName(QStringLiteral("Count"));
    count->setRange(1, 9);
    rate->setAccessibleName(QStringLiteral("Rate"));
    query->setAccessibleName(QStringLiteral("Query"));
    pages->setAccessibleName(QStringLiteral("Pages"));
    pages->addTab(new QWidget, QStringLiteral("first"));
    pages->addTab(new QWidget, QStringLiteral("second"));
  }
  QLabel* label = new QLabel(QStringLiteral("Δloss 0.5"));
  QComboBox* colour = new QComboBox;
  QCheckBox* shown = new QCheckBox(QStringLiteral("&Shown"));
  QSpinBox* count = new QSpinBox;
  QDoubleSpinBox* rate = new QDoubleSpinBox;
  QLineEdit* query = new QLineEdit;
  QTabWidget* pages = new QTabWidget;
  QPushButton* go = new QPushButton(QStringLiteral("&Go"));
};

}  // namespace

class PanelControlsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void every_switch_is_listed_once() {
    Board board;
    const std::vector<PanelControl> wanted{{"Colour", "red"}, {"Shown", "off"}, {"Count", "1"},
                                           {"Rate", "0"},     {"Query", ""},    {"Pages", "first"}};
    QVERIFY(panel_controls(board) == wanted);
  }

  void switches_move_as_under_a_hand() {
    Board board;
    QSignalSpy toggled(board.shown, &QCheckBox::toggled), chosen(board.colour, &QComboBox::activated);
    set_panel_control(board, "Colour", "blue");
    set_panel_control(board, "Shown", "on");
    set_panel_control(board, "Shown", "on");
    set_panel_control(board, "Count", "7");
    set_panel_control(board, "Rate", "0.25");
    set_panel_control(board, "Query", "needle");
    set_panel_control(board, "Pages", "second");
    QCOMPARE(board.pages->currentIndex(), 1);
    QCOMPARE(board.colour->currentIndex(), 2);
    QVERIFY(board.shown->isChecked());
    QCOMPARE(toggled.count(), 1);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(board.count->value(), 7);
    QCOMPARE(board.rate->value(), 0.25);
    QCOMPARE(board.query->text(), QStringLiteral("needle"));
    set_panel_control(board, "Colour", "2");  // an item's text comes before a number
    QCOMPARE(board.colour->currentIndex(), 1);
    set_panel_control(board, "Colour", "0");
    QCOMPARE(board.colour->currentIndex(), 0);
  }

  void buttons_are_pressed_by_name() {
    Board board;
    QSignalSpy clicked(board.go, &QPushButton::clicked);
    press_panel_button(board, "Go");
    QCOMPARE(clicked.count(), 1);
    board.go->setEnabled(false);
    board.go->setToolTip(QStringLiteral("Select a hit first"));
    QCOMPARE(unlike(Fault::Usage, "Select a hit first", [&] { press_panel_button(board, "Go"); }), "");
    QCOMPARE(clicked.count(), 1);
  }

  void refusals_say_what_there_is() {
    Board board;
    const auto refusal = [&](const char* name, const char* value, const char* part) {
      return unlike(Fault::Usage, part, [&] { set_panel_control(board, name, value); });
    };
    QCOMPARE(refusal("Size", "1", "Colour; Shown; Count; Rate; Query"), "");
    QCOMPARE(refusal("Colour", "green", "red; 2; blue"), "");
    QCOMPARE(refusal("Colour", "3", "red; 2; blue"), "");
    QCOMPARE(refusal("Shown", "yes", "on or off"), "");
    QCOMPARE(refusal("Count", "10", "from 1 to 9"), "");
    QCOMPARE(refusal("Rate", "much", "from 0 to"), "");
    board.colour->setEnabled(false);
    QCOMPARE(refusal("Colour", "blue", "now"), "");
    QCOMPARE(unlike(Fault::Usage, "It has: Shown; Go", [&] { press_panel_button(board, "Stop"); }), "");
  }

  void texts_are_read() {
    Board board;
    QVERIFY(panel_text(board).startsWith(QStringLiteral("Δloss 0.5\nColour: red\n")));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PanelControlsTest>};
#include "panel_controls_test.moc"
