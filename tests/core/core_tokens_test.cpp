// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens that a token sees under policy cca: counts, and the sums that costs make of them.
#include <QTest>

#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/visible_keys.h"
#include "engine/policies/cca/cca_cost.h"
#include "engine/policies/cca/cca_settings.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Case {
  std::mt19937 random;
  ModelConfig model = tiny_config(3, 8, 2, 8, 64);
  SegmentConfig config;
  CoreTokens rule{config};

  explicit Case(unsigned seed) : random(seed) {
    config = random_segment_config(random, model);
    config.of<CcaSettings>().core_group_length = draw(random, 1, 20);
    config.of<WindowSettings>().attention_window = draw(random, 0, 3) == 0 ? draw(random, 1, 3) : draw(random, 1, 90);
    rule = CoreTokens(config);
  }
  std::int64_t one_by_one(std::int64_t n) const { return n - rule.seen_by(n) * rule.group; }
};

}  // namespace

class CoreTokensTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_token_sees_the_papers_counts() {
    for (unsigned seed = 0; seed < 40; ++seed) {
      const Case c(seed);
      const std::int64_t W = c.rule.window, g = c.rule.group;
      for (std::int64_t n = 1; n <= 300; ++n) {
        QCOMPARE(c.rule.seen_by(n), n <= W ? 0 : (n - W) / g);
        QCOMPARE(c.one_by_one(n), n <= W ? n : W + (n - W) % g);
      }
    }
  }

  /// The tokens held behind a text are those that a later token sees, and no token more.
  void near_tokens_are_those_that_are_still_seen() {
    for (unsigned seed = 0; seed < 40; ++seed) {
      const Case c(seed);
      for (std::int64_t tokens = 0; tokens < 300; ++tokens) {
        const std::int64_t begin = tokens - c.rule.near(tokens);
        QCOMPARE(begin, tokens + 1 - c.one_by_one(tokens + 1));
        QVERIFY(begin <= c.rule.whole(tokens) * c.rule.group);  // a group that is not whole has all of its tokens
        QVERIFY(c.rule.whole(tokens) >= c.rule.seen_by(tokens + 1));
      }
    }
  }

  /// Pairs and bytes in closed form beside sums over tokens.
  void costs_are_sums_over_tokens() {
    for (unsigned seed = 0; seed < 40; ++seed) {
      const Case c(seed);
      const CostModel cost{c.model, c.config, 4};
      const auto pair = static_cast<double>(2 * c.model.head_dim * 4 * c.model.layers);
      double pairs = 0;
      for (std::int64_t n = 1; n <= 250; ++n) {
        const auto cores = static_cast<double>(c.rule.seen_by(n)), near = static_cast<double>(c.one_by_one(n));
        pairs += static_cast<double>(c.model.layers * c.model.heads) * (cores + near);
        QCOMPARE(visible_pairs(c.model, c.config, "cca", n), pairs);
        const double bytes =
            pair * (cores * static_cast<double>(c.model.heads) + near * static_cast<double>(c.model.kv_heads));
        QCOMPARE(visible_bytes(cost, "cca", n - 1), bytes);
        QCOMPARE(static_cast<double>(policy_row("cca").memory(cost, n, {}).attention_kv), bytes);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CoreTokensTest>};
#include "core_tokens_test.moc"
