// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/statistics/cluster_bootstrap.h"

#include <QTest>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class ClusterBootstrapTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void equal_clusters_leave_no_doubt() {
    const ClusterInterval found = bootstrap_clusters(std::vector<double>(5, -0.25));
    QVERIFY((found.interval == MeanInterval{-0.25, -0.25, -0.25}));
    QVERIFY(found.clusters == 5 && found.below == 5);
  }
  void few_clusters_have_a_mean_alone() {
    const ClusterInterval found = bootstrap_clusters(std::vector<double>{-1, 1, 3, 5});
    QVERIFY(found.interval.mean == 2 && !found.interval.has_bounds());
    QVERIFY(found.clusters == 4 && found.below == 1);
  }
  /// Eleven of twelve books are at −0.1 and one is at +1. How often that one is drawn is binomial: at most twice in
  /// 92.8 %, at most three times in 98.6 % of draws. So the upper bound has it three times, and the lower one never.
  void one_book_counts_as_often_as_it_is_drawn() {
    std::vector<double> books(12, -0.1);
    books[5] = 1;
    const ClusterInterval found = bootstrap_clusters(books);
    const auto close = [](double a, double b) { return std::abs(a - b) < 1e-6; };
    QVERIFY2(close(found.interval.mean, -0.1 + 1.1 / 12), qPrintable(QString::number(found.interval.mean)));
    QVERIFY2(close(found.interval.low, -0.1), qPrintable(QString::number(found.interval.low)));
    QVERIFY2(close(found.interval.high, -0.1 + 3 * 1.1 / 12), qPrintable(QString::number(found.interval.high)));
    QCOMPARE(found.below, 11);
  }
  /// The interval of many clusters is within a tenth of the normal one, ±1.96 σ/√n.
  void many_clusters_have_the_normal_interval() {
    std::mt19937_64 random(4);
    std::vector<double> values;
    double sum = 0, squares = 0;
    for (int i = 0; i < 200; ++i) {
      double value = 0;
      for (int k = 0; k < 12; ++k) value += static_cast<double>(random() >> 11) * 0x1p-53;
      values.push_back(value - 6);
      sum += values.back();
      squares += values.back() * values.back();
    }
    const double mean = sum / 200, half = 1.96 * std::sqrt((squares / 200 - mean * mean) / 200);
    const MeanInterval found = bootstrap_clusters(values).interval;
    QVERIFY(std::abs(found.mean - mean) < 1e-6);
    QVERIFY(std::abs(found.high - mean - half) < 0.1 * half && std::abs(mean - found.low - half) < 0.1 * half);
  }
  void the_same_values_give_the_same_bounds() {
    const std::vector<double> values{-0.3, 0.1, -0.2, 0.05, 0.2};
    QVERIFY(bootstrap_clusters(values).interval == bootstrap_clusters(values).interval);
    QVERIFY(bootstrap_clusters({}).interval == MeanInterval{});
  }
};

static const TestFile these_tests{__FILE__, without_application<ClusterBootstrapTest>};
#include "cluster_bootstrap_test.moc"
