// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of keys, and those of MInference's patterns: against definitions that take a pair of a query and a key at a
// time.
#include "engine/base/key_index.h"

#include <ATen/ATen.h>

#include <QTest>
#include <cmath>
#include <random>
#include <set>

#include "engine/method/sparse_index.h"
#include "engine/ops/attention_lines.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::set<std::int64_t> members(const std::vector<KeyRange>& ranges) {
  std::set<std::int64_t> all;
  for (const KeyRange& range : ranges)
    for (std::int64_t key = range.first; key < range.end; ++key) all.insert(key);
  return all;
}

/// By the sums of the last 64 queries.
VerticalSlash lines_of(const SparseQueries& sparse, std::int64_t columns, std::int64_t diagonals) {
  const std::int64_t last = std::min(kEstimatingQueries, sparse.count());
  const ops::AttentionLines lines = ops::attention_lines(
      sparse.queries.narrow(0, sparse.count() - last, last).unsqueeze(0), sparse.keys.unsqueeze(0));
  const auto row = [](const at::Tensor& sums) {
    const at::Tensor own = sums[0].to(at::kDouble).contiguous();
    return std::vector<double>(own.const_data_ptr<double>(), own.const_data_ptr<double>() + own.numel());
  };
  return vertical_slash(row(lines.columns), row(lines.diagonals), columns, diagonals);
}

/// As MInference's kernel converts lines to blocks: a direct reading of what is computed for one tile of queries.
std::set<std::int64_t> seen_by_tile(const VerticalSlash& lines, std::int64_t tile_end, std::int64_t positions) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (const std::int64_t diagonal : lines.diagonals) {
    if (diagonal >= tile_end) continue;
    const std::int64_t end = std::max<std::int64_t>(tile_end - diagonal, 64);
    if (!runs.empty() && end <= runs.back().second + 64) {
      if (end > runs.back().second) runs.back().second += 64;
    } else {
      runs.emplace_back(end - 64, end);
    }
  }
  std::set<std::int64_t> seen;
  for (const auto& [first, end] : runs)
    for (std::int64_t key = first; key < std::min(end, positions); ++key) seen.insert(key);
  for (const std::int64_t column : lines.columns)
    if (!runs.empty() && column < std::min(runs.back().second, positions)) seen.insert(column);
  return seen;
}

}  // namespace

class KeyIndexTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ranges_unite_to_the_same_keys() {
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
      std::vector<KeyRange> ranges;
      for (int k = draw(random, 0, 9); k > 0; --k) {
        const auto first = static_cast<std::int32_t>(draw(random, 0, 30));
        ranges.push_back({first, first + static_cast<std::int32_t>(draw(random, 0, 6))});
      }
      const auto before = members(ranges);
      unite(ranges);
      QVERIFY(members(ranges) == before);
      for (std::size_t k = 1; k < ranges.size(); ++k) QVERIFY(ranges[k].first > ranges[k - 1].end);
      for (const KeyRange& range : ranges) QVERIFY(range.length() > 0);
    }
  }

  void tiles_are_aligned_with_the_text() {
    for (const std::int64_t place : {0, 5, 63, 64, 100})
      for (const std::int64_t m : {1, 3, 64, 200}) {
        const KeyIndex index = KeyIndex::of_tiles(2, 64, place, m);
        QCOMPARE(index.first(0), 0);
        QCOMPARE(index.end(index.tiles() - 1), m);
        for (std::int64_t tile = 1; tile < index.tiles(); ++tile) QCOMPARE((place + index.first(tile)) % 64, 0);
      }
  }

  /// Columns and diagonals are the forced ones and those with the largest sums.
  void lines_are_the_most_attended_ones() {
    at::manual_seed(6);
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i) {
      const int n = draw(random, 1, 400), m = draw(random, 1, n);
      const SparseQueries sparse{2 * at::randn({m, 8}, at::kDouble), 2 * at::randn({n, 8}, at::kDouble)};
      const VerticalSlash lines = lines_of(sparse, 40, 120);
      QCOMPARE(std::ssize(lines.columns), std::min(n, 40));
      QCOMPARE(std::ssize(lines.diagonals), std::min(n, 120));
      const int last = std::min(64, m);
      std::vector<double> columns(static_cast<std::size_t>(n)), diagonals(columns);
      for (int row = 0; row < last; ++row) {
        const int query = n - last + row;
        const at::Tensor scores =
            sparse.keys.narrow(0, 0, query + 1).mv(sparse.queries[m - last + row]) / std::sqrt(8.0);
        const at::Tensor weights = scores.softmax(0);
        for (int key = 0; key <= query; ++key) {
          columns[static_cast<std::size_t>(key)] += weights[key].item<double>();
          diagonals[static_cast<std::size_t>(query - key)] += weights[key].item<double>();
        }
      }
      for (int key = 0; key < std::min(n, 30); ++key) columns[static_cast<std::size_t>(key)] = 1e9;
      for (int key = 0; key < std::min(n, 100); ++key) diagonals[static_cast<std::size_t>(key)] = 1e9;
      const auto check = [](const std::vector<double>& sums, const std::vector<std::int32_t>& taken) {
        double least = 1e18, most_left = -1;
        const std::set<std::int32_t> all(taken.begin(), taken.end());
        for (std::int32_t k = 0; k < std::ssize(sums); ++k)
          if (const double sum = sums[static_cast<std::size_t>(k)]; all.contains(k))
            least = std::min(least, sum);
          else
            most_left = std::max(most_left, sum);
        return least >= most_left - 1e-9;
      };
      QVERIFY(check(columns, lines.columns) && check(diagonals, lines.diagonals));
    }
  }

  void a_tile_sees_what_the_kernel_computes() {
    std::mt19937 random(8);
    for (int i = 0; i < 200; ++i) {
      const int n = draw(random, 1, 700), tile_end = (draw(random, 0, n - 1) / 64 + 1) * 64;
      std::set<std::int32_t> columns, diagonals{0};
      for (int k = draw(random, 0, 60); k > 0; --k) columns.insert(draw(random, 0, n - 1));
      for (int k = draw(random, 0, 60); k > 0; --k) diagonals.insert(draw(random, 0, n - 1));
      const VerticalSlash lines{{columns.begin(), columns.end()}, {diagonals.rbegin(), diagonals.rend()}};
      QVERIFY(members(tile_ranges(lines, tile_end, n)) == seen_by_tile(lines, tile_end, n));
      // Every query of the tile sees itself.
      const auto seen = members(tile_ranges(lines, tile_end, n));
      for (std::int64_t key = tile_end - 64; key < std::min(tile_end, n); ++key) QVERIFY(seen.contains(key));
    }
  }

  void blocks_are_the_best_ones_and_the_own() {
    at::manual_seed(9);
    std::mt19937 random(10);
    for (int i = 0; i < 20; ++i) {
      const int n = draw(random, 1, 900), m = draw(random, 1, n), count = draw(random, 1, 8);
      const SparseQueries sparse{at::randn({m, 8}, at::kDouble), at::randn({n, 8}, at::kDouble)};
      const auto lists = block_ranges(sparse, count);
      const KeyIndex tiles = KeyIndex::of_tiles(1, 64, n - m, m);
      QCOMPARE(std::ssize(lists), tiles.tiles());
      for (std::int64_t tile = 0; tile < tiles.tiles(); ++tile) {
        const std::int64_t own = (n - m + tiles.first(tile)) / 64;
        const at::Tensor query =
            sparse.queries.narrow(0, tiles.first(tile), tiles.end(tile) - tiles.first(tile)).sum(0);
        std::vector<std::pair<double, std::int64_t>> order;
        for (std::int64_t block = 0; block <= own; ++block) {
          const std::int64_t length = std::min<std::int64_t>(64, n - 64 * block);
          order.emplace_back(-sparse.keys.narrow(0, 64 * block, length).sum(0).dot(query).item<double>(), block);
        }
        std::ranges::sort(order);
        std::set<std::int64_t> expected;
        for (std::int64_t k = 0; k < std::min<std::int64_t>(count, std::ssize(order)); ++k)
          expected.insert(order[static_cast<std::size_t>(k)].second);
        expected.insert(own);
        std::set<std::int64_t> found;
        for (const std::int64_t key : members(lists[static_cast<std::size_t>(tile)])) found.insert(key / 64);
        QVERIFY(found == expected);
      }
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<KeyIndexTest>};
#include "key_index_test.moc"
