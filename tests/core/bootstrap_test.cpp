// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/statistics/bootstrap.h"

#include <QTest>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// Standard normal from whole random numbers alone (Box and Muller), so that every machine draws the same.
double normal(std::mt19937_64& random) {
  const double u = (static_cast<double>(random() >> 11) + 1) * 0x1p-53,
               v = static_cast<double>(random() >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

/// `count` values around `mean`, each holding on to `memory` of what the one before was off by.
std::vector<float> series(std::mt19937_64& random, int count, double mean, double memory) {
  std::vector<float> values;
  double off = 0;
  for (int i = 0; i < count + 50; ++i) {
    off = memory * off + std::sqrt(1 - memory * memory) * normal(random);
    if (i >= 50) values.push_back(static_cast<float>(mean + off));
  }
  return values;
}

/// The share of 300 intervals that hold the true mean.
double coverage(double memory, const BootstrapPlan& plan) {
  std::mt19937_64 random(11);
  int holds = 0;
  for (int i = 0; i < 300; ++i) {
    const MeanInterval found = bootstrap_mean(series(random, 400, 0.7, memory), plan);
    holds += found.low <= 0.7 && 0.7 <= found.high;
  }
  return holds / 300.0;
}

}  // namespace

class BootstrapTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void intervals_hold_the_true_mean_as_often_as_they_say() {
    const double share = coverage(0, {.block = 4, .resamples = 400});
    QVERIFY2(share > 0.91 && share < 0.98, qPrintable(QString::number(share)));
    const double narrow = coverage(0, {.block = 4, .resamples = 400, .level = 0.5});
    QVERIFY2(narrow > 0.42 && narrow < 0.58, qPrintable(QString::number(narrow)));
  }

  // Blocks serve this purpose: if neighbours depend on each other, a mean is less certain than their number says.
  void blocks_see_that_neighbours_hang_together() {
    const double blocks = coverage(0.8, {.block = 32, .resamples = 400});
    const double one_by_one = coverage(0.8, {.block = 1, .resamples = 400});
    QVERIFY2(blocks > 0.85, qPrintable(QString::number(blocks)));
    QVERIFY2(one_by_one < 0.7, qPrintable(QString::number(one_by_one)));
  }

  void bounds_lie_around_the_mean_and_repeat() {
    std::mt19937_64 random(5);
    for (const int count : {5, 7, 100}) {
      const std::vector<float> values = series(random, count, -2, 0.3);
      const MeanInterval found = bootstrap_mean(values);
      double sum = 0;
      for (const float value : values) sum += static_cast<double>(value);
      QCOMPARE(found.mean, sum / count);
      QVERIFY(found.low <= found.mean && found.mean <= found.high);
      QVERIFY(found == bootstrap_mean(values));
      if (count == 100) QVERIFY(found != bootstrap_mean(values, {.seed = 2}));
    }
  }

  void few_values_have_a_mean_alone() {
    std::mt19937_64 random(5);
    for (const int count : {1, 2, 4}) {
      const MeanInterval found = bootstrap_mean(series(random, count, -2, 0.3));
      QVERIFY(std::isfinite(found.mean) && !found.has_bounds());
    }
  }

  void what_does_not_vary_has_no_width() {
    QVERIFY(bootstrap_mean({}) == (MeanInterval{0, 0, 0}));
    QVERIFY(bootstrap_mean(std::vector<float>(90, 0.5F)) == (MeanInterval{0.5, 0.5, 0.5}));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<BootstrapTest>};
#include "bootstrap_test.moc"
