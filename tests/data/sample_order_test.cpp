// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which training sees its samples: each window once an epoch, from seed and place alone.
#include <QTest>
#include <random>
#include <set>

#include "engine/data/corpus.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::unlike;

namespace {

std::vector<Document> documents_of(const std::vector<std::int64_t>& lengths) {
  std::vector<Document> documents;
  for (std::int64_t length : lengths)
    documents.push_back({"d", std::vector<std::int32_t>(static_cast<std::size_t>(length))});
  return documents;
}

}  // namespace

class SampleOrderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_epoch_takes_every_window_once();
  void samples_need_no_history();
  void epochs_and_seeds_differ();
  void the_order_is_the_same_everywhere();
  void nothing_to_sample_is_refused();
};

/// Over random documents and lengths: no window twice, none outside its document, as many as fit.
void SampleOrderTest::an_epoch_takes_every_window_once() {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> lengths{2};
    for (int i = 0; i < 1 + round % 5; ++i) lengths.push_back(random() % 300);
    const std::int64_t length = 2 + random() % 60;
    std::int64_t windows = 0;
    for (std::int64_t tokens : lengths) windows += tokens >= length ? tokens / length : tokens >= 2 ? 1 : 0;
    SampleOrder order(documents_of(lengths), length, random());
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      std::set<std::pair<std::size_t, std::int64_t>> tokens;
      std::int64_t seen = 0;
      for (std::int64_t n = 0; n < windows; ++n) {
        const SampleSpan span = order.sample(epoch * windows + n);
        QVERIFY(span.length == std::min(length, lengths[span.document]) && span.length >= 2);
        QVERIFY(span.first >= 0 && span.first + span.length <= lengths[span.document]);
        for (std::int64_t i = 0; i < span.length; ++i) tokens.insert({span.document, span.first + i});
        seen += span.length;
      }
      QCOMPARE(std::ssize(tokens), seen);
    }
  }
}

void SampleOrderTest::samples_need_no_history() {
  const auto documents = documents_of({1000, 7, 130, 64, 1});
  SampleOrder straight(documents, 64, 9);
  std::vector<SampleSpan> spans;
  for (int n = 0; n < 100; ++n) spans.push_back(straight.sample(n));
  std::mt19937 random(1);
  SampleOrder jumping(documents, 64, 9);
  for (int i = 0; i < 300; ++i) {
    const std::size_t n = random() % 100;
    QVERIFY(jumping.sample(static_cast<std::int64_t>(n)) == spans[n]);
  }
}

void SampleOrderTest::epochs_and_seeds_differ() {
  const auto documents = documents_of({64 * 40 + 37});
  const auto epoch = [&](std::uint64_t seed, std::int64_t which) {
    SampleOrder order(documents, 64, seed);
    std::vector<std::int64_t> firsts;
    for (std::int64_t n = 0; n < 40; ++n) firsts.push_back(order.sample(which * 40 + n).first);
    return firsts;
  };
  std::set<std::vector<std::int64_t>> orders, starts;
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (std::int64_t which = 0; which < 8; ++which) {
      auto firsts = epoch(seed, which);
      QVERIFY(!std::is_sorted(firsts.begin(), firsts.end()));
      orders.insert(firsts);
      std::sort(firsts.begin(), firsts.end());
      starts.insert(firsts);
    }
  QCOMPARE(orders.size(), std::size_t{64});
  QVERIFY(starts.size() > 20);  // of 38 starts that 64 draws could give
}

/// A resumed run on another machine must meet the same samples: these are written down.
void SampleOrderTest::the_order_is_the_same_everywhere() {
  SampleOrder order(documents_of({50, 5, 33}), 10, 42);
  QString firsts;
  for (int n = 0; n < 18; ++n) {
    const SampleSpan span = order.sample(n);
    firsts += QString("%1:%2 ").arg(span.document).arg(span.first);
  }
  QCOMPARE(firsts, QStringLiteral("2:13 0:20 0:30 0:10 0:40 2:3 1:0 0:0 2:23 "
                                  "0:20 1:0 2:10 2:0 0:30 0:0 0:40 2:20 0:10 "));
}

void SampleOrderTest::nothing_to_sample_is_refused() {
  for (const auto& lengths : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{0, 1, 1}}) {
    const std::string wrong =
        unlike(Fault::BadInput, "two tokens or more", [&] { SampleOrder(documents_of(lengths), 16, 1); });
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SampleOrderTest>};
#include "sample_order_test.moc"
