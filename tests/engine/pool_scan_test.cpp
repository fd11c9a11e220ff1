// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's search of the pool against a sort of all scores in fp64: every format, any shape, any number of threads.
#include "engine/ops/cpu/pool_scan.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "engine/ops/cpu/bf16_attention.h"
#include "engine/ops/cpu/bf16_pool_scan.h"
#include "tests/support/key_formats.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Search {
  ops::StoredKeys keys;
  std::int64_t entries;
  at::Tensor summaries;
  std::vector<std::int32_t> head_slot;
  std::int64_t k;
};

/// Pools that hold `distinct` keys over and over.
Search random_search(std::mt19937& random, KeyFormat format, bool exact_sums, std::int64_t distinct) {
  const std::int64_t slots = draw(random, 1, 3), heads = draw(random, 1, 5), n = draw(random, 1, 20),
                     d = draw(random, 1, 70),
                     entries = draw(random, 0, 3) == 0 ? draw(random, 0, 9) : draw(random, 10, 5000);
  const auto values = [&](at::IntArrayRef shape) {
    return exact_sums ? at::randint(-31, 32, shape, at::kDouble) / 8 : at::randn(shape, at::kDouble);
  };
  at::Tensor rows = values({distinct, d});
  if (exact_sums) rows.select(1, 0).fill_(127.0 / 32);  // int8's scale is 1/32, so that it holds each value
  Search search{{}, entries, values({heads, n, d}), {}, draw(random, 1, 40)};
  for (std::int64_t head = 0; head < heads; ++head)
    search.head_slot.push_back(static_cast<std::int32_t>(draw(random, 0, slots - 1)));
  search.keys = stored(
      format, rows.index_select(0, at::randint(distinct, {slots * entries}, at::kLong)).view({slots, entries, d}));
  search.summaries = search.summaries.to(search.keys.opmath_type());
  return search;
}

/// The definition: all scores, sorted.
ops::RankedEntries sorted(const Search& search) {
  const std::int64_t heads = search.summaries.size(0), n = search.summaries.size(1), d = search.summaries.size(2);
  const at::Tensor summaries = search.summaries.to(at::kDouble).contiguous();
  ops::RankedEntries ranked{search.k, {}, {}};
  for (std::int64_t row = 0; row < heads * n; ++row) {
    const std::int32_t slot = search.head_slot[static_cast<std::size_t>(row / n)];
    const at::Tensor keys = search.keys.upcast(slot, 0, search.entries).to(at::kDouble).contiguous();
    const double* summary = summaries.const_data_ptr<double>() + row * d;
    std::vector<std::pair<double, std::int64_t>> order;  // −score, index
    for (std::int64_t index = 0; index < search.entries; ++index) {
      const double* key = keys.const_data_ptr<double>() + index * d;
      double score = 0;
      for (std::int64_t c = 0; c < d; ++c) score += summary[c] * key[c];
      if (!std::isnan(score)) order.emplace_back(-score, index);
    }
    std::sort(order.begin(), order.end());
    order.resize(static_cast<std::size_t>(search.k), {std::numeric_limits<double>::infinity(), -1});
    for (const auto& [score, index] : order) {
      ranked.scores.push_back(-score);
      ranked.indices.push_back(index);
    }
  }
  return ranked;
}

ops::RankedEntries scanned(const Search& search, int threads) {
  at::set_num_threads(threads);
  return ops::scan_pool(search.keys, search.entries, search.summaries, search.head_slot, search.k);
}

}  // namespace

class PoolScanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::manual_seed(5); }
  void cleanupTestCase() { at::set_num_threads(1); }

  void equals_a_sort_of_all_scores() {
    std::mt19937 random(1);
    std::size_t ties = 0, missing = 0;
    for (int i = 0; i < 100; ++i) {
      const Search search = random_search(random, kKeyFormats[i % 5], true, draw(random, 1, 400));
      const ops::RankedEntries expected = sorted(search), found = scanned(search, 1 + i % 3);
      QCOMPARE(found.k, search.k);
      QVERIFY2(found.indices == expected.indices, qPrintable(QString("case %1").arg(i)));
      QVERIFY2(found.scores == expected.scores, qPrintable(QString("case %1").arg(i)));
      for (std::size_t j = 1; j < expected.scores.size(); ++j) ties += expected.scores[j] == expected.scores[j - 1];
      missing += static_cast<std::size_t>(std::count(expected.indices.begin(), expected.indices.end(), -1));
    }
    QVERIFY(ties > 1000 && missing > 1000);
  }

  /// Equal keys have equal scores wherever they stand, in sums that are rounded.
  void threads_and_places_change_no_bit() {
    std::mt19937 random(2);
    for (int i = 0; i < 50; ++i) {
      const Search search = random_search(random, kKeyFormats[i % 5], false, 40);
      const ops::RankedEntries expected = sorted(search), alone = scanned(search, 1);
      QVERIFY2(alone.indices == expected.indices, qPrintable(QString("case %1").arg(i)));
      const double rounding = search.keys.opmath_type() == at::kDouble ? 1e-13 : 1e-4;
      for (std::size_t j = 0; j < expected.scores.size(); ++j)
        QVERIFY(expected.indices[j] < 0 || std::abs(alone.scores[j] - expected.scores[j]) < rounding);
      for (const int threads : {2, 3, 7}) {
        const ops::RankedEntries together = scanned(search, threads);
        QVERIFY(together.indices == alone.indices);
        QVERIFY(together.scores == alone.scores);
      }
    }
  }

  /// Many bf16 summaries of bf16 keys, with either kind of matmul, tails of blocks, broken keys and several slots.
  void bf16_matmuls_find_the_same() {
    std::mt19937 random(6);
    for (int i = 0; i < 12; ++i) {
      Search search = random_search(random, kKeyFormats[2], true, draw(random, 1, 400));
      const std::int64_t d = 64 * draw(random, 1, 4), heads = draw(random, 1, 3);
      const auto values = [&](at::IntArrayRef shape) { return (at::randint(-15, 16, shape, at::kDouble) / 8); };
      search.keys.rows = values({draw(random, 1, 3), search.entries, d}).to(at::kBFloat16);
      if (search.entries > 5) search.keys.rows.select(1, search.entries / 2).fill_(NAN);
      search.summaries = values({heads, draw(random, 64, 140), d}).to(at::kBFloat16);
      search.head_slot.clear();
      for (std::int64_t head = 0; head < heads; ++head)
        search.head_slot.push_back(static_cast<std::int32_t>(draw(random, 0, search.keys.rows.size(0) - 1)));
      search.k = draw(random, 1, 150);
      const ops::RankedEntries expected = sorted(search);
      for (const bool tiles : {true, false}) {
        ops::allow_bf16_tiles(tiles);
        const ops::RankedEntries found = scanned(search, 1 + i % 3);
        QVERIFY2(found.indices == expected.indices, qPrintable(QString("case %1").arg(i)));
        QVERIFY2(found.scores == expected.scores, qPrintable(QString("case %1").arg(i)));
      }
      ops::allow_bf16_tiles(true);
      if (!ops::scans_in_bf16(search.keys, search.summaries)) QSKIP("this processor has no bf16 dot products");
    }
  }

  void scores_that_are_no_numbers_are_never_kept() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
    std::mt19937 random(3);
    bool infinite = false;
    for (int i = 0; i < 60; ++i) {
      Search search = random_search(random, kKeyFormats[i % 5], true, 100);
      const std::int64_t slots = search.keys.rows.size(0), d = search.keys.rows.size(2);
      at::Tensor broken = at::ones({slots, 1, d}, at::kDouble);
      for (std::int64_t n = draw(random, 0, search.entries); n > 0; --n) {  // int8 makes NaN of each of them
        broken.fill_(n % 3 == 0 ? nan : n % 3 == 1 ? inf : -inf);
        search.keys.store(broken, draw(random, 0, search.entries - 1));
      }
      const ops::RankedEntries expected = sorted(search), found = scanned(search, 1 + i % 3);
      QVERIFY2(found.indices == expected.indices, qPrintable(QString("case %1").arg(i)));
      QVERIFY2(found.scores == expected.scores, qPrintable(QString("case %1").arg(i)));
      for (std::size_t j = 0; j < found.scores.size(); ++j)
        infinite |= found.scores[j] == -inf && found.indices[j] >= 0;  // a score, though the least
    }
    QVERIFY(infinite);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PoolScanTest>};
#include "pool_scan_test.moc"
