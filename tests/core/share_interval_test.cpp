// SPDX-License-Identifier: GPL-3.0-or-later
// Wilson's interval against published values, and what it must not be.
#include "engine/statistics/share_interval.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

class ShareIntervalTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Right of asked, and both bounds to four digits, by Wilson's formula with z = 1.959964.
  void bounds_are_wilsons() {
    struct Row {
      double right, asked, low, high;
    };
    for (const auto& [right, asked, low, high] : {Row{10, 10, 0.7225, 1},
                                                  {0, 10, 0, 0.2775},
                                                  {9, 10, 0.5958, 0.9821},
                                                  {81, 263, 0.2553, 0.3662},
                                                  {15, 148, 0.0624, 0.1605},
                                                  {0, 20, 0, 0.1611},
                                                  {1, 29, 0.0061, 0.1718},
                                                  {5, 5, 0.5655, 1}}) {
      const MeanInterval found = wilson_interval(right / asked, asked);
      QCOMPARE(found.mean, right / asked);
      QVERIFY2(std::abs(found.low - low) < 1e-4, qPrintable(QString::number(found.low)));
      QVERIFY2(std::abs(found.high - high) < 1e-4, qPrintable(QString::number(found.high)));
    }
    QCOMPARE(wilson_interval(1, 10).high, 1.0);
    QCOMPARE(wilson_interval(0, 10).low, 0.0);
  }

  void few_samples_have_no_bounds() {
    for (const double samples : {0.0, 1.0, 4.0, 4.5}) QVERIFY(!wilson_interval(0.5, samples).has_bounds());
    QVERIFY(wilson_interval(0.5, 5).has_bounds());
  }

  void what_is_no_share_has_no_bounds() {
    for (const double share : {-0.1, 1.1, std::nan("")}) QVERIFY(!wilson_interval(share, 10).has_bounds());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ShareIntervalTest>};
#include "share_interval_test.moc"
