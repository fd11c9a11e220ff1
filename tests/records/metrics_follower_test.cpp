// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/metrics_follower.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/formats/output_file.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/training_records.h"

using namespace carryover;
using carryover::test::range;
using carryover::test::TempDir;
using carryover::test::unlike;
using nlohmann::json;
namespace fs = std::filesystem;

class MetricsFollowerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void gives_each_line_once();
  void reads_only_what_is_new();
  void notices_a_resumed_run();
  void names_a_broken_line();
  void segments_that_no_sample_has_are_refused();
};

void MetricsFollowerTest::gives_each_line_once() {
  const TempDir temp(test::fast_parent());
  MetricsFollower follower(temp.path().string());
  QCOMPARE(unlike(Fault::Io, "metrics.jsonl", [&] { follower.poll(); }), "");
  std::mt19937 random(7);
  std::string lines;  // more than the follower's block
  std::vector<json> expected;
  for (std::int64_t step = 1; lines.size() < 3'500'000; ++step) {
    expected.push_back(test::random_step(step, random));
    lines += expected.back().dump() + "\n";
  }
  OutputFile file(temp.file("metrics.jsonl"));
  std::vector<json> got;
  for (std::size_t written = 0; written < lines.size();) {
    const std::size_t size =
        std::min<std::size_t>(random() % 2 == 0 ? random() % 3000 : random() % 1'500'000, lines.size() - written);
    file.append(lines.substr(written, size));  // cut anywhere
    written += size;
    const MetricsFollower::News news = follower.poll();
    QVERIFY(!news.restarted && news.validations.empty());
    for (const StepRecord& record : news.steps) got.push_back(record);
    QCOMPARE(std::ssize(got), std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(written), '\n'));
  }
  QVERIFY(got == expected);
  QVERIFY(follower.poll().steps.empty());
}

/// A follower reads no line twice: it does not notice that an old line changed.
void MetricsFollowerTest::reads_only_what_is_new() {
  const TempDir temp(test::fast_parent());
  std::mt19937 random(10);
  std::string lines;
  for (std::int64_t step = 1; step <= 200; ++step) lines += json(test::random_step(step, random)).dump() + "\n";
  test::write_bytes(temp.file("metrics.jsonl"), lines);
  MetricsFollower follower(temp.path().string());
  QCOMPARE(std::ssize(follower.poll().steps), 200);
  const std::size_t last = lines.rfind('\n', lines.size() - 2) + 1;
  std::fill(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(last), '?');
  lines += json(test::random_step(201, random)).dump() + "\n";
  test::write_bytes(temp.file("metrics.jsonl"), lines);
  const MetricsFollower::News news = follower.poll();
  QVERIFY(!news.restarted);
  QCOMPARE(test::steps_of(news.steps), range(201, 201));
}

void MetricsFollowerTest::notices_a_resumed_run() {
  const TempDir temp;
  std::mt19937 random(8);
  for (int round = 0; round < 10; ++round) {
    fs::remove_all(temp.file("run"));
    std::vector<std::int64_t> seen;
    MetricsFollower follower(temp.file("run"));
    const auto poll = [&] {
      const MetricsFollower::News news = follower.poll();
      if (news.restarted) seen.clear();
      for (const StepRecord& record : news.steps) seen.push_back(record.step);
      return news.restarted;
    };
    {
      TrainingFolder folder = TrainingFolder::create(test::training_plan_in(temp), {});
      for (std::int64_t step = 1; step <= 9; ++step) {
        folder.append(test::random_step(step, random));
        if (step == 4) folder.save_checkpoint(step, 1, [](const std::string&) {});
      }
      QVERIFY(!poll());
    }
    TrainingFolder folder = TrainingFolder::resume(temp.file("run"));
    // As many, fewer and more lines than were seen: its size alone does not tell.
    const std::int64_t last = 4 + static_cast<std::int64_t>(random() % 12);
    for (std::int64_t step = 5; step <= last; ++step) folder.append(test::random_step(step, random));
    QVERIFY(poll());
    QCOMPARE(seen, range(1, last));
    folder.append(test::random_step(last + 1, random));
    QVERIFY(!poll());
    QCOMPARE(seen, range(1, last + 1));
  }
}

void MetricsFollowerTest::segments_that_no_sample_has_are_refused() {
  std::mt19937 random(10);
  for (const std::int64_t age : {std::int64_t{0}, std::int64_t{-1}, kMostSampleSegments + 1, std::int64_t{1} << 40}) {
    const TempDir temp;
    StepRecord step = test::random_step(1, random);
    step.reach = {{0, age, 1, 0.5}};
    OutputFile(temp.file("metrics.jsonl")).append(json(step).dump() + "\n");
    MetricsFollower follower(temp.path().string());
    QCOMPARE(unlike(Fault::BadInput, "metrics.jsonl:1", [&] { follower.poll(); }), "");
  }
  const TempDir temp;
  StepRecord step = test::random_step(1, random);
  step.segment_loss.assign(static_cast<std::size_t>(kMostSampleSegments) + 1, 1.0);
  OutputFile(temp.file("metrics.jsonl")).append(json(step).dump() + "\n");
  MetricsFollower follower(temp.path().string());
  QCOMPARE(unlike(Fault::BadInput, "metrics.jsonl:1", [&] { follower.poll(); }), "");
}

void MetricsFollowerTest::names_a_broken_line() {
  const TempDir temp;
  std::mt19937 random(9);
  const std::string good = json(test::random_step(1, random)).dump() + "\n";
  MetricsFollower follower(temp.path().string());
  OutputFile file(temp.file("metrics.jsonl"));
  file.append(good + "{\"step\":2}\n" + good + "not JSON\n" + json(test::random_validation(3, random)).dump() + "\n");
  QCOMPARE(unlike(Fault::BadInput, "metrics.jsonl:2", [&] { follower.poll(); }), "");
  QCOMPARE(unlike(Fault::BadInput, "metrics.jsonl:4", [&] { follower.poll(); }), "");
  const MetricsFollower::News news = follower.poll();
  QVERIFY(!news.restarted && news.steps.empty());
  QCOMPARE(std::ssize(news.validations), 1);
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MetricsFollowerTest>};
#include "metrics_follower_test.moc"
