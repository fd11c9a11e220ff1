// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_model.h"

#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <map>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"

using namespace carryover;

class RunModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void starts_empty() {
    const RunModel run;
    QVERIFY(run.is_empty());
    QCOMPARE(run.token_count(), std::int64_t{0});
    QCOMPARE(run.segment_of_token(0), -1);
    QVERIFY(std::isnan(run.nll_of_token(0)));
    QCOMPARE(run.hits(0, 0, 0), nullptr);
  }

  void each_target_has_its_loss_at_its_own_position() {
    RunModel run;
    test::synthetic_run(run, 4, 3, test::synthetic_request(4));
    QVERIFY(std::isnan(run.nll_of_token(0)));  // nothing predicts the first token
    for (int segment = 0; segment < 3; ++segment) {
      const SegmentSnapshot& snapshot = run.snapshot(segment);
      for (std::size_t i = 0; i < snapshot.target_nll.size(); ++i)
        QCOMPARE(run.nll_of_token(snapshot.record.first_token + 1 + static_cast<std::int64_t>(i)),
                 snapshot.target_nll[i]);
    }
    QVERIFY(std::isnan(run.nll_of_token(3 * 256 + 1)));  // not run yet
    QCOMPARE(run.tokens_done(), std::int64_t{3 * 256});
    QCOMPARE(run.expected_segments(), 4);
  }

  void hit_counts_are_the_heads_that_fetched_each_position() {
    RunModel run;
    test::synthetic_run(run, 6, 6, test::synthetic_request(6));
    for (int segment = 0; segment < 6; ++segment) {
      std::map<std::int64_t, int> expected;
      for (const HeadHits& head : run.snapshot(segment).hits)
        for (const Hit& hit : head.hits)
          if (hit.kind != HitKind::Padding) ++expected[hit.position];
      const std::vector<std::pair<std::int64_t, int>> flat(expected.begin(), expected.end());
      QCOMPARE(run.hit_counts(segment), flat);
    }
    QVERIFY(run.hit_counts(0).empty());
    QCOMPARE(run.hits(2, 3, 1)->head, 1);
    QCOMPARE(run.hits(2, 4, 1), nullptr);
  }

  void old_maps_go_when_the_budget_is_spent_and_nothing_else_does() {
    RunModel run;
    run.begin(test::synthetic_model(), test::synthetic_request(40), nullptr);
    constexpr std::int64_t columns = 1 << 20;  // 48 MB a map: the budget holds five
    for (int segment = 0; segment < 12; ++segment) {
      auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(run, segment));
      snapshot->carry_key_norm = {12, columns, std::vector<float>(12 * columns, 1.F)};
      run.append(std::move(snapshot));
    }
    QVERIFY(run.snapshot(0).carry_key_norm.values.empty());
    QVERIFY(!run.snapshot(11).carry_key_norm.values.empty());
    for (int segment = 1; segment < 12; ++segment) {
      QVERIFY(!run.snapshot(segment).hits.empty());
      QVERIFY(!run.snapshot(segment).target_nll.empty());
    }
  }

  void signals_say_what_came() {
    RunModel run;
    QSignalSpy reset(&run, &RunModel::reset), appended(&run, &RunModel::segments_appended),
        ended(&run, &RunModel::ended);
    test::synthetic_run(run, 4, 2, test::synthetic_request(4));
    run.finish({});
    QCOMPARE(reset.count(), 1);
    QCOMPARE(appended.count(), 2);
    QCOMPARE(appended.at(1).at(1).toInt(), 1);
    QCOMPARE(ended.count(), 1);
    QVERIFY(run.finished());
    test::synthetic_run(run, 4, 0, test::synthetic_request(4));
    QVERIFY(!run.finished());
    QCOMPARE(run.segment_count(), 0);
  }
};

QTEST_GUILESS_MAIN(RunModelTest)
#include "run_model_test.moc"
