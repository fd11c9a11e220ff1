// SPDX-License-Identifier: GPL-3.0-or-later
// A journal gives back the run that went into it, and what is left of it reads wherever it was cut off.
#include "engine/io/run_journal.h"

#include <QTest>
#include <cmath>
#include <filesystem>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/core/error.h"
#include "engine/io/fingerprint.h"
#include "tests/support/temp_dir.h"

using namespace carryover;
using namespace carryover::test;

namespace {

RunDescription description() {
  RunDescription run;
  ModelConfig& model = run.model.config;
  model.architecture = "llama";
  model.name = "tiny";
  model.layers = model.heads = model.head_dim = 4;
  model.kv_heads = 2;
  model.hidden = 16;
  model.intermediate = 32;
  model.vocabulary = 10;
  model.context = 128;
  run.model.path = "models/größe";
  run.model.weights_hash = "0123456789abcdef";
  run.model.dtype = DType::BFloat16;
  run.model.device = Device::Cpu;
  run.id = "feedc0de";
  run.command_line = {"carryover", "run", "models/größe", "--text", "bücher/text.txt"};
  run.token_limit = 9;
  run.text = "bücher/text.txt";
  run.request.policy = "segmented";
  run.request.config.segment_length = 4;
  run.request.config.carry_length = 2;
  run.request.config.grouping = Grouping({1, 3}, {{0, 2}});
  run.request.ids =
      std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{5, 1, 7, 2, 9, 0, 3, 8, 6});
  return run;
}

SegmentSnapshot snapshot(int index) {
  SegmentSnapshot segment;
  segment.record.index = index;
  segment.record.first_token = 4 * index;
  segment.record.length = index == 2 ? 1 : 4;
  segment.record.targets = index == 2 ? 0 : 4;
  segment.record.nll_sum = 0.1 * index + 1e-17;
  segment.record.memory.pool = 1000 + index;
  segment.ids = {5, 1, 7, 2};
  for (int i = 0; i < segment.record.targets; ++i) segment.target_nll.push_back(0.1F * static_cast<float>(i + index));
  if (index > 0) {
    segment.target_nll[0] = segment.record.targets > 0 ? segment.target_nll[0] : 0;
    segment.hits = {{index, 1, 0, {{0, HitKind::Padding, 0, -1, -1}, {3, HitKind::Anchor, 1.7F, 3, 1}}}};
    segment.carry_drift = {2, 2, {1, std::nanf(""), 3, 4.25F}};
  }
  segment.carry_key_norm = {2, 2, {1, 2, 3, 0.3F}};
  return segment;
}

RunSummary summary() {
  RunSummary summary;
  summary.tokens = 9;
  summary.targets = 8;
  summary.segments = 3;
  summary.nll_sum = 12.34;
  summary.close_cuts = 2;
  summary.memory.pool = 77;
  return summary;
}

void write_journal(const std::string& path) {
  RunJournal journal(path, description());
  for (int i = 0; i < 2; ++i) journal.append(snapshot(i));
  journal.finish(summary());
}

}  // namespace

class RunJournalTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_went_in_comes_out() {
    const TempDir folder;
    write_journal(folder.file("run.journal"));
    const JournaledRun run = read_run_journal(folder.file("run.journal"));
    QVERIFY(run.whole && run.describes_model);
    QVERIFY(config_json(run.contents.description) == config_json(description()));
    QVERIFY(*run.contents.description.request.ids == *description().request.ids);
    QCOMPARE(run.contents.segments->count(), 2);
    QCOMPARE(run.contents.outline->count(), 2);
    const auto second_one = run.contents.segments->load(1);
    const SegmentSnapshot &second = *second_one, wanted = snapshot(1);
    QCOMPARE(second.record.nll_sum, wanted.record.nll_sum);
    QCOMPARE(second.record.memory.pool, wanted.record.memory.pool);
    QVERIFY(second.ids == std::vector<std::int32_t>({9, 0, 3, 8}));  // of the text
    QVERIFY(second.target_nll == wanted.target_nll);
    QVERIFY(second.hits == wanted.hits);
    QVERIFY(second.carry_key_norm.values == wanted.carry_key_norm.values);
    QVERIFY(std::isnan(second.carry_drift.at(0, 1)));
    QCOMPARE(second.carry_drift.at(1, 1), 4.25F);
    QVERIFY(run.contents.summary.memory == summary().memory);
    QCOMPARE(run.contents.summary.nll_sum, 12.34);
    QCOMPARE(run.contents.summary.close_cuts, std::int64_t{2});
    QVERIFY(!run.contents.summary.cancelled);
  }

  void one_of_version_1_says_of_its_model_only_the_weights() {
    const TempDir folder;
    const RunDescription old = description();
    std::vector<std::uint8_t> ids(old.request.ids->size() * sizeof(std::int32_t));
    std::memcpy(ids.data(), old.request.ids->data(), ids.size());
    const std::vector<std::uint8_t> body = nlohmann::json::to_cbor({{"version", 1},
                                                                    {"weights_hash", old.model.weights_hash},
                                                                    {"text", old.text},
                                                                    {"policy", "full"},
                                                                    {"config", old.request.config},
                                                                    {"ids", nlohmann::json::binary(ids)}});
    Fingerprint fingerprint;
    fingerprint.add(std::as_bytes(std::span(body)));
    std::string bytes = "run     ";
    for (const std::uint64_t word : {std::uint64_t{body.size()}, fingerprint.value()})
      bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
    bytes.append(body.begin(), body.end());
    write_bytes(folder.file("run.journal"), bytes);
    const JournaledRun run = read_run_journal(folder.file("run.journal"));
    QVERIFY(!run.describes_model && !run.whole);
    const RunDescription& read = run.contents.description;
    QCOMPARE(read.model.weights_hash, old.model.weights_hash);
    QCOMPARE(read.text, old.text);
    QCOMPARE(read.request.policy, std::string("full"));
    QVERIFY(read.request.config == old.request.config);
    QVERIFY(*read.request.ids == *old.request.ids);
  }

  void cut_off_anywhere_it_reads_up_to_the_last_whole_record() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    const std::string whole = read_bytes(path);
    int before = 0;
    for (std::size_t size = whole.size() % 7; size <= whole.size(); size += 7) {
      write_bytes(path, std::string_view(whole).substr(0, size));
      try {
        const JournaledRun run = read_run_journal(path);
        QVERIFY(run.contents.segments->count() >= before);
        for (; before < run.contents.segments->count(); ++before)
          QVERIFY(run.contents.segments->load(before)->hits == snapshot(before).hits);
        QCOMPARE(run.whole, size == whole.size());
        if (run.whole) continue;
        QVERIFY(run.contents.summary.cancelled);
        QCOMPARE(run.contents.summary.segments, std::int64_t{before});
      } catch (const EngineError& error) {
        QVERIFY(error.fault() == Fault::BadInput);
        QCOMPARE(before, 0);  // only where not even the head is whole
      }
    }
    QCOMPARE(before, 2);
  }

  void what_is_written_reads_back_at_once_whatever_becomes_of_the_files_name() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    RunJournal journal(path, description());
    const auto segments = journal.segments();
    QCOMPARE(segments->count(), 0);
    journal.append(snapshot(0));
    QCOMPARE(segments->count(), 1);
    std::filesystem::remove(path);
    journal.append(snapshot(1));
    QCOMPARE(segments->count(), 2);
    QVERIFY(segments->load(1)->hits == snapshot(1).hits);
    QVERIFY(segments->load(0)->carry_key_norm.values == snapshot(0).carry_key_norm.values);
  }

  void a_journal_that_was_cut_since_says_so() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    const auto segments = read_run_journal(path).contents.segments;
    const std::string whole = read_bytes(path);
    write_bytes(path, std::string_view(whole).substr(0, whole.rfind("segment ") + 40));  // into the second one
    try {
      segments->load(1);
      QFAIL("half a segment was read");
    } catch (const EngineError& error) {
      QVERIFY(error.where().find(path) != std::string::npos && !error.advice().empty());
    }
    QVERIFY(segments->load(0)->hits.empty());  // what is still there still reads
  }

  void a_damaged_record_ends_it() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    std::string bytes = read_bytes(path);
    char& damaged = bytes[bytes.rfind("segment ") + 60];
    damaged = static_cast<char>(damaged ^ 0x20);
    write_bytes(path, bytes);
    const JournaledRun run = read_run_journal(path);
    QCOMPARE(run.contents.segments->count(), 1);
    QVERIFY(!run.whole);
  }

  void another_file_is_refused() {
    const TempDir folder;
    write_bytes(folder.file("text"), "no journal at all, but long enough to hold the head of a record");
    QVERIFY_EXCEPTION_THROWN(read_run_journal(folder.file("text")), EngineError);
    QVERIFY_EXCEPTION_THROWN(read_run_journal(folder.file("missing")), EngineError);
  }
};

QTEST_GUILESS_MAIN(RunJournalTest)
#include "run_journal_test.moc"
