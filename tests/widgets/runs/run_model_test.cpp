// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/run_model.h"

#include <QSignalSpy>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>

#include "engine/runs/records/run_journal.h"
#include "tests/support/gui_test.h"
#include "tests/support/same_map.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

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

  void the_list_of_a_shared_search_is_every_readers() {
    RunModel run;
    run.begin(test::synthetic_model(), shared_request(4), nullptr);
    for (int segment = 0; segment < 4; ++segment) run.append(shared_snapshot(run, segment));
    for (const HeadRef reader : {HeadRef{2, 0}, {3, 1}, {1, 3}}) {  // the last one names the list
      QCOMPARE(run.list_of(reader.layer, reader.head), (HeadRef{1, 3}));
      QCOMPARE(run.brief_hits(2, reader.layer, reader.head).size(), std::size_t{1});
      QVERIFY(run.hits(2, reader.layer, reader.head) && run.hits(2, reader.layer, reader.head)->shared);
    }
    for (const HeadRef other : {HeadRef{2, 2}, {4, 0}, {5, 0}}) {
      QVERIFY(!run.list_of(other.layer, other.head));
      QVERIFY(run.brief_hits(2, other.layer, other.head).empty());
      QCOMPARE(run.hits(2, other.layer, other.head), nullptr);
    }
    QCOMPARE(run.hits(0, 2, 0), nullptr);
  }

  void without_a_place_to_spill_to_everything_stays() {
    RunModel run(nullptr, 1);
    test::synthetic_run(run, 80, 80, test::synthetic_request(80));
    for (int segment = 0; segment < 80; ++segment)
      QCOMPARE(run.snapshot(segment).carry_key_norm.rows, std::int64_t{12});
    QCOMPARE(run.segments_loaded(), 0);
  }

  // A run whose segments come back from disk one by one is, to every question, the run that was never spilled.
  void spilled_and_held_runs_answer_alike() {
    const test::TempDir folder;
    const RunRequest request = test::synthetic_request(120, 32, 24);
    RunModel held, spilled(nullptr, 4096);
    held.begin(test::synthetic_model(), request, nullptr);
    spilled.begin(test::synthetic_model(), request, nullptr);
    RunDescription description;
    description.model = test::synthetic_model();
    description.request = request;
    RunJournal journal(folder.file("run.journal"), description);
    spilled.set_source(journal.segments());
    for (int segment = 0; segment < 120; ++segment) {
      const auto snapshot = test::synthetic_snapshot(held, segment);
      journal.append(*snapshot);
      held.append(snapshot);
      spilled.append(snapshot);
    }
    QVERIFY(spilled.cached_bytes() * 3 < held.cached_bytes());
    std::mt19937 random(5);
    for (int round = 0; round < 400; ++round) {
      const int segment = static_cast<int>(random() % 120);
      compare(spilled, held, segment);
    }
    QVERIFY(spilled.segments_loaded() > 100);
    QCOMPARE(held.segments_loaded(), 0);
    for (std::int64_t token = 0; token < held.token_count(); ++token)
      if (!std::isnan(held.nll_of_token(token))) QCOMPARE(spilled.nll_of_token(token), held.nll_of_token(token));
    const auto kept = spilled.kept();
    compare(*kept, held, 60);
    const auto all = spilled.segments();
    QCOMPARE(all->count(), 120);
    QVERIFY(all->load(119)->hits == held.snapshot(119).hits);
  }

  void memory_stays_within_the_cache_however_long_the_run() {
    const test::TempDir folder;
    const RunRequest request = test::synthetic_request(600, 32, 24);
    RunDescription description;
    description.model = test::synthetic_model();
    description.request = request;
    RunJournal journal(folder.file("run.journal"), description);
    RunModel run(nullptr, 400'000);
    run.begin(test::synthetic_model(), request, nullptr);
    run.set_source(journal.segments());
    for (int segment = 0; segment < 600; ++segment) {
      const auto snapshot = test::synthetic_snapshot(run, segment);
      journal.append(*snapshot);
      run.append(snapshot);
      QVERIFY(run.cached_bytes() <= 400'000);
    }
    QVERIFY(run.outline().bytes() < 600 * (2000 + 32 * 12));  // 32 bytes a layer: the map of sinks
    QCOMPARE(run.snapshot(0).carry_key_norm.rows, std::int64_t{12});
    QVERIFY(run.cached_bytes() <= 400'000);
  }

  void a_spill_that_was_cut_is_told_once_and_leaves_the_outline() {
    const test::TempDir folder;
    const std::string path = folder.file("run.journal");
    RunDescription description;
    description.model = test::synthetic_model();
    description.request = test::synthetic_request(80, 32, 24);
    RunJournal journal(path, description);
    RunModel run(nullptr, 1);
    run.begin(description.model, description.request, nullptr);
    run.set_source(journal.segments());
    for (int segment = 0; segment < 80; ++segment) {
      const auto snapshot = test::synthetic_snapshot(run, segment);
      journal.append(*snapshot);
      run.append(snapshot);
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 100);
    QSignalSpy unreadable(&run, &RunModel::unreadable);
    for (int segment = 1; segment < 40; ++segment) {
      const SegmentSnapshot whole = *test::synthetic_snapshot(run, segment);
      const SegmentSnapshot& left = run.snapshot(segment);
      QCOMPARE(left.record.first_token, whole.record.first_token);
      QVERIFY(left.target_nll == whole.target_nll && left.ids == whole.ids);
      QCOMPARE(left.hits.size(), whole.hits.size());
      QCOMPARE(left.hits[2].hits.front().position, whole.hits[2].hits.front().position);
      QVERIFY(left.carry_key_norm.values.empty());
    }
    QCOMPARE(unreadable.count(), 1);
    QVERIFY(unreadable.front()[0].toString().contains(QString::fromStdString(path)));
    QVERIFY(!unreadable.front()[2].toString().isEmpty());
  }

  void a_shared_list_stays_everybodys_where_its_record_is_lost() {
    const test::TempDir folder;
    const std::string path = folder.file("run.journal");
    RunDescription description;
    description.model = test::synthetic_model();
    description.request = shared_request(80);
    RunJournal journal(path, description);
    RunModel run(nullptr, 1);
    run.begin(description.model, description.request, nullptr);
    run.set_source(journal.segments());
    for (int segment = 0; segment < 80; ++segment) {
      const auto snapshot = shared_snapshot(run, segment);
      journal.append(*snapshot);
      run.append(snapshot);
    }
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 100);
    QSignalSpy unreadable(&run, &RunModel::unreadable);
    const HeadHits* list = run.hits(20, 3, 1);
    QVERIFY(list && list->shared && list->hits.size() == 1);
    QCOMPARE(unreadable.count(), 1);
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

 private:
  static RunRequest shared_request(int segments) {
    RunRequest request = test::synthetic_request(segments);
    SegmentConfig& config = request.config;
    config.search = SearchBy::Shared;
    config.search_heads = {{1, 3}, {5, 0}};
    config.grouping = Grouping({2, 3}, {{0, 1}});
    return request;
  }

  static std::shared_ptr<const SegmentSnapshot> shared_snapshot(const RunModel& run, int segment) {
    auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(run, segment));
    snapshot->hits.clear();
    if (segment > 0) snapshot->hits = {{segment, 1, 3, {{.position = 7, .kind = HitKind::Anchor}}, true}};
    return snapshot;
  }

  static void compare(const RunModel& run, const RunModel& wanted, int segment) {
    const SegmentSnapshot &a = run.snapshot(segment), &b = wanted.snapshot(segment);
    QCOMPARE(a.record.nll_sum, b.record.nll_sum);
    QVERIFY(a.ids == b.ids && a.target_nll == b.target_nll && a.hits == b.hits);
    QVERIFY(test::same_map(a.carry_key_norm, b.carry_key_norm) && test::same_map(a.carry_drift, b.carry_drift));
    QVERIFY(run.hit_counts(segment) == wanted.hit_counts(segment));
    QCOMPARE(run.digest(segment).anchors, wanted.digest(segment).anchors);
    QCOMPARE(run.digest(segment).evidence, wanted.digest(segment).evidence);
    QCOMPARE(run.digest(segment).largest[0], wanted.digest(segment).largest[0]);
    for (const int head : {0, 1, 5}) {
      const HeadHits *in_a = run.hits(segment, 8, head), *in_b = wanted.hits(segment, 8, head);
      QCOMPARE(in_a == nullptr, in_b == nullptr);
      if (in_a) QVERIFY(*in_a == *in_b);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<RunModelTest>};
#include "run_model_test.moc"
