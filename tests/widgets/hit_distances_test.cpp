// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/hit_distances.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <map>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "widgets/look/theme.h"
#include "widgets/runs/distance_panel.h"
#include "widgets/runs/run_digests_table.h"
#include "widgets/runs/state/distinct_names.h"

using namespace carryover;

namespace {

HeadDistances with_counts(std::initializer_list<std::pair<int, int>> counts) {
  HeadDistances head;
  for (const auto& [bin, count] : counts) head.counts[static_cast<std::size_t>(bin)] = count;
  return head;
}

}  // namespace

class HitDistancesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void bins_are_powers_of_two() {
    for (std::int64_t distance = 1; distance < 100'000; distance += 7) {
      const int bin = distance_bin(distance);
      QVERIFY((std::int64_t{1} << bin) <= distance && distance < (std::int64_t{2} << bin));
    }
    QCOMPARE(distance_bin_name(0), QStringLiteral("1"));
    QCOMPARE(distance_bin_name(12), QStringLiteral("4K"));
    QCOMPARE(distance_bin_name(20), QStringLiteral("1M"));
  }

  void counts_are_those_of_the_record() {
    RunModel run;
    test::synthetic_run(run, 9, 9, test::synthetic_request(9));
    for (const SegmentRange& range : {SegmentRange{}, SegmentRange{3, 5}}) {
      std::map<std::tuple<int, int, int>, std::int64_t> expected;
      for (int segment = 0; segment < 9; ++segment) {
        if (!range.contains(segment)) continue;
        for (const HeadHits& head : run.snapshot(segment).hits)
          for (const Hit& hit : head.hits) {
            const auto back = static_cast<double>(run.record(segment).first_token - hit.position);
            if (hit.kind != HitKind::Padding) ++expected[{head.layer, head.head, static_cast<int>(std::log2(back))}];
          }
      }
      const auto heads = hit_distances(run, range);
      QCOMPARE(heads.size(), std::size_t{6});
      for (const HeadDistances& head : heads)
        for (int bin = 0; bin < distance_bins; ++bin)
          QCOMPARE(head.counts[static_cast<std::size_t>(bin)], (expected[{head.layer, head.head, bin}]));
    }
  }

  void shared_mass_is_one_for_the_same_and_zero_for_the_disjoint() {
    const HeadDistances near = with_counts({{2, 6}, {3, 2}}), twice = with_counts({{2, 12}, {3, 4}});
    const HeadDistances far = with_counts({{9, 5}}), half = with_counts({{2, 4}, {9, 4}});
    QCOMPARE(shared_mass(near, twice), std::optional(1.0));
    QCOMPARE(shared_mass(near, far), std::optional(0.0));
    QCOMPARE(shared_mass(far, half), std::optional(0.5));
    QVERIFY(!shared_mass(near, HeadDistances{}));
    QCOMPARE(consistency({&near, &twice, &far}), std::optional(1.0 / 3));
    QVERIFY(!consistency({&near}));
    QCOMPARE(near.median(), std::optional(4 * std::sqrt(2.0)));
    QVERIFY(!HeadDistances{}.median());
  }

  void the_session_keeps_each_run_once() {
    LabContext lab;
    RunDigestsTable table(lab.digests());
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto run = [&](std::int64_t carry, bool retrieves) {
      RunRequest request = test::synthetic_request(5);
      request.config.carry_length = carry;
      test::synthetic_run(lab.run(), 5, retrieves ? 5 : 1, request);
      lab.run().finish({});
      lab.digests().add(lab.run());
    };
    run(32, true);
    run(16, true);
    run(32, true);  // the same again
    run(8, false);  // retrieved nothing
    QCOMPARE(table.rowCount(), 2);
    const auto same = lab.digests().head_consistency(3, 0);  // synthetic hits don't depend on the carry
    QVERIFY(same && std::abs(*same - 1) < 1e-12);
    QVERIFY(table.setData(table.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(!lab.digests().head_consistency(3, 0));
    lab.digests().remove(0);
    QCOMPARE(table.rowCount(), 1);
    QVERIFY(table.index(0, RunDigestsTable::Name).data().toString().contains(QLatin1String("M 16")));
  }

  /// The same text and settings with two adapters, or in two dtypes, are two lines of two names.
  void runs_of_one_name_are_told_apart_by_what_differs() {
    LabContext lab;
    RunDigestsTable table(lab.digests());
    const auto run = [&](const std::string& adapter, const std::string& hash) {
      ModelInfo model = test::synthetic_model();
      model.adapter = adapter;
      model.weights_hash = hash;
      lab.run().begin(model, test::synthetic_request(5), nullptr);
      for (int segment = 0; segment < 5; ++segment) lab.run().append(test::synthetic_snapshot(lab.run(), segment));
      lab.run().finish({});
      lab.digests().add(lab.run());
    };
    const auto name = [&](int row) { return table.index(row, RunDigestsTable::Name).data().toString(); };
    run({}, "0123456789abcdef");
    const QString alone = name(0);
    QVERIFY(!alone.contains(QLatin1String("synthetic")));
    run("/adapters/aligned", "1123456789abcdef");
    QCOMPARE(name(0), alone + QStringLiteral(" · synthetic"));
    QCOMPARE(name(1), alone + QStringLiteral(" · synthetic + aligned"));
    run("/elsewhere/aligned", "2123456789abcdef");
    QVERIFY(name(1) != name(2));
    QVERIFY(name(2).contains(QLatin1String("synthetic + aligned")) && name(2).endsWith(QLatin1String("21234567")));
    lab.digests().remove(2);
    lab.digests().remove(1);
    QCOMPARE(name(0), alone);
    QCOMPARE(
        distinct_names({{"a", "m · fp32 · 1", "run: 12345678"}, {"a", "m · fp32 · 1", "run: 87654321"}, {"b", {}, {}}}),
        (std::vector<QString>{"a · run-12345678", "a · run-87654321", "b"}));
  }

  void the_panel_draws_runs_and_heads() {
    LabContext lab;
    DistancePanel panel(lab);
    panel.resize(1200, 260);
    panel.show();
    test::settle();
    for (PlotView* plot : panel.plots()) QVERIFY(plot->is_empty());
    for (const std::int64_t segments : {6, 9}) {
      test::synthetic_run(lab.run(), static_cast<int>(segments), static_cast<int>(segments),
                          test::synthetic_request(static_cast<int>(segments)));
      lab.run().finish({});
      lab.digests().add(lab.run());
    }
    lab.select_head(8, 2);
    test::settle();
    PlotView &heads = *panel.plots()[0], &runs = *panel.plots()[1], &consistency = *panel.plots()[2];
    const auto measured = hit_distances(lab.run());
    const HeadDistances& head = *find_head(measured, 8, 2);
    for (int bin = 0; bin < distance_bins; ++bin) QCOMPARE(heads.map_colour(bin, 5).isValid(), head.share(bin) > 0);
    double sum = 0;
    for (const auto& [bin, share] : runs.drawn_points(1)) {
      QCOMPARE(share, 100 * head.share(static_cast<int>(bin)));
      sum += share;
    }
    QVERIFY(std::abs(sum - 100) < 1e-9);
    QVERIFY(consistency.map_colour(2, 1).isValid());
    panel.findChild<QComboBox*>()->setCurrentIndex(2);
    test::settle();
    QVERIFY(consistency.isVisible() && !panel.grab().isNull());
    lab.digests().remove(1);
    test::settle();
    QVERIFY(consistency.is_empty());
    QCOMPARE(runs.drawn_points(1).size(), std::size_t{0});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<HitDistancesTest>};
#include "hit_distances_test.moc"
