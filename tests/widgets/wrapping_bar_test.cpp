// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/wrapping_bar.h"

#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QVBoxLayout>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"

using namespace carryover;

namespace {

/// A window with a bar above a body that takes the rest.
struct Window {
  QWidget widget;
  WrappingBar* bar = new WrappingBar;

  Window() {
    auto* column = new QVBoxLayout(&widget);
    column->addLayout(bar);
    column->addWidget(new QWidget(&widget), 1);
  }
  void show(int width) {
    widget.resize(width, 400);
    widget.show();
    test::settle();
  }
};

}  // namespace

class WrappingBarTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void what_does_not_fit_continues_on_the_next_line() {
    Window window;
    std::vector<QPushButton*> buttons;
    for (const char* text : {"Compare these", "Delete these", "Open this one"}) {
      buttons.push_back(new QPushButton(QLatin1String(text), &window.widget));
      window.bar->addWidget(buttons.back());
    }
    window.show(900);
    for (const QPushButton* button : buttons) QCOMPARE(button->y(), buttons.front()->y());
    window.show(buttons.front()->sizeHint().width() + 40);
    for (std::size_t i = 1; i < buttons.size(); ++i) {
      QVERIFY(buttons[i]->y() > buttons[i - 1]->y());
      QVERIFY(!buttons[i]->geometry().intersects(buttons[i - 1]->geometry()));
    }
  }

  void a_text_that_wraps_is_as_high_as_its_lines() {
    Window window;
    auto* text =
        new QLabel(QStringLiteral("The search inserts needles into novels. It finds the heads whose search retrieves "
                                  "the answers, then the smallest set of heads that has to read them."),
                   &window.widget);
    text->setWordWrap(true);
    window.bar->addWidget(text, 1);
    window.bar->addWidget(new QPushButton(QStringLiteral("Save"), &window.widget));
    window.show(300);
    const int narrow = text->height();
    QVERIFY2(narrow >= text->heightForWidth(text->width()), qPrintable(QString::number(narrow)));
    window.show(1600);
    QVERIFY(text->height() < narrow);
  }

  void what_is_hidden_takes_no_room() {
    Window window;
    auto *text = new QLabel(QStringLiteral("text"), &window.widget), *other = new QLabel(&window.widget);
    window.bar->addWidget(text, 1);
    window.bar->addWidget(other, 1);
    other->hide();
    window.show(600);
    QVERIFY(text->width() > 500);  // all but the margins
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<WrappingBarTest>};
#include "wrapping_bar_test.moc"
