// SPDX-License-Identifier: GPL-3.0-or-later
// The common part of two runs, compared with sets and sums that are made here.
#include "widgets/compare/state/run_comparison.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <set>
#include <tuple>

#include "engine/policies/minference/minference_settings.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "widgets/compare/comparison_table.h"
#include "widgets/compare/state/comparison_rows.h"

using namespace carryover;

namespace {

using HitSet = std::set<std::tuple<int, int, std::int64_t>>;

HitSet evidence(const RunModel& run, int segment) {
  HitSet set;
  for (const HeadHits& head : run.snapshot(segment).hits)
    for (const Hit& hit : head.hits)
      if (hit.kind != HitKind::Padding) set.emplace(head.layer, head.head, hit.position);
  return set;
}

/// Returns the same segment, with every third hit gone and losses that are worse by a known amount.
std::shared_ptr<const SegmentSnapshot> changed_snapshot(const RunModel& run, int segment, float worse) {
  auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(run, segment));
  for (HeadHits& head : snapshot->hits)
    for (Hit& hit : head.hits)
      if (hit.position % 3 == 0) hit.kind = HitKind::Padding;
  for (float& loss : snapshot->target_nll) loss += worse;
  snapshot->record.nll_sum += static_cast<double>(worse) * static_cast<double>(snapshot->record.targets);
  return snapshot;
}

}  // namespace

class RunComparisonTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_run_equals_itself() {
    RunModel run;
    test::synthetic_run(run, 8, 8, test::synthetic_request(8));
    const auto kept = run.kept();
    const RunComparison comparison(run, *kept);
    QCOMPARE(comparison.common_tokens(), run.token_count());
    QCOMPARE(comparison.first_difference(), std::int64_t{-1});
    for (int segment = 0; segment < 8; ++segment) {
      QCOMPARE(comparison.paired_segment(segment), segment);
      QCOMPARE(comparison.segment_loss_change(segment).mean(), std::optional(0.0));
      QCOMPARE(comparison.segment_overlap(segment).jaccard(), segment == 0 ? std::nullopt : std::optional(1.0));
    }
    for (std::int64_t token = 1; token < run.token_count(); ++token) QCOMPARE(comparison.loss_change(token), 0.F);
    std::vector<BriefHits> rows;
    for (int segment = 0; segment < 8; ++segment) rows.push_back(run.hit_index().of(segment, 3, 0));
    const HitGrid grid = hit_difference(rows, rows, {-0.5, 2048, -0.5, 8, 256, 8, true});
    int cells = 0;
    for (const float value : grid.map.values) {
      if (std::isnan(value)) continue;
      QCOMPARE(value, 0.F);
      ++cells;
    }
    QVERIFY(cells > 20);
    for (const ComparisonRow& row : comparison_rows(comparison, {})) QVERIFY(row.part == ComparisonRow::Part::Result);
  }

  void overlap_is_that_of_sets() {
    RunModel a, b;
    test::synthetic_run(a, 10, 10, test::synthetic_request(10));
    test::synthetic_run(b, 10, 0, test::synthetic_request(10));
    for (int segment = 0; segment < 10; ++segment) b.append(changed_snapshot(b, segment, 0.25F));
    const RunComparison comparison(a, b);
    std::size_t all_both = 0, all_either = 0;
    for (int segment = 0; segment < 10; ++segment) {
      const HitSet in_a = evidence(a, segment), in_b = evidence(b, segment);
      HitSet either = in_a;
      either.insert(in_b.begin(), in_b.end());
      const std::size_t both = in_a.size() + in_b.size() - either.size();
      QCOMPARE(comparison.segment_overlap(segment).both, static_cast<std::int64_t>(both));
      QCOMPARE(comparison.segment_overlap(segment).either, static_cast<std::int64_t>(either.size()));
      all_both += both;
      all_either += either.size();
      const auto change = comparison.segment_loss_change(segment).mean();
      QVERIFY(change && std::abs(*change + 0.25) < 1e-5);
    }
    QVERIFY(all_both > 0 && all_both < all_either);
    QCOMPARE(comparison.total_overlap().both, static_cast<std::int64_t>(all_both));
    QVERIFY(comparison.total_overlap({2, 3}).either < comparison.total_overlap().either);
  }

  void the_difference_map_counts_cells() {
    RunModel a, b;
    test::synthetic_run(a, 6, 6, test::synthetic_request(6));
    test::synthetic_run(b, 6, 0, test::synthetic_request(6));
    for (int segment = 0; segment < 6; ++segment) b.append(changed_snapshot(b, segment, 0));
    const HeadHits &in_a = *a.hits(5, 3, 1), &in_b = *b.hits(5, 3, 1);
    const HitGrid grid =
        hit_difference({a.hit_index().of(5, 3, 1)}, {b.hit_index().of(5, 3, 1)}, {-0.5, 1536, -0.5, 1, 2048, 1, false});
    QCOMPARE(grid.bin, std::int64_t{1});
    const auto has = [](const HeadHits& head, std::int64_t position) {
      return std::any_of(head.hits.begin(), head.hits.end(),
                         [&](const Hit& hit) { return hit.position == position && hit.kind != HitKind::Padding; });
    };
    for (std::int64_t position = 0; position < grid.map.columns; ++position) {
      const float value = grid.map.at(0, position);
      const bool of_a = has(in_a, position), of_b = has(in_b, position);
      if (!of_a && !of_b)
        QVERIFY(std::isnan(value));
      else
        QCOMPARE(value, (of_a ? 1.F : 0.F) - (of_b ? 1.F : 0.F));
    }
  }

  void texts_that_differ_are_compared_where_they_agree() {
    RunRequest changed = test::synthetic_request(4);
    auto ids = *changed.ids;
    for (std::size_t i = 300; i < 400; ++i) ids[i] = (ids[i] + 1) % 256;
    changed.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
    RunModel a, b;
    test::synthetic_run(a, 4, 4, test::synthetic_request(4));
    test::synthetic_run(b, 4, 4, changed);
    const RunComparison comparison(a, b);
    QCOMPARE(comparison.first_difference(), std::int64_t{300});
    QCOMPARE(comparison.common_tokens(), a.token_count() - 100);
    for (std::int64_t token = 1; token < a.token_count(); ++token)
      QCOMPARE(std::isnan(comparison.loss_change(token)), token >= 300 && token < 400);
    QCOMPARE(comparison.segment_loss_change(1).targets, a.record(1).targets - 100);
    QVERIFY(text_note(comparison).contains(QLatin1String("300")));
    // A hit on another token is another hit.
    std::int64_t hits = 0, lost = 0;
    for (int segment = 2; segment < 4; ++segment)
      for (const auto& [layer, head, position] : evidence(a, segment)) {
        ++hits;
        lost += position >= 300 && position < 400;
      }
    QVERIFY(lost > 0);
    Overlap late;
    late.add(comparison.segment_overlap(2));
    late.add(comparison.segment_overlap(3));
    QCOMPARE(late.both, hits - lost);
    QCOMPARE(late.either, hits + lost);
  }

  void a_bos_shifts_the_other_run() {
    const auto tokenizer = Tokenizer::load(CARRYOVER_SOURCE_DIR "/resources/demo");
    if (!tokenizer->bos()) QSKIP("the demo's tokenizer has no BOS");
    const RunRequest plain = test::synthetic_request(3);
    RunRequest with_bos = plain;
    with_bos.config.bos = true;
    std::vector<std::int32_t> ids = {*tokenizer->bos()};
    ids.insert(ids.end(), plain.ids->begin(), plain.ids->end());
    with_bos.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
    RunModel a, b;
    a.begin(test::synthetic_model(), plain, tokenizer);
    b.begin(test::synthetic_model(), with_bos, tokenizer);
    const RunComparison comparison(a, b);
    QCOMPARE(comparison.common_tokens(), a.token_count());
  }

  void other_segment_lengths_meet_where_boundaries_do() {
    RunModel a, b;
    test::synthetic_run(a, 8, 8, test::synthetic_request(8, 128));
    test::synthetic_run(b, 4, 4, test::synthetic_request(4, 256));
    const RunComparison comparison(a, b);
    for (int segment = 0; segment < 8; ++segment)
      QCOMPARE(comparison.paired_segment(segment), segment % 2 == 0 ? segment / 2 : -1);
    QCOMPARE(comparison.segment_overlap(3).either, std::int64_t{0});
    QVERIFY(comparison.segment_overlap(4).either > 0);
    QCOMPARE(comparison.segment_loss_change(3).targets, a.record(3).targets);
  }

  void other_vocabularies_share_nothing() {
    RunModel a, b;
    test::synthetic_run(a, 2, 2, test::synthetic_request(2));
    ModelInfo other = test::synthetic_model();
    other.config.vocabulary = 512;
    b.begin(other, test::synthetic_request(2), nullptr);
    const RunComparison comparison(a, b);
    QVERIFY(!comparison.same_vocabulary());
    QCOMPARE(comparison.common_tokens(), std::int64_t{0});
    QVERIFY(std::isnan(comparison.loss_change(5)));
    for (int segment = 0; segment < 2; ++segment) QCOMPARE(comparison.paired_segment(segment), -1);
    QVERIFY(!comparison.total_overlap().jaccard());
  }

  /// The heads of one run share a list, those of the other have lists of their own.
  void lists_of_another_kind_are_not_subtracted() {
    RunRequest shared = test::synthetic_request(4);
    shared.config.search = SearchBy::Shared;
    shared.config.search_heads.push_back({3, 1});
    RunModel a, b;
    a.begin(test::synthetic_model(), shared, nullptr);
    for (int segment = 0; segment < 4; ++segment) {
      auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(a, segment));
      std::erase_if(snapshot->hits, [](const HeadHits& head) { return head.layer != 3 || head.head != 1; });
      for (HeadHits& head : snapshot->hits) head.shared = true;
      a.append(snapshot);
    }
    test::synthetic_run(b, 4, 4, test::synthetic_request(4));
    const RunComparison comparison(a, b);
    QVERIFY(!comparison.retrieve_alike());
    QCOMPARE(comparison.heads_of_both().size(), std::size_t{6});  // B's, which all read A's list
    QVERIFY(comparison.both_retrieve(8, 2) && !comparison.both_retrieve(4, 2));
    Overlap all;
    for (const HeadRef& head : comparison.heads_of_both()) all.add(comparison.overlap(2, head.layer, head.head));
    QVERIFY(all.either > 0);
    QCOMPARE(comparison.segment_overlap(2).either, all.either);
    QCOMPARE(comparison.segment_overlap(2).both, all.both);
    int found = 0;
    for (const ComparisonRow& row : comparison_rows(comparison, {})) {
      if (row.name != QStringLiteral("Hits, padding left out")) continue;
      ++found;
      QVERIFY(row.a.contains(QStringLiteral("shared")) && row.b.contains(QStringLiteral("per head")));
      QVERIFY(row.change.isEmpty());
    }
    QCOMPARE(found, 1);
  }

  void only_settings_that_differ_are_listed() {
    RunRequest other = test::synthetic_request(4);
    other.config.carry_length = 16;
    other.config.top_k = 3;
    other.policy = "full";
    RunModel a, b;
    test::synthetic_run(a, 4, 4, test::synthetic_request(4));
    test::synthetic_run(b, 4, 4, other);
    const RunComparison comparison(a, b);
    QStringList settings;
    for (const ComparisonRow& row : comparison_rows(comparison, {}))
      if (row.part == ComparisonRow::Part::Setting) settings += row.name + u'=' + row.a + u'/' + row.b;
    QCOMPARE(settings, QStringList({"policy=segmented/full", "carry_length=32/16", "top_k=16/3"}));
  }

  /// MInference's have hundreds of heads.
  void patterns_of_heads_are_counted() {
    RunRequest one = test::synthetic_request(4), other = one;
    one.policy = other.policy = kPatternPolicy;
    one.config.of<MinferenceSettings>().head_patterns.set(3, 1, {});  // what it is where it is not listed
    one.config.of<MinferenceSettings>().head_patterns.set(3, 2, {PatternKind::AShape, 4, 64, 1});
    other.config.of<MinferenceSettings>().head_patterns.set(3, 2, {PatternKind::AShape, 4, 128, 1});
    other.config.of<MinferenceSettings>().head_patterns.set(7, 0, {PatternKind::BlockSparse, 100, 1, 1});
    RunModel a, b;
    test::synthetic_run(a, 4, 4, one);
    test::synthetic_run(b, 4, 4, other);
    const RunComparison comparison(a, b), same(a, a);
    QStringList said;
    for (const ComparisonRow& row : comparison_rows(comparison, {}))
      if (row.name == QStringLiteral("head_patterns")) said += {row.a, row.b, row.change};
    QCOMPARE(said, QStringList({"1 layers, 2 heads listed", "2 layers, 2 heads listed", "2 heads differ"}));
    for (const ComparisonRow& row : comparison_rows(same, {})) QVERIFY(row.part != ComparisonRow::Part::Setting);
  }

  /// Compare shows the time that the toolbar, the log and the report show: the run's own, where one is known.
  void a_finished_runs_time_is_its_own() {
    RunModel run, cut;
    test::synthetic_run(run, 4, 4, test::synthetic_request(4));
    test::synthetic_run(cut, 4, 2, test::synthetic_request(4));
    RunSummary summary;
    summary.segments = 4;
    summary.seconds = 8;
    run.finish(summary);
    cut.finish(summary);  // of more segments than it has
    const RunComparison comparison(run, cut);
    QStringList times;
    for (const ComparisonRow& row : comparison_rows(comparison, {}))
      if (row.name == QStringLiteral("Time, s")) times += {row.a, row.b};
    QCOMPARE(times, QStringList({"8.00", "0.00"}));
  }

  void the_table_follows_its_rows() {
    ComparisonTable table;
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    RunModel a, b;
    test::synthetic_run(a, 4, 2, test::synthetic_request(4));
    test::synthetic_run(b, 4, 4, test::synthetic_request(4));
    const RunComparison comparison(a, b);
    table.set_rows(comparison_rows(comparison, {}));
    const int rows = table.rowCount();
    QVERIFY(rows > 5);
    QSignalSpy resets(&table, &QAbstractItemModel::modelReset);
    table.set_rows(comparison_rows(comparison, {}));
    QCOMPARE(resets.count(), 0);
    table.set_rows({});
    QCOMPARE(table.rowCount(), 0);
  }

  void a_kept_run_outlives_the_next() {
    RunModel run;
    test::synthetic_run(run, 4, 4, test::synthetic_request(4));
    const auto kept = run.kept();
    const float loss = run.nll_of_token(500);
    const HeadHits hits = *run.hits(3, 8, 2);
    test::synthetic_run(run, 2, 1, test::synthetic_request(2, 64));
    QCOMPARE(kept->segment_count(), 4);
    QCOMPARE(kept->nll_of_token(500), loss);
    QVERIFY(*kept->hits(3, 8, 2) == hits);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RunComparisonTest>};
#include "run_comparison_test.moc"
