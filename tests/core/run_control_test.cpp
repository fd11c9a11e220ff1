// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/run_control.h"

#include <QTest>
#include <latch>
#include <thread>

#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;

class RunControlTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void passes_when_nothing_was_asked();
  void a_stop_throws_cancelled();
  void a_pause_holds_until_resumed();
  void a_stop_ends_a_pause();
};

void RunControlTest::passes_when_nothing_was_asked() {
  RunControl control;
  control.checkpoint();
  QVERIFY(!control.stop_requested() && !control.paused());
}

void RunControlTest::a_stop_throws_cancelled() {
  RunControl control;
  control.request_stop();
  QCOMPARE(test::unlike(Fault::Cancelled, "stopped", [&] { control.checkpoint(); }), "");
}

void RunControlTest::a_pause_holds_until_resumed() {
  for (int round = 0; round < 200; ++round) {
    RunControl control;
    control.pause();
    std::atomic<bool> resumed{false};
    bool passed_early = false;
    std::latch started(2);
    std::thread engine([&] {
      started.arrive_and_wait();
      control.checkpoint();
      passed_early = !resumed.load();
    });
    started.arrive_and_wait();
    std::this_thread::yield();
    resumed.store(true);
    control.resume();
    engine.join();
    QVERIFY(!passed_early);
    QVERIFY(!control.paused());
  }
}

void RunControlTest::a_stop_ends_a_pause() {
  for (int round = 0; round < 200; ++round) {
    RunControl control;
    control.pause();
    std::string wrong = "not run";
    std::thread engine([&] { wrong = test::unlike(Fault::Cancelled, "stopped", [&] { control.checkpoint(); }); });
    control.request_stop();
    engine.join();
    QCOMPARE(wrong, "");
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RunControlTest>};
#include "run_control_test.moc"
