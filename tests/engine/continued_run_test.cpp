// SPDX-License-Identifier: GPL-3.0-or-later
// A run that was stopped continues as if it had not been: with the states that the session kept, and without them.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/cost/policy_table.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/records/run_reader.h"
#include "engine/runs/values/prefix_control.h"
#include "tests/support/demo_session.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Segments = std::vector<std::shared_ptr<const SegmentSnapshot>>;

/// Stops the run once it has given so many segments.
struct Until final : RunObserver {
  Until(RunControl& run, std::size_t segments) : control(run), most(segments) {}
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    given.push_back(std::move(snapshot));
    if (given.size() == most) control.request_stop();
  }
  RunControl& control;
  std::size_t most;
  Segments given;
};

RunSummary run_until(Session& session, const RunRequest& request, std::size_t segments, Segments& given) {
  RunControl control;
  Until until(control, segments);
  const RunSummary summary = session.run(request, until, control);
  given.insert(given.end(), until.given.begin(), until.given.end());
  return summary;
}

RunRequest behind(RunRequest request, const Segments& given) {
  for (const auto& segment : given) request.resume.add(segment->record);
  return request;
}

void same_segments(const Segments& a, const Segments& b) {
  QCOMPARE(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    QCOMPARE(a[i]->record.index, static_cast<std::int64_t>(i));
    QCOMPARE(a[i]->record.first_token, b[i]->record.first_token);
    QCOMPARE(a[i]->record.nll_sum, b[i]->record.nll_sum);
    QCOMPARE(a[i]->record.pool_entries, b[i]->record.pool_entries);
    QCOMPARE(a[i]->record.has_lost_sink(), b[i]->record.has_lost_sink());
    QVERIFY(a[i]->hits == b[i]->hits && a[i]->target_nll == b[i]->target_nll && a[i]->ids == b[i]->ids);
  }
}

}  // namespace

class ContinuedRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void continues_as_if_it_had_not_been_stopped_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("states_are_there");
    QTest::addColumn<int>("stopped_after");
    for (const std::string& policy : policy_names())
      for (const bool there : {true, false})
        for (const int after : {1, 3})
          QTest::addRow("%s, %s, after %d", policy.c_str(), there ? "states" : "no states", after)
              << QString::fromStdString(policy) << there << after;
  }

  void continues_as_if_it_had_not_been_stopped() {
    QFETCH(QString, policy);
    QFETCH(bool, states_are_there);
    QFETCH(int, stopped_after);
    RunRequest request = demo::request(300);
    request.policy = policy.toStdString();
    request.config.sink_length = 2;
    Segments straight, given;
    const RunSummary whole = run_until(*demo::open(DType::Float32), request, 1000, straight);
    QCOMPARE(whole.segments, 5);

    auto session = demo::open(DType::Float32);
    QVERIFY(run_until(*session, request, static_cast<std::size_t>(stopped_after), given).cancelled);
    QCOMPARE(given.size(), static_cast<std::size_t>(stopped_after));
    if (!states_are_there) session = demo::open(DType::Float32);
    const RunSummary rest = run_until(*session, behind(request, given), 1000, given);
    same_segments(given, straight);
    QVERIFY(!rest.cancelled && rest.sinks_lost == whole.sinks_lost);
    QCOMPARE(rest.tokens, whole.tokens);
    QCOMPARE(rest.targets, whole.targets);
    QCOMPARE(rest.segments, whole.segments);
    QCOMPARE(rest.nll_sum, whole.nll_sum);
    QCOMPARE(rest.near_ties, whole.near_ties);
    QCOMPARE(rest.memory.pool, whole.memory.pool);
  }

  /// From its folder, under a control and with the hits of a file: what is left reads no search's either.
  void a_run_with_forced_hits_continues_from_its_folder() {
    for (const bool from_file : {false, true}) {
      const TempDir temp;
      auto session = demo::open(DType::Float32);
      RunDescription run;
      run.model = session->model();
      run.request = demo::request(300);
      run.seed = 3;
      run.prefix = "random";
      run.request.forced_hits = forced_hits_of(run, run.model.config);
      if (from_file) {
        std::string lines;
        for (const HeadHits& list : run.request.forced_hits) lines += nlohmann::json(list).dump() + "\n";
        write_bytes(temp.file("hits.jsonl"), lines);
        run.prefix = "search";
        run.force_hits = temp.file("hits.jsonl");
      }
      Segments straight, given;
      const RunSummary whole = run_until(*session, run.request, 1000, straight);
      RunFolder folder(temp.file("run"), run, false);
      const RunSummary before = run_until(*session, run.request, 2, given);
      for (const auto& segment : given) folder.append(*segment);
      folder.finish(before);

      const RunRequest again = reopen_run(temp.file("run")).description.request;
      session = demo::open(DType::Float32);
      const RunSummary rest = run_until(*session, behind(again, given), 1000, given);
      same_segments(given, straight);
      QCOMPARE(rest.nll_sum, whole.nll_sum);
    }
  }

  void another_place_than_a_segment_is_refused() {
    const auto session = demo::open(DType::Float32);
    for (const std::int64_t segment : {-1, 6, 1 << 20}) {
      RunRequest request = demo::request(300);
      request.resume.segment = segment;
      QCOMPARE(unlike(Fault::BadInput, "can't continue at segment", [&] { demo::run(*session, request); }),
               std::string());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ContinuedRunTest>};
#include "continued_run_test.moc"
