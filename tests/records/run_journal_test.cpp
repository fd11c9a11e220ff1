// SPDX-License-Identifier: GPL-3.0-or-later
// A journal gives back the run that went into it, and what is left of it reads wherever it was cut off.
#include "engine/runs/records/run_journal.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include "engine/base/error.h"
#include "engine/formats/fingerprint.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

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
    segment.hits = {{index, 1, 0, {{0, HitKind::Padding, 0, -1, -1}, {3, HitKind::Anchor, 1.7F, 3, 1}}}};
    segment.carry_drift = {4, 2, {1, std::nanf(""), 3, 4.25F, 5, 6, 7, 8}};
    segment.sinks = {4, 8, std::vector<float>(32, 0.125F)};
    segment.record.sinks = SinkSummary{0.25, 0, 0.125, 0, 9, true};
  }
  segment.carry_key_norm = {4, 2, {1, 2, 3, 0.3F, 5, 6, 7, 8}};
  return segment;
}

RunSummary summary() {
  RunSummary summary;
  summary.tokens = 9;
  summary.targets = 8;
  summary.segments = 3;
  summary.nll_sum = 12.34;
  summary.near_ties = 2;
  summary.sinks_lost = 1;
  summary.memory.pool = 77;
  return summary;
}

void write_journal(const std::string& path) {
  RunJournal journal(path, description());
  for (int i = 0; i < 2; ++i) journal.append(snapshot(i));
  journal.finish(summary());
}

/// A record as RunJournal writes it, with the fingerprint of whatever its body is.
std::string record_of(const std::string& kind, const std::vector<std::uint8_t>& body) {
  Fingerprint fingerprint;
  fingerprint.add(std::as_bytes(std::span(body)));
  std::string bytes = (kind + "        ").substr(0, 8);
  for (const std::uint64_t word : {std::uint64_t{body.size()}, fingerprint.value()})
    bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  bytes.append(body.begin(), body.end());
  return bytes;
}

struct ParsedRecord {
  std::string kind;
  nlohmann::json fields;
};

std::vector<ParsedRecord> parsed_records(const std::string& bytes) {
  std::vector<ParsedRecord> records;
  for (std::size_t place = 0; place < bytes.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + place + 8, sizeof size);
    records.push_back({bytes.substr(place, 8), nlohmann::json::from_cbor(bytes.substr(place + 24, size))});
    place += 24 + size;
  }
  return records;
}

template <typename Value>
nlohmann::json packed(const std::vector<Value>& values) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
  return nlohmann::json::binary(std::vector<std::uint8_t>(first, first + values.size() * sizeof(Value)));
}

}  // namespace

class RunJournalTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_went_in_comes_out() {
    const TempDir folder;
    write_journal(folder.file("run.journal"));
    const JournaledRun run = read_run_journal(folder.file("run.journal"));
    QVERIFY(run.whole);
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
    QVERIFY(second.sinks.rows == 4 && second.sinks.values == wanted.sinks.values);
    QVERIFY(second.record.sinks == wanted.record.sinks);
    QVERIFY(run.contents.outline->segment(1).sinks.values == wanted.sinks.values);
    QVERIFY(run.contents.summary.sinks_lost == summary().sinks_lost);
    QVERIFY(run.contents.summary.memory == summary().memory);
    QCOMPARE(run.contents.summary.nll_sum, 12.34);
    QCOMPARE(run.contents.summary.near_ties, std::int64_t{2});
    QVERIFY(!run.contents.summary.cancelled);
  }

  void one_of_another_version_is_refused() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    const std::vector<ParsedRecord> records = parsed_records(read_bytes(path));
    for (const int version : {-1, 0, 1, 5}) {  // 1 did not describe its model
      ParsedRecord head = records.front();
      head.fields["version"] = version;
      write_bytes(path, record_of(head.kind, nlohmann::json::to_cbor(head.fields)));
      QCOMPARE(unlike(Fault::Unsupported, "another version", [&] { read_run_journal(path); }), std::string());
    }
  }

  void one_of_version_3_has_no_sinks() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    std::string bytes;
    for (ParsedRecord& each : parsed_records(read_bytes(path))) {
      if (each.fields.contains("version")) each.fields["version"] = 3;
      each.fields.erase("sinks");
      each.fields.erase("sinks_lost");
      if (each.fields.contains("record")) each.fields["record"].erase("sinks");
      bytes += record_of(each.kind, nlohmann::json::to_cbor(each.fields));
    }
    write_bytes(path, bytes);
    const JournaledRun run = read_run_journal(path);
    QVERIFY(run.whole && !run.contents.summary.sinks_lost);
    const auto second = run.contents.segments->load(1);
    QVERIFY(second->hits == snapshot(1).hits && second->sinks.values.empty() && !second->record.sinks);
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

  // A fingerprint only finds accidents: whoever writes it again can write anything into a record.
  void records_with_impossible_values_are_refused_data() {
    using nlohmann::json;
    QTest::addColumn<int>("record");  // 0: the head; 2: the second segment
    QTest::addColumn<QString>("field");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* name, int record, const char* field, const json& value) {
      const auto bytes = json::to_cbor(value);
      QTest::newRow(name) << record << field
                          << QByteArray(reinterpret_cast<const char*>(bytes.data()),
                                        static_cast<qsizetype>(bytes.size()));
    };
    row("id -1", 0, "/ids", packed<std::int32_t>({5, -1, 7, 2, 9, 0, 3, 8, 6}));
    row("id 2e9", 0, "/ids", packed<std::int32_t>({5, 2'000'000'000, 7, 2, 9, 0, 3, 8, 6}));
    row("half an id", 0, "/ids", json::binary({1, 0, 0}));
    row("negative first token", 2, "/record/first_token", -4);
    row("first token that overflows", 2, "/record/first_token", std::numeric_limits<std::int64_t>::max());
    row("index", 2, "/record/index", 7);
    row("negative length", 2, "/record/length", -1);
    row("length that overflows", 2, "/record/length", std::numeric_limits<std::int64_t>::max());
    row("longer than a segment", 2, "/record/length", 5);
    row("1e9 targets", 2, "/record/targets", 1'000'000'000);
    row("targets without losses", 2, "/record/targets", 3);
    row("pool below zero", 2, "/record/pool_entries", -5);
    row("memory that overflows", 2, "/record/memory/pool", std::numeric_limits<std::int64_t>::min());
    row("map whose size overflows", 2, "/carry_drift",
        {{"rows", 1LL << 62}, {"columns", 4}, {"values", packed<float>({})}});
    row("map of another layer count", 2, "/carry_drift",
        {{"rows", 2}, {"columns", 2}, {"values", packed<float>({1, 2, 3, 4})}});
    row("map wider than the carry", 2, "/carry_drift",
        {{"rows", 4}, {"columns", 3}, {"values", packed<float>(std::vector<float>(12))}});
    row("sinks of another layer count", 2, "/sinks",
        {{"rows", 2}, {"columns", 8}, {"values", packed<float>(std::vector<float>(16))}});
    row("sinks of other columns", 2, "/sinks",
        {{"rows", 4}, {"columns", 7}, {"values", packed<float>(std::vector<float>(28))}});
    row("sinks that are no numbers", 2, "/sinks",
        {{"rows", 4}, {"columns", 8}, {"values", packed<float>(std::vector<float>(32, std::nanf("")))}});
    row("sinks whose size overflows", 2, "/sinks",
        {{"rows", 1LL << 61}, {"columns", 8}, {"values", packed<float>({})}});
    row("sinks of fewer layers than none", 2, "/sinks",
        {{"rows", -4}, {"columns", -8}, {"values", packed<float>(std::vector<float>(32))}});
    row("more attention than there is", 2, "/record/sinks/text_mass", 0.9);
    row("attention below zero", 2, "/record/sinks/carry_mass", -0.1);
    row("norm beyond all numbers", 2, "/record/sinks/norm_ratio", std::numeric_limits<double>::infinity());
    row("layer", 2, "/hits/heads", packed<std::int32_t>({4, 0, 2}));
    row("negative layer", 2, "/hits/heads", packed<std::int32_t>({-1, 0, 2}));
    row("head", 2, "/hits/heads", packed<std::int32_t>({1, 99, 2}));
    row("a head twice", 2, "/hits/heads", packed<std::int32_t>({1, 0, 1, 1, 0, 1}));
    row("more hits than there are", 2, "/hits/heads", packed<std::int32_t>({1, 0, 2'000'000'000}));
    row("kind", 2, "/hits/kind", packed<std::uint8_t>({2, 77}));
    row("position -7", 2, "/hits/position", packed<std::int64_t>({-7, 3}));
    row("position in the segment", 2, "/hits/position", packed<std::int64_t>({0, 4}));
    row("positions that descend", 2, "/hits/position", packed<std::int64_t>({3, 0}));
    row("anchor behind the text", 2, "/hits/anchor", packed<std::int64_t>({-1, 9}));
  }
  void records_with_impossible_values_are_refused() {
    QFETCH(int, record);
    QFETCH(QString, field);
    QFETCH(QByteArray, value);
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    auto records = parsed_records(read_bytes(path));
    const auto rewritten = [&] {
      std::string bytes;
      for (const ParsedRecord& each : records) bytes += record_of(each.kind, nlohmann::json::to_cbor(each.fields));
      return bytes;
    };
    write_bytes(path, rewritten());
    QVERIFY(read_run_journal(path).whole);  // so that it is the value that is refused
    nlohmann::json& fields = records.at(static_cast<std::size_t>(record)).fields;
    fields.at(nlohmann::json::json_pointer(field.toStdString())) = nlohmann::json::from_cbor(value.toStdString());
    write_bytes(path, rewritten());
    QCOMPARE(unlike(Fault::BadInput, "run.journal", [&] { read_run_journal(path); }), std::string());
  }

  void cbor_that_is_nested_or_claims_too_much_is_refused() {
    const TempDir folder;
    const std::string path = folder.file("run.journal");
    write_journal(path);
    const std::string whole = read_bytes(path);
    const std::vector<std::uint8_t> nested(200'000, 0x81), claimed{0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0},
        open(200'000, 0x9f), tagged(200'000, 0xc6), string{0x5b, 0x10, 0, 0, 0, 0, 0, 0, 0};
    for (const auto& body : {nested, claimed, open, tagged, string}) {
      write_bytes(path, record_of("run", body));
      QCOMPARE(unlike(Fault::BadInput, "run.journal", [&] { read_run_journal(path); }), std::string());
      write_bytes(path, whole + record_of("segment", body));
      QCOMPARE(unlike(Fault::BadInput, "run.journal", [&] { read_run_journal(path); }), std::string());
    }
  }

  void another_file_is_refused() {
    const TempDir folder;
    write_bytes(folder.file("text"), "no journal at all, but long enough to hold the head of a record");
    QVERIFY_THROWS_EXCEPTION(EngineError, read_run_journal(folder.file("text")));
    QVERIFY_THROWS_EXCEPTION(EngineError, read_run_journal(folder.file("missing")));
  }

  void one_thread_adds_while_another_reads() {
    for (int round = 0; round < 20; ++round) {
      const TempDir temp;
      RunJournal journal(temp.file("run"), description());
      const auto segments = journal.segments();
      std::thread writer([&journal] {
        for (int i = 0; i < 3; ++i) journal.append(snapshot(i));
      });
      int read = 0, right = 0;
      while (read < 3) {
        if (read == segments->count()) continue;
        right += segments->load(read)->record.index == read;
        ++read;
      }
      writer.join();
      QCOMPARE(right, 3);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<RunJournalTest>};
#include "run_journal_test.moc"
