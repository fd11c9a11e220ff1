// SPDX-License-Identifier: GPL-3.0-or-later
// One request at a time, in order, with a bound; who doesn't wait any more is stopped or dropped.
#include "app/serve/engine_queue.h"

#include <QTest>
#include <latch>

#include "tests/support/expect_error.h"
#include "tests/support/fake_serving_engine.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

EngineQueue::Open open_fake() {
  return [] { return std::make_unique<FakeServingEngine>(); };
}

void wait_for_stop(RunControl& control) {
  while (!control.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

class EngineQueueTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void work_is_done_in_order_on_the_thread_that_opened() {
    std::thread::id opened;
    std::vector<int> order;
    {
      EngineQueue queue(
          [&] {
            opened = std::this_thread::get_id();
            return std::make_unique<FakeServingEngine>();
          },
          1000);
      std::latch done(100);
      for (int i = 0; i < 100; ++i)
        QVERIFY(queue.post([&, i](ServingEngine&, RunControl&) {
          if (std::this_thread::get_id() == opened) order.push_back(i);
          done.count_down();
        }));
      done.wait();
    }
    QCOMPARE(order.size(), std::size_t{100});
    QVERIFY(std::ranges::is_sorted(order) && opened != std::this_thread::get_id());
  }

  void more_than_may_wait_are_refused() {
    std::atomic<int> answered{0};
    const auto count = [&](ServingEngine&, RunControl&) { ++answered; };
    std::latch running(1);
    EngineQueue queue(open_fake(), 2);  // ends before what its work refers to
    const auto first = queue.post([&](ServingEngine&, RunControl& control) {
      running.count_down();
      wait_for_stop(control);
    });
    running.wait();
    const auto second = queue.post(count), third = queue.post(count);
    QVERIFY(first && second && third && !queue.post(count));
    QCOMPARE(queue.waiting(), std::size_t{2});
    queue.cancel(second);  // its place is free at once
    QCOMPARE(queue.waiting(), std::size_t{1});
    QVERIFY(second->stop_requested() && queue.post(count) && !queue.post(count));
    queue.cancel(first);
    while (!queue.idle()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    QCOMPARE(answered.load(), 2);
    queue.cancel(first);  // it is done: nothing happens
    QVERIFY(queue.post(count));
  }

  void none_waiting_still_takes_one() {
    EngineQueue queue(open_fake(), 0);
    std::latch done(1);
    QVERIFY(queue.post([&](ServingEngine&, RunControl&) { done.count_down(); }));
    done.wait();
  }

  void stopping_calls_all_that_wait() {
    EngineQueue queue(open_fake(), 10);
    std::atomic<int> stopped{0};
    const auto work = [&](ServingEngine&, RunControl& control) {
      wait_for_stop(control);
      ++stopped;
    };
    for (int i = 0; i < 5; ++i) QVERIFY(queue.post(work));
    queue.finish();
    QCOMPARE(stopped.load(), 5);
    QVERIFY(!queue.post(work));
  }

  void an_engine_that_does_not_open_says_why() {
    const auto open = []() -> std::unique_ptr<ServingEngine> {
      throw EngineError(Fault::BadInput, "the model", "is no model");
    };
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "is no model", [&] { EngineQueue queue(open, 1); })),
             QString());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<EngineQueueTest>};
#include "engine_queue_test.moc"
