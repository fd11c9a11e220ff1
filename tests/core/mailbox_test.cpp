// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/mailbox.h"

#include <QTest>
#include <atomic>
#include <thread>

using carryover::Mailbox;

class MailboxTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void scalars_all_arrive_and_the_newest_map_wins();
  void one_wake_up_a_batch();
  void a_missing_map_keeps_the_last_one();
  void nothing_is_lost_between_threads();
  void notify_may_drain();
};

void MailboxTest::scalars_all_arrive_and_the_newest_map_wins() {
  Mailbox<int, std::string> box([] {});
  for (int i = 0; i < 10; ++i) box.post(i, std::make_shared<const std::string>(std::to_string(i)));
  const auto batch = box.drain();
  QCOMPARE(batch.scalars, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  QCOMPARE(*batch.heavy, std::string("9"));
  QVERIFY(box.drain().scalars.empty());
  QVERIFY(box.drain().heavy == nullptr);
}

void MailboxTest::one_wake_up_a_batch() {
  int wakes = 0;
  Mailbox<int, int> box([&] { ++wakes; });
  for (int i = 0; i < 5; ++i) box.post(i, nullptr);
  QCOMPARE(wakes, 1);
  box.drain();
  box.post(5, nullptr);
  QCOMPARE(wakes, 2);
}

void MailboxTest::a_missing_map_keeps_the_last_one() {
  Mailbox<int, int> box([] {});
  box.post(1, std::make_shared<const int>(7));
  box.post(2, nullptr);
  QCOMPARE(*box.drain().heavy, 7);
}

void MailboxTest::nothing_is_lost_between_threads() {
  constexpr int count = 20000;
  std::atomic<int> wakes{0};
  Mailbox<int, int> box([&] { wakes.fetch_add(1); });
  std::thread engine([&] {
    for (int i = 0; i < count; ++i) box.post(i, std::make_shared<const int>(i));
  });
  std::vector<int> received;
  int newest = -1, drained_at_wakes = 0;
  while (received.size() < count) {
    if (wakes.load() == drained_at_wakes) {  // a receiver that only moves when woken must get everything
      std::this_thread::yield();
      continue;
    }
    drained_at_wakes = wakes.load();
    const auto batch = box.drain();
    received.insert(received.end(), batch.scalars.begin(), batch.scalars.end());
    if (batch.heavy) {
      QVERIFY(*batch.heavy > newest);
      newest = *batch.heavy;
    }
  }
  engine.join();
  for (int i = 0; i < count; ++i) QCOMPARE(received[static_cast<std::size_t>(i)], i);
  QCOMPARE(newest, count - 1);
}

void MailboxTest::notify_may_drain() {
  Mailbox<int, int>* self = nullptr;
  std::size_t drained = 0;
  Mailbox<int, int> box([&] { drained += self->drain().scalars.size(); });
  self = &box;
  for (int i = 0; i < 3; ++i) box.post(i, nullptr);
  QCOMPARE(drained, std::size_t{3});
}

QTEST_APPLESS_MAIN(MailboxTest)
#include "mailbox_test.moc"
