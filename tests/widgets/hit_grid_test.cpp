// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/hit_grid.h"

#include <QTest>
#include <cmath>
#include <map>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

HeadHits random_hits(std::mt19937& random, std::int64_t pool, int count) {
  std::map<std::int64_t, Hit> hits;
  for (int i = 0; i < count; ++i) {
    const auto position = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(pool));
    hits[position] = {position, static_cast<HitKind>(random() % 3), 1.F, position, 0};
  }
  HeadHits head;
  for (const auto& [position, hit] : hits) head.hits.push_back(hit);
  return head;
}

float strength(HitKind kind) {
  return kind == HitKind::Anchor ? 2.F : kind == HitKind::Expanded ? 1.F : 0.F;
}

}  // namespace

class HitGridTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // For random hits, windows and sizes: each cell is what a scan over all hits says about its positions and rows.
  void cells_are_what_a_plain_scan_says() {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      const std::int64_t pool = 1 + random() % 5000;
      std::vector<BriefHead> heads;
      for (unsigned i = 0; i < 1 + random() % 20; ++i)
        heads.push_back(brief_of(random_hits(random, pool, static_cast<int>(random() % 60))));
      std::vector<BriefHits> rows;
      for (const BriefHead& head : heads) rows.push_back(random() % 5 == 0 ? BriefHits() : BriefHits(head.hits));
      const double a = random() % static_cast<std::uint32_t>(pool),
                   b = a + 1 + random() % static_cast<std::uint32_t>(pool);
      const HitWindow window{a,
                             b,
                             -0.5,
                             static_cast<double>(rows.size()) - 0.5,
                             1 + static_cast<int>(random() % 300),
                             1 + static_cast<int>(random() % 30),
                             random() % 2 == 0};
      for (const HitValue value : {HitValue::Kind, HitValue::Count})
        check(bin_hits(rows, window, value), rows, window, value);
    }
  }

  void a_narrow_window_is_exact() {
    std::mt19937 random(3);
    const BriefHead head = brief_of(random_hits(random, 4000, 500));
    const HitGrid grid = bin_hits({head.hits}, {1000, 1200, -0.5, 0.5, 256, 16, true}, HitValue::Kind);
    QCOMPARE(grid.bin, 1);
    QCOMPARE(grid.row_bin, 1);
    QVERIFY(grid.first_position <= 1000 && grid.first_position + grid.map.columns > 1200);
  }

 private:
  static void check(const HitGrid& grid, const std::vector<BriefHits>& rows, const HitWindow& window, HitValue value) {
    QVERIFY(grid.map.columns <= window.max_columns && grid.map.rows <= window.max_rows);
    QVERIFY((grid.bin & (grid.bin - 1)) == 0 && grid.first_position % grid.bin == 0);
    QVERIFY(grid.x0() <= window.x0 && grid.x1() >= window.x1);
    for (std::int64_t row = 0; row < grid.map.rows; ++row)
      for (std::int64_t column = 0; column < grid.map.columns; ++column) {
        int count = 0;
        float best = -1;
        for (int r = 0; r < grid.row_bin; ++r) {
          const auto index = static_cast<std::size_t>(grid.first_row + row * grid.row_bin + r);
          if (index >= rows.size()) continue;
          for (const BriefHit& hit : rows[index]) {
            if ((hit.position() - grid.first_position) / grid.bin != column || hit.position() < grid.first_position)
              continue;
            if (hit.kind() == HitKind::Padding && !window.padding) continue;
            ++count;
            best = std::max(best, strength(hit.kind()));
          }
        }
        const float cell = grid.map.at(row, column);
        if (count == 0)
          QVERIFY(std::isnan(cell));
        else
          QCOMPARE(cell, value == HitValue::Count ? static_cast<float>(count) : best);
      }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HitGridTest>};
#include "hit_grid_test.moc"
