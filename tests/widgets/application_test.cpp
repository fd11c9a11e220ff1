// SPDX-License-Identifier: GPL-3.0-or-later
// No exception leaves an event handler: it is reported once the handler has ended, and the program continues.
#include "app/start/application.h"

#include <QTest>
#include <QThread>
#include <QTimer>
#include <QWidget>
#include <stdexcept>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"

using namespace carryover;

namespace {

class Thrower : public QWidget {
 public:
  int painted = 0;

 protected:
  void mousePressEvent(QMouseEvent*) override {
    throw EngineError(Fault::BadInput, "a file", "is wrong", "Choose another.");
  }
  void keyPressEvent(QKeyEvent*) override { throw std::out_of_range("vector::at"); }
  void paintEvent(QPaintEvent*) override {
    ++painted;
    throw std::runtime_error("while painting");
  }
};

Application& application() {
  return *static_cast<Application*>(QCoreApplication::instance());
}

}  // namespace

class ApplicationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    told_.clear();
    application().set_reporter([this](const ErrorReport& report) { told_ += report.where + u':' + report.problem; });
  }

  void handlers_that_throw_are_told_of() {
    Thrower widget;
    QTest::mouseClick(&widget, Qt::LeftButton);
    QVERIFY(told_.isEmpty());  // not in the middle of it
    QTRY_COMPARE(told_, QStringList("a file:is wrong"));
    QTest::keyClick(&widget, Qt::Key_A);
    QTRY_COMPARE(told_.size(), 2);
    QVERIFY(told_.last().contains("vector::at"));
    QTimer::singleShot(0, &widget, [] { throw 7; });
    QTRY_COMPARE(told_.size(), 3);
    QTest::mouseClick(&widget, Qt::LeftButton);  // the same again is told again
    QTRY_COMPARE(told_.size(), 4);
  }

  void what_each_painting_says_is_told_once() {
    Thrower widget;
    application().set_reporter([&](const ErrorReport& report) {
      told_ += report.problem;
      widget.update();
    });
    widget.show();
    QTRY_VERIFY(widget.painted >= 2);
    test::settle();
    QCOMPARE(told_, QStringList("while painting"));
  }

  void another_thread_is_told_of_here() {
    QThread thread;
    QObject worker;
    QThread* where = nullptr;
    application().set_reporter([&](const ErrorReport& report) {
      told_ += report.problem;
      where = QThread::currentThread();
    });
    worker.moveToThread(&thread);
    thread.start();
    QMetaObject::invokeMethod(
        &worker, [] { throw std::runtime_error("there"); }, Qt::QueuedConnection);
    QTRY_COMPARE(told_, QStringList("there"));
    QCOMPARE(where, QThread::currentThread());
    thread.quit();
    QVERIFY(thread.wait());
  }

  void a_reporter_that_throws_ends_nothing() {
    application().set_reporter([this](const ErrorReport&) {
      told_ += "once";
      throw std::runtime_error("no more");
    });
    Thrower widget;
    QTest::mouseClick(&widget, Qt::LeftButton);
    QTRY_COMPARE(told_.size(), 1);
    test::settle();
    QCOMPARE(told_.size(), 1);
  }

 private:
  QStringList told_;
};

static const carryover::test::TestFile these_tests{__FILE__, test::in_window<ApplicationTest, Application>};
#include "application_test.moc"
