// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/mailbox.h"

#include <QTest>
#include <atomic>
#include <thread>

#include "tests/support/test_program.h"

using carryover::Mailbox;

class MailboxTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_message_arrives_in_order();
  void one_wake_up_a_batch();
  void nothing_is_lost_between_threads();
  void wake_may_drain();
};

void MailboxTest::every_message_arrives_in_order() {
  Mailbox<int> box([] {});
  for (int i = 0; i < 10; ++i) box.post(i);
  QCOMPARE(box.drain(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  QVERIFY(box.drain().empty());
}

void MailboxTest::one_wake_up_a_batch() {
  int wakes = 0;
  Mailbox<int> box([&] { ++wakes; });
  for (int i = 0; i < 5; ++i) box.post(i);
  box.wake_once();
  QCOMPARE(wakes, 1);
  box.drain();
  box.wake_once();
  box.post(5);
  QCOMPARE(wakes, 2);
}

void MailboxTest::nothing_is_lost_between_threads() {
  constexpr int count = 20000;
  std::atomic<int> wakes{0};
  Mailbox<int> box([&] { wakes.fetch_add(1); });
  std::thread engine([&] {
    for (int i = 0; i < count; ++i) box.post(i);
  });
  std::vector<int> received;
  int drained_at_wakes = 0;
  while (received.size() < count) {
    if (wakes.load() == drained_at_wakes) {  // a receiver that only moves when woken must get everything
      std::this_thread::yield();
      continue;
    }
    drained_at_wakes = wakes.load();
    const std::vector<int> batch = box.drain();
    received.insert(received.end(), batch.begin(), batch.end());
  }
  engine.join();
  for (int i = 0; i < count; ++i) QCOMPARE(received[static_cast<std::size_t>(i)], i);
}

void MailboxTest::wake_may_drain() {
  Mailbox<int>* self = nullptr;
  std::size_t drained = 0;
  Mailbox<int> box([&] { drained += self->drain().size(); });
  self = &box;
  for (int i = 0; i < 3; ++i) box.post(i);
  QCOMPARE(drained, std::size_t{3});
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MailboxTest>};
#include "mailbox_test.moc"
