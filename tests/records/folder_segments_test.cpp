// SPDX-License-Identifier: GPL-3.0-or-later
// A run folder opens from its index, gives each segment as it was written, and says what is missing.
#include "engine/runs/records/folder_segments.h"

#include <QTest>
#include <cmath>
#include <filesystem>
#include <random>

#include "engine/base/error.h"
#include "engine/runs/records/run_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

constexpr int kSegments = 40, kLength = 32;

RunDescription description() {
  RunDescription run;
  run.model.config = tiny_config();
  run.model.path = "/models/tiny";
  run.model.weights_hash = "0123456789abcdef";
  run.request.config = SegmentConfig::defaults_for(run.model.config);
  run.request.config.segment_length = kLength;
  run.request.config.carry_length = 8;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < kSegments * kLength; ++i) ids.push_back(i * 37 % 256);
  run.request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  return run;
}

Map random_map(std::mt19937& random, std::int64_t layers) {
  Map map{layers, 8, {}};
  for (int i = 0; i < layers * 8; ++i) map.values.push_back(std::normal_distribution<float>(5, 1)(random));
  return map;
}

SegmentSnapshot snapshot(const RunDescription& run, int index, std::mt19937& random) {
  SegmentSnapshot segment;
  segment.record = {index, index * kLength, kLength, kLength, 0, 0.1, (index + 1) * kLength, 0, {}};
  const auto first = run.request.ids->begin() + segment.record.first_token;
  segment.ids.assign(first, first + kLength);
  if (index + 1 == kSegments) --segment.record.targets;
  for (std::int64_t i = 0; i < segment.record.targets; ++i)
    segment.target_nll.push_back(std::normal_distribution<float>(3, 1)(random));
  for (int head = 0; index > 0 && head < 3; ++head) {
    HeadHits read{index, 1, head, {}};
    for (std::int64_t position = static_cast<std::int64_t>(random() % 5); position < segment.record.first_token;
         position += 1 + static_cast<std::int64_t>(random() % 60)) {
      const auto kind = static_cast<HitKind>(random() % 3);
      const bool padding = kind == HitKind::Padding;
      read.hits.push_back({position, kind, padding ? 0.F : std::normal_distribution<float>()(random),
                           padding ? -1 : position, padding ? -1 : 2});
    }
    if (!read.hits.empty()) segment.hits.push_back(std::move(read));
  }
  segment.carry_key_norm = random_map(random, run.model.config.layers);
  segment.carry_value_norm = random_map(random, run.model.config.layers);
  if (index > 0) segment.carry_drift = random_map(random, run.model.config.layers);
  return segment;
}

std::vector<SegmentSnapshot> write_run(const std::string& directory) {
  std::mt19937 random(3);
  const RunDescription run = description();
  std::vector<SegmentSnapshot> segments;
  RunFolder folder(directory, run, false);
  for (int i = 0; i < kSegments; ++i) {
    segments.push_back(snapshot(run, i, random));
    folder.append(segments.back());
  }
  folder.finish({});
  return segments;
}

void check(const RunContents& run, const std::vector<SegmentSnapshot>& wanted) {
  QCOMPARE(run.segments->count(), kSegments);
  QCOMPARE(run.outline->count(), kSegments);
  for (const int i : {7, 0, 39, 1, 38, 20}) {
    const SegmentSnapshot& segment = wanted[static_cast<std::size_t>(i)];
    const auto loaded = run.segments->load(i);
    QVERIFY(loaded->hits == segment.hits && loaded->ids == segment.ids && loaded->target_nll == segment.target_nll);
    QVERIFY(loaded->carry_value_norm.values == segment.carry_value_norm.values);
    const SegmentDigest digest = digest_of(segment);
    QCOMPARE(run.outline->segment(i).largest[0], digest.largest[0]);
    QCOMPARE(run.outline->segment(i).mean_key_norm, digest.mean_key_norm);
    for (const HeadHits& head : segment.hits) {
      const BriefHits brief = run.outline->hits().of(i, head.layer, head.head);
      const BriefHead expected = brief_of(head);
      QVERIFY(std::equal(brief.begin(), brief.end(), expected.hits.begin(), expected.hits.end()));
    }
  }
}

}  // namespace

class FolderSegmentsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void segments_come_as_they_were_written() {
    const TempDir temp;
    const auto wanted = write_run(temp.file("run"));
    check(reopen_run(temp.file("run")), wanted);
  }

  // Other programs need not write an index, and a crash may cut it: the lines have it all.
  void what_the_index_lacks_the_lines_have() {
    const TempDir temp;
    const auto wanted = write_run(temp.file("run"));
    const std::string path = temp.file("run/index.bin"), whole = read_bytes(path);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{10}, std::size_t{42}, whole.size() / 3, whole.size() - 1}) {
      write_bytes(path, std::string_view(whole).substr(0, size));
      check(reopen_run(temp.file("run")), wanted);
    }
    write_bytes(path, "something else altogether, long enough to be taken for an entry of a segment");
    check(reopen_run(temp.file("run")), wanted);
    fs::remove(path);
    check(reopen_run(temp.file("run")), wanted);
  }

  // Nothing of a damaged index is believed: what opens is the run, or is refused.
  void mutants_of_the_index_change_nothing() {
    const TempDir temp;
    const auto wanted = write_run(temp.file("run"));
    const std::string path = temp.file("run/index.bin"), whole = read_bytes(path);
    Mutator mutator(whole, whole.size(), 11);
    int different = 0;
    for (int i = 0; i < 600; ++i) {
      const std::string mutant = mutator.next();
      different += mutant != whole;
      write_bytes(path, mutant);
      check(reopen_run(temp.file("run")), wanted);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(different > 500);
  }

  // An index of another run is whole in itself; the lines say that it is not this run's.
  void an_index_of_other_hits_is_refused() {
    const TempDir temp;
    write_run(temp.file("run"));
    const std::string path = temp.file("run/hits.jsonl");
    std::string lines = read_bytes(path);
    const std::size_t digit = lines.find("\"score\":[", lines.find("\"anchor\""));
    lines[lines.find_first_of("123456789", digit)] = '0';
    write_bytes(path, lines);
    const RunContents run = reopen_run(temp.file("run"));
    int refused = 0;
    for (int i = 0; i < kSegments; ++i) refused += error_of([&] { run.segments->load(i); }).has_value();
    QCOMPARE(refused, 1);
  }

  // With an index, a broken line is found when its segment is looked at: the lines were not read before.
  void hits_are_not_read_before_they_are_asked_for() {
    const TempDir temp;
    const auto wanted = write_run(temp.file("run"));
    const std::string path = temp.file("run/hits.jsonl");
    std::string lines = read_bytes(path);
    const std::size_t place = lines.find("{", lines.find("\"segment\":20"));
    lines[lines.rfind('\n', place) + 1] = '#';
    write_bytes(path, lines);
    const RunContents run = reopen_run(temp.file("run"));
    QVERIFY(run.segments->load(5)->hits == wanted[5].hits);
    int broken = 0;
    for (int i = 0; i < kSegments; ++i) {
      try {
        run.segments->load(i);
      } catch (const EngineError& error) {
        ++broken;
        QVERIFY(error.fault() == Fault::BadInput);
        QVERIFY(error.where().find(path) != std::string::npos && !error.advice().empty());
      }
    }
    QCOMPARE(broken, 1);
    fs::remove(temp.file("run/index.bin"));
    QVERIFY_THROWS_EXCEPTION(EngineError, reopen_run(temp.file("run")));
  }

  void a_folder_that_was_cut_or_removed_since() {
    const TempDir temp;
    const auto wanted = write_run(temp.file("run"));
    const RunContents run = reopen_run(temp.file("run"));
    fs::resize_file(temp.file("run/hits.jsonl"), fs::file_size(temp.file("run/hits.jsonl")) / 2);
    QVERIFY(run.segments->load(3)->hits == wanted[3].hits);
    QVERIFY_THROWS_EXCEPTION(EngineError, run.segments->load(kSegments - 1));
    fs::remove_all(temp.file("run"));  // what is open stays readable
    QVERIFY(run.segments->load(3)->hits == wanted[3].hits);
  }

  void hits_behind_the_text_are_refused() {
    const TempDir temp;
    write_run(temp.file("run"));
    fs::remove(temp.file("run/index.bin"));
    write_bytes(temp.file("run/hits.jsonl"), "{\"segment\":1,\"layer\":1,\"head\":0,\"positions\":[5,1280]}\n");
    QVERIFY_THROWS_EXCEPTION(EngineError, reopen_run(temp.file("run")));
    write_bytes(temp.file("run/hits.jsonl"),
                "{\"segment\":2,\"layer\":1,\"head\":0,\"positions\":[5]}\n"
                "{\"segment\":1,\"layer\":1,\"head\":0,\"positions\":[5]}\n");
    QVERIFY_THROWS_EXCEPTION(EngineError, reopen_run(temp.file("run")));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<FolderSegmentsTest>};
#include "folder_segments_test.moc"
