// SPDX-License-Identifier: GPL-3.0-or-later
// The likeliest tokens are in the order of their logits, and the token that is scored has the number it was given.
#include "engine/runs/values/top_tokens.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;

class TopTokensTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void random_rows() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 4);
    for (int round = 0; round < 2000; ++round) {
      std::vector<float> logits(1 + random() % 50);
      for (float& logit : logits) logit = round % 2 == 0 ? normal(random) : std::round(normal(random));  // with ties
      const auto target = static_cast<std::int32_t>(random() % logits.size());
      const int count = static_cast<int>(random() % 12);
      double sum = 0;
      for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
      const auto exact = [&](std::int32_t id) {
        return static_cast<double>(logits[static_cast<std::size_t>(id)]) - std::log(sum);
      };
      // As another computation rounds it.
      const float given = static_cast<float>(exact(target)) + 4e-6F * (static_cast<float>(random() % 3) - 1);
      const std::vector<TopToken> top = top_tokens(logits, target, given, count);

      std::vector<std::int32_t> order(logits.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
      std::ranges::stable_sort(order, std::greater<>(),
                               [&](std::int32_t id) { return logits[static_cast<std::size_t>(id)]; });
      order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
      const bool within = std::ranges::count(order, target) > 0;
      if (!within) order.push_back(target);
      QCOMPARE(top.size(), order.size());
      for (std::size_t i = 0; i < top.size(); ++i) {
        QCOMPARE(top[i].id, order[i]);
        QVERIFY(std::abs(static_cast<double>(top[i].logprob) - exact(order[i])) < 1e-5);
        if (top[i].id == target) QCOMPARE(top[i].logprob, given);  // to the bit
        if (i > 0) QVERIFY(top[i].logprob <= top[i - 1].logprob);
      }
      if (top.front().id == target) QCOMPARE(std::ranges::max_element(top, {}, &TopToken::logprob)->logprob, given);
    }
  }

  void large_logits_do_not_overflow() {
    const std::vector<TopToken> top = top_tokens(std::vector<float>{1e30F, -1e30F, 1e30F}, 2, -std::log(2.F), 3);
    QVERIFY(top[0].id == 0 && top[1].id == 2 && top[0].logprob >= -std::log(2.F) && std::isfinite(top[2].logprob));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TopTokensTest>};
#include "top_tokens_test.moc"
