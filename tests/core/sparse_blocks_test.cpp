// SPDX-License-Identifier: GPL-3.0-or-later
// The tokens that a token sees under policy nsa: counts, and the sums that costs make of them.
#include "engine/cost/sparse_blocks.h"

#include <QTest>
#include <limits>
#include <set>

#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/visible_keys.h"
#include "engine/policies/nsa/nsa_settings.h"
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
  SparseBlocks rule = sparse_blocks(config);

  explicit Case(unsigned seed) : random(seed) {
    config = random_segment_config(random, model);
    config.of<NsaSettings>().selected_block_length = draw(random, 1, 20);
    config.of<NsaSettings>().selected_blocks = draw(random, 1, 6);
    config.of<WindowSettings>().attention_window = draw(random, 0, 3) == 0 ? draw(random, 1, 3) : draw(random, 1, 90);
    rule = sparse_blocks(config);
  }
};

/// Tokens of the n-th one's own block and of as many before it as it may select, up to itself, one by one.
std::int64_t counted_of_blocks(const SparseBlocks& rule, std::int64_t n) {
  std::set<std::int64_t> blocks;
  std::int64_t tokens = 0;
  for (std::int64_t token = n - 1; token >= 0; --token) {
    blocks.insert(token / rule.block);
    if (std::ssize(blocks) > rule.selected) break;
    ++tokens;
  }
  return tokens;
}

}  // namespace

class SparseBlocksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_token_sees_the_papers_counts() {
    for (unsigned seed = 0; seed < 60; ++seed) {
      const Case c(seed);
      for (std::int64_t n = 1; n <= 300; ++n) {
        std::int64_t whole = 0;
        while ((whole + 1) * c.rule.block <= n) ++whole;
        QCOMPARE(c.rule.whole(n), whole);
        QCOMPARE(c.rule.of_blocks(n), counted_of_blocks(c.rule, n));
        QCOMPARE(c.rule.seen_by(n), whole + c.rule.of_blocks(n) + std::min(n, c.rule.window));
        QCOMPARE(c.rule.selects_all(n), c.rule.of_blocks(n) == n);
      }
    }
  }

  /// Pairs and bytes in closed form beside sums over tokens.
  void costs_are_sums_over_tokens() {
    for (unsigned seed = 0; seed < 60; ++seed) {
      const Case c(seed);
      const CostModel cost{c.model, c.config, 4};
      const auto slot = static_cast<double>(2 * c.model.head_dim * 4 * c.model.layers * c.model.kv_heads);
      double pairs = 0;
      for (std::int64_t n = 1; n <= 250; ++n) {
        const auto seen = static_cast<double>(c.rule.seen_by(n));
        pairs += static_cast<double>(c.model.layers * c.model.heads) * seen;
        QCOMPARE(visible_pairs(c.model, c.config, "nsa", n), pairs);
        QCOMPARE(visible_bytes(cost, "nsa", n - 1), slot * seen);
        const MemoryBytes memory = policy_row("nsa").memory(cost, n, {});
        QCOMPARE(static_cast<double>(memory.attention_kv), slot * seen);
        QCOMPARE(static_cast<double>(memory.pool), slot * static_cast<double>(n + c.rule.whole(n)));
      }
    }
  }

  void absurd_sizes_do_not_wrap_around() {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    Case c(1);
    c.config.of<NsaSettings>().selected_block_length = c.config.of<NsaSettings>().selected_blocks =
        c.config.of<WindowSettings>().attention_window = kMost;
    const CostModel cost{c.model, c.config, 4};
    QCOMPARE(sparse_blocks(c.config).seen_by(1000), std::int64_t{2000});
    QVERIFY(policy_row("nsa").memory(cost, kMost, {}).device_peak > 0);
    QVERIFY(visible_pairs(c.model, c.config, "nsa", 1000) > 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SparseBlocksTest>};
#include "sparse_blocks_test.moc"
