// SPDX-License-Identifier: GPL-3.0-or-later
// A map of sinks in numbers, and which segments have lost theirs.
#include "engine/runs/values/sinks.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/runs/values/run_request.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

SinkSummary of_mass(double mass) {
  SinkSummary summary;
  summary.segment_mass = mass;
  return summary;
}

}  // namespace

class SinksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void masses_are_means_of_layers_and_the_ratio_is_the_largest() {
    const Map map{2,
                  8,
                  {3, 2, 8, 5, 0.1F, 0.2F, 0.3F, 0.0F,  //
                   9, 3, 9, 0, 0.3F, 0.0F, 0.1F, 0.2F}};
    const SinkSummary summary = summarize_sinks(map);
    QVERIFY(std::abs(summary.text_mass - 0.2) < 1e-7 && std::abs(summary.carry_mass - 0.1) < 1e-7);
    QVERIFY(std::abs(summary.segment_mass - 0.2) < 1e-7 && std::abs(summary.largest_mass - 0.1) < 1e-7);
    QVERIFY(std::abs(summary.mass() - 0.6) < 1e-7);
    QCOMPARE(summary.norm_ratio, 4.0);
    QVERIFY(!summary.lost);
    // A layer with a window does not count, unless each has one; its norms do.
    const SinkSummary global = summarize_sinks(map, {0});
    QVERIFY(std::abs(global.mass() - 0.6) < 1e-7 && std::abs(global.text_mass - 0.3) < 1e-7);
    QCOMPARE(global.norm_ratio, 4.0);
    QCOMPARE(summarize_sinks(map, {0, 1}), summary);
    QCOMPARE(nlohmann::json(summary).get<SinkSummary>(), summary);
  }

  /// A hidden state of zeros has no ratio, and JSON has no infinity.
  void a_median_of_zero_has_no_ratio() {
    const Map map{1, 8, {3, 0, 8, 5, 0, 0, 0, 0}};
    QCOMPARE(summarize_sinks(map).norm_ratio, 0.0);
  }

  void a_small_share_of_the_first_segments_is_lost() {
    QVERIFY(lost_sink(of_mass(0.159), 512, of_mass(0.4)));
    QVERIFY(!lost_sink(of_mass(0.161), 512, of_mass(0.4)));
    QVERIFY(!lost_sink(of_mass(0.4), 512, of_mass(0.4)));
    QVERIFY(!lost_sink(of_mass(0.0), 63, of_mass(0.4)));    // too short to be judged
    QVERIFY(!lost_sink(of_mass(0.0), 512, of_mass(0.24)));  // no sink to be lost
  }

  void only_shares_of_one_whole_are_possible() {
    const auto possible = [](std::vector<float> row) { return are_possible(Map{1, std::ssize(row), row}); };
    QVERIFY(possible({3, 2, 8, 5, 0.25F, 0.25F, 0.25F, 0.25F}));
    QVERIFY(!possible({3, 2, 8, 5, 0.5F, 0.25F, 0.25F, 0.25F}));
    QVERIFY(!possible({3, 2, 8, 5, 0.25F, 0.25F, 0.25F, -0.25F}));
    QVERIFY(!possible({3, 2, std::numeric_limits<float>::infinity(), 5, 0, 0, 0, 0}));
    QVERIFY(!possible({3, std::numeric_limits<float>::quiet_NaN(), 8, 5, 0, 0, 0, 0}));
    QVERIFY(!possible({3, 2, 8, 5, 0.25F, 0.25F, 0.25F}));
  }

  void a_run_counts_those_that_are_lost() {
    RunSummary summary;
    SegmentRecord record;
    record.length = 4;
    summary.add(record);
    QVERIFY(!summary.sinks_lost);
    for (const bool lost : {false, true, true}) {
      record.sinks = SinkSummary{};
      record.sinks->lost = lost;
      summary.add(record);
    }
    QVERIFY(summary.sinks_lost == std::optional<std::int64_t>(2));
    QCOMPARE(summary.tokens, std::int64_t{16});
    QVERIFY(summary.sinks_lost_share() == std::optional<double>(0.5));
    QVERIFY(!RunSummary{}.sinks_lost_share());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SinksTest>};
#include "sinks_test.moc"
