// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/decimator.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

std::vector<double> noise(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

}  // namespace

class DecimatorTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void few_points_are_all_drawn() {
    for (std::size_t count : {0u, 1u, 2u, 15u, 16u}) {
      Decimator decimator(16);
      const auto values = noise(count, 1);
      decimator.extend(values);
      const auto picks = decimator.picks(values);
      QCOMPARE(picks.size(), count);
      for (std::size_t i = 0; i < count; ++i) QCOMPARE(picks[i], i);
    }
  }

  void what_is_drawn_never_depends_on_when_it_came() {
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed);
      const auto all = noise(1 + random() % 3000, seed);
      Decimator at_once(64), bit_by_bit(64);
      at_once.extend(all);
      std::vector<double> so_far;
      while (so_far.size() < all.size()) {
        const std::size_t more = std::min<std::size_t>(1 + random() % 97, all.size() - so_far.size());
        so_far.insert(so_far.end(), all.begin() + static_cast<std::ptrdiff_t>(so_far.size()),
                      all.begin() + static_cast<std::ptrdiff_t>(so_far.size() + more));
        bit_by_bit.extend(so_far);
      }
      QCOMPARE(bit_by_bit.picks(all), at_once.picks(all));
    }
  }

  void no_spike_is_lost_and_the_ends_stay() {
    for (unsigned seed = 0; seed < 20; ++seed) {
      auto values = noise(50'000 + seed * 777, seed);
      const std::size_t high = seed * 2221 + 5, low = values.size() - 3 - seed * 1117;
      values[high] = 1000;
      values[low] = -1000;
      Decimator decimator(256);
      decimator.extend(values);
      const auto picks = decimator.picks(values);
      QVERIFY(picks.size() <= 2 * 256 + 2);
      QVERIFY(std::is_sorted(picks.begin(), picks.end()));
      for (const std::size_t kept : {std::size_t{0}, high, low, values.size() - 1})
        QVERIFY(std::binary_search(picks.begin(), picks.end(), kept));
    }
  }

  void a_zoom_shows_every_point_where_they_are_few_enough() {
    const auto values = noise(100'000, 3);
    Decimator decimator(256);
    decimator.extend(values);
    const auto picks = decimator.picks(values, 40'000, 40'200);
    for (std::size_t i = 40'000; i < 40'200; ++i) QVERIFY(std::binary_search(picks.begin(), picks.end(), i));
    QVERIFY(picks.size() <= 200 + 2 * 256 + 2);
    const auto wide = decimator.picks(values, 10'000, 90'000);
    QVERIFY(wide.size() <= 4 * 256 + 4);
    QCOMPARE(wide.front(), std::size_t{0});
    QCOMPARE(wide.back(), values.size() - 1);
  }

  void numbers_hide_the_nans_beside_them_and_a_gap_stays_one() {
    std::vector<double> values(4096, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < 1024; ++i) values[i] = i % 2 == 0 ? 1.0 : std::nan("");
    values[3000] = 7;
    Decimator decimator(64);  // blocks of 64
    decimator.extend(values);
    const auto picks = decimator.picks(values);
    QVERIFY(std::binary_search(picks.begin(), picks.end(), std::size_t{3000}));
    bool gap = false;
    for (const std::size_t i : picks) {
      if (i < 1024) QVERIFY(!std::isnan(values[i]));
      gap = gap || std::isnan(values[i]);
    }
    QVERIFY(gap);
  }

  void clear_begins_anew() {
    Decimator decimator(8);
    decimator.extend(noise(1000, 1));
    decimator.clear();
    const auto values = noise(5, 2);
    decimator.extend(values);
    QCOMPARE(decimator.picks(values).size(), std::size_t{5});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DecimatorTest>};
#include "decimator_test.moc"
