// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_reader.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/formats/npy.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/records/run_id.h"
#include "engine/runs/records/run_journal.h"
#include "engine/runs/values/prefix_control.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/same_map.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::random_snapshot;
using carryover::test::run_description;
using carryover::test::same_map;
using carryover::test::summary_of;
using carryover::test::TempDir;
using carryover::test::unlike;
using carryover::test::whole_run_description;
using carryover::test::write_run;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A run whose hits the file `force_hits` gives, or the control `prefix`.
RunDescription forced_run(const std::string& prefix, const std::string& force_hits) {
  RunDescription run = whole_run_description();
  run.prefix = prefix;
  run.force_hits = force_hits;
  run.request.config.grouping = Grouping({1}, {{0, 2}});
  return run;
}

/// A hits.jsonl of these lists.
void write_hits(const std::string& path, const std::vector<HeadHits>& hits) {
  std::string lines;
  for (const HeadHits& list : hits) lines += json(list).dump() + "\n";
  test::write_bytes(path, lines);
}

}  // namespace

class RunReaderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_reopens_as_it_was();
  void maps_of_windowed_layers_reopen();
  void maps_of_earlier_versions_reopen();
  void a_run_that_broke_off_reopens();
  void a_run_without_sinks_reopens();
  void impossible_sinks_are_refused();
  void forced_hits_are_those_of_the_run();
  void hits_that_are_gone_are_no_search();
  void lists_of_another_search_force_nothing();
  void a_list_of_carried_positions_is_missed();
  void ids_tell_runs_apart();
  void folders_that_do_not_hold_together_are_refused_data();
  void folders_that_do_not_hold_together_are_refused();
};

void RunReaderTest::a_run_reopens_as_it_was() {
  const TempDir temp;
  std::mt19937 random(7);
  RunDescription written = whole_run_description();
  written.seed = UINT64_MAX;
  written.request.forced_hits = forced_hits_of(written, written.model.config);
  const std::vector<SegmentSnapshot> segments = write_run(temp.file("run"), written, random, 3);
  const RunContents run = reopen_run(temp.file("run"));
  QVERIFY(json(run.description.model.config) == json(written.model.config));
  QCOMPARE(run.description.request.config, written.request.config);
  QCOMPARE(*run.description.request.ids, *written.request.ids);
  QCOMPARE(run.description.command_line, written.command_line);
  QCOMPARE(run.description.id, run_id(written.model, written.request));
  QCOMPARE(run_id(run.description.model, run.description.request), run.description.id);
  const json again = config_json(run.description), before = config_json(written);
  for (const auto& [key, value] : before.items())
    if (key != "model") QVERIFY2(again.at(key) == value, key.c_str());
  QVERIFY(!run.summary.cancelled);
  QCOMPARE(run.summary.targets, std::int64_t{95});
  QVERIFY(run.summary.sinks_lost == std::optional<std::int64_t>(1));
  QCOMPARE(run.segments->count(), static_cast<int>(segments.size()));
  const std::vector<std::int32_t>& ids = *written.request.ids;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto loaded = run.segments->load(static_cast<int>(i));
    const SegmentSnapshot& read = *loaded;
    QVERIFY(json(read.record) == json(segments[i].record));
    QCOMPARE(read.target_nll, segments[i].target_nll);
    QCOMPARE(read.hits, segments[i].hits);
    QCOMPARE(read.ids, std::vector<std::int32_t>(ids.begin() + read.record.first_token,
                                                 ids.begin() + read.record.first_token + read.record.length));
    for (const auto map : {&SegmentSnapshot::carry_key_norm, &SegmentSnapshot::carry_value_norm,
                           &SegmentSnapshot::carry_drift, &SegmentSnapshot::sinks}) {
      QCOMPARE((read.*map).columns, (segments[i].*map).columns);
      QCOMPARE((read.*map).values, (segments[i].*map).values);
    }
  }
}

void RunReaderTest::a_run_that_broke_off_reopens() {
  const TempDir temp;
  std::mt19937 random(7);
  write_run(temp.file("run"), whole_run_description(), random, 3);
  fs::remove(temp.file("run/summary.json"));
  const std::string lines = test::read_bytes(temp.file("run/segments.jsonl"));
  test::write_bytes(temp.file("run/segments.jsonl"), lines.substr(0, lines.find('\n') + 1));  // hits came first
  fs::remove(temp.file("run/carry_maps.npy"));
  const RunContents run = reopen_run(temp.file("run"));
  QVERIFY(run.summary.cancelled);
  QCOMPARE(run.segments->count(), 1);
  QCOMPARE(run.summary.tokens, std::int64_t{32});
  const auto first = run.segments->load(0);
  QVERIFY(first->hits.empty() && first->carry_key_norm.values.empty());
}

/// The measures of sinks are in the outline, from the index too; a run of an earlier version has none of them.
/// A map whose first columns only every second layer has.
Map ragged_map(std::mt19937& random, std::int64_t columns, std::int64_t missing) {
  Map map{4, columns, {}};
  for (std::int64_t i = 0; i < 4 * columns; ++i) {
    const bool empty = i / columns % 2 == 0 && i % columns < missing;
    map.values.push_back(empty ? std::nanf("") : std::normal_distribution<float>(5, 1)(random));
  }
  return map;
}

void RunReaderTest::maps_of_windowed_layers_reopen() {
  const TempDir temp;
  std::mt19937 random(9);
  RunDescription run = whole_run_description();
  run.model.config.window = 13;
  run.model.config.window_layers = {3};
  run.request.config.grouping = Grouping({1}, {{0, 2}});
  const std::pair<std::int64_t, std::int64_t> kColumns[] = {{7, 2}, {12, 4}, {12, 0}};  // and those that are missing
  std::vector<SegmentSnapshot> segments;
  RunFolder folder(temp.file("run"), run, false);
  for (int i = 0; i < 3; ++i) {
    segments.push_back(random_snapshot(i, random, 32));
    const auto [columns, missing] = kColumns[i];
    segments.back().carry_key_norm = ragged_map(random, columns, missing);
    segments.back().carry_drift = ragged_map(random, columns - 2, 0);
    folder.append(segments.back());
  }
  folder.finish(summary_of(segments));
  const RunContents read = reopen_run(temp.file("run"));
  for (int i = 0; i < 3; ++i) {
    const SegmentSnapshot& wanted = segments[static_cast<std::size_t>(i)];
    const auto segment = read.segments->load(i);
    QVERIFY(same_map(segment->carry_key_norm, wanted.carry_key_norm));
    QVERIFY(same_map(segment->carry_drift, wanted.carry_drift));
    QCOMPARE(read.outline->segment(i).mean_key_norm, digest_of(wanted).mean_key_norm);
    QVERIFY(std::isfinite(digest_of(wanted).mean_key_norm));
  }
  const auto stored = NpyRows(temp.file("run/carry_maps.npy"));
  QCOMPARE(stored.shape(), (std::vector<std::int64_t>{3, 3, 4, 12}));
  QCOMPARE(stored.row(0)[2 * 12 - 1], segments[0].carry_key_norm.at(1, 6));  // the last slot is the last token
}

/// They have M slots, whatever windowed layers carry, and a short segment fills the first of them.
void RunReaderTest::maps_of_earlier_versions_reopen() {
  const TempDir temp;
  std::mt19937 random(9);
  RunDescription run = whole_run_description();
  run.request.config.grouping = Grouping({1}, {{0, 2}});
  write_run(temp.file("run"), run, random, 1);
  json config = json::parse(test::read_bytes(temp.file("run/config.json")));
  config["model"]["config"]["window"] = 40;
  config["model"]["config"]["window_layers"] = {3};
  test::write_bytes(temp.file("run/config.json"), config.dump());
  std::vector<float> row;
  for (int i = 0; i < 3 * 4 * 8; ++i) row.push_back(i % 8 < 5 ? static_cast<float>(i) : std::nanf(""));
  test::write_bytes(temp.file("run/carry_maps.npy"), npy_bytes(npy_array(std::span<const float>(row), {1, 3, 4, 8})));
  fs::remove(temp.file("run/index.bin"));
  const auto segment = reopen_run(temp.file("run")).segments->load(0);
  QCOMPARE(segment->carry_key_norm.columns, 5);
  QCOMPARE(segment->carry_drift.at(3, 4), row[(2 * 4 + 3) * 8 + 4]);
  test::write_bytes(temp.file("run/carry_maps.npy"), npy_bytes(npy_array(std::span<const float>(row), {1, 3, 8, 4})));
  QCOMPARE(unlike(Fault::BadInput, "layers and carry length", [&] { reopen_run(temp.file("run")); }), std::string());
}

void RunReaderTest::a_run_without_sinks_reopens() {
  const TempDir temp;
  std::mt19937 random(7);
  const auto segments = write_run(temp.file("run"), whole_run_description(), random, 3);
  for (const bool indexed : {true, false}) {
    if (!indexed) fs::remove(temp.file("run/index.bin"));
    const RunContents run = reopen_run(temp.file("run"));
    for (int i = 0; i < 3; ++i)
      QCOMPARE(run.outline->segment(i).sinks.values, segments[static_cast<std::size_t>(i)].sinks.values);
    QVERIFY(run.outline->segment(2).record.sinks == segments[2].record.sinks);
  }
  std::string lines;
  for (const SegmentSnapshot& segment : segments) {
    json record = segment.record;
    record.erase("sinks");
    lines += record.dump() + "\n";
  }
  test::write_bytes(temp.file("run/segments.jsonl"), lines);
  fs::remove(temp.file("run/sinks.npy"));
  const RunContents run = reopen_run(temp.file("run"));
  QVERIFY(!run.summary.sinks_lost);
  for (int i = 0; i < 3; ++i)
    QVERIFY(run.segments->load(i)->sinks.values.empty() && !run.outline->segment(i).record.sinks);
}

/// By the index and by the lines; the segment at fault is named.
void RunReaderTest::impossible_sinks_are_refused() {
  const TempDir temp;
  std::mt19937 random(4);
  const auto segments = write_run(temp.file("run"), whole_run_description(), random, 3);
  const std::string path = temp.file("run/sinks.npy"), whole = test::read_bytes(path);
  const auto put = [&](std::size_t segment, std::size_t value, float number) {
    std::string bytes = whole;
    const std::size_t values = 3 * 4 * 8;
    std::memcpy(&bytes[bytes.size() + (segment * 32 + value - values) * sizeof(float)], &number, sizeof(float));
    test::write_bytes(path, bytes);
  };
  put(1, 9, segments[1].sinks.values[9]);
  QCOMPARE(test::read_bytes(path), whole);
  for (const bool indexed : {true, false}) {
    if (!indexed) fs::remove(temp.file("run/index.bin"));
    for (const float number : {NAN, -1.0F, INFINITY}) {
      put(1, 9, number);
      QCOMPARE(unlike(Fault::BadInput, path + ", segment 1", [&] { reopen_run(temp.file("run")); }), "");
    }
    put(2, 4, 1.5F);
    QCOMPARE(unlike(Fault::BadInput, path + ", segment 2", [&] { reopen_run(temp.file("run")); }), "");
    put(1, 1, 1e6F);  // a norm may be anything
    QCOMPARE(reopen_run(temp.file("run")).outline->segment(1).sinks.values[1], 1e6F);
  }
}

/// From its folder and from its journal.
void RunReaderTest::forced_hits_are_those_of_the_run() {
  const TempDir temp;
  std::mt19937 random(7);
  const RunDescription drawn = forced_run("random", "");
  const std::vector<HeadHits> hits = control_hits(PrefixSource::Random, drawn.request.config, drawn.model.config,
                                                  std::ssize(*drawn.request.ids), drawn.seed);
  QVERIFY(!hits.empty());
  write_hits(temp.file("hits.jsonl"), hits);
  for (const RunDescription& written : {drawn, forced_run("search", temp.file("hits.jsonl"))}) {
    const std::string name = written.force_hits.empty() ? "drawn" : "read";
    write_run(temp.file(name), written, random, 3);
    RunJournal(temp.file(name + ".journal"), written).append(random_snapshot(0, random));
    for (const std::string& place : {temp.file(name), temp.file(name + ".journal")}) {
      const RunDescription again = read_kept_run(place).contents.description;
      QVERIFY(again.missing_hits.empty() && again.request.forced_hits.size() == hits.size());
      for (std::size_t i = 0; i < hits.size(); ++i) {
        QVERIFY(again.request.forced_hits[i].segment == hits[i].segment);
        QVERIFY(
            std::ranges::equal(again.request.forced_hits[i].hits, hits[i].hits, {}, &Hit::position, &Hit::position));
      }
      if (written.force_hits.empty()) QVERIFY(again.request.forced_hits == hits);
    }
  }
  SegmentSnapshot given;
  given.hits = {hits.front()};
  RunRequest request = drawn.request;
  request.forced_hits = hits;
  check_forced_hits(request, given);
  given.hits.front().hits.back().position += 1;
  QCOMPARE(unlike(Fault::BadInput, "the run", [&] { check_forced_hits(request, given); }), "");
}

void RunReaderTest::hits_that_are_gone_are_no_search() {
  const TempDir temp;
  std::mt19937 random(7);
  for (const RunDescription& written : {forced_run("search", temp.file("gone.jsonl")), forced_run("of later", "")}) {
    const std::string folder = temp.file(written.prefix);
    write_run(folder, written, random, 3);
    const RunContents run = reopen_run(folder);
    QCOMPARE(run.segments->count(), 3);
    QVERIFY(run.description.request.forced_hits.empty());
    const std::string& named = written.force_hits.empty() ? written.prefix : written.force_hits;
    QVERIFY2(run.description.missing_hits.find(named) != std::string::npos, run.description.missing_hits.c_str());
  }
  RunDescription huge = forced_run("random", "");
  huge.request.config.segment_length = huge.request.config.carry_length = 1;
  huge.request.config.sink_length = 0;
  huge.request.config.retrieval_length = std::int64_t{1} << 30;
  huge.request.ids = std::make_shared<const std::vector<std::int32_t>>(100'000, 1);
  restore_forced_hits(huge);
  QVERIFY(huge.request.forced_hits.empty() && !huge.missing_hits.empty());
}

/// The one list of a shared search has a head's name, and is not that head's own.
void RunReaderTest::lists_of_another_search_force_nothing() {
  const TempDir temp;
  RunDescription run = forced_run("search", temp.file("hits.jsonl"));
  SegmentConfig& config = run.request.config;
  config.grouping = Grouping({1}, {{0}});
  config.search_heads = {{1, 0}};
  for (const SearchBy recorded : {SearchBy::PerHead, SearchBy::Shared}) {
    config.search = recorded;
    write_hits(run.force_hits,
               control_hits(PrefixSource::Recent, config, run.model.config, std::ssize(*run.request.ids), 0));
    QVERIFY(!forced_hits_of(run, run.model.config).empty());
    config.search = recorded == SearchBy::PerHead ? SearchBy::Shared : SearchBy::PerHead;
    QCOMPARE(unlike(Fault::BadInput, run.force_hits, [&] { forced_hits_of(run, run.model.config); }), "");
  }
}

/// Sinks and carry fill the first segment, and its carried positions are searched all the same.
void RunReaderTest::a_list_of_carried_positions_is_missed() {
  const TempDir temp;
  RunDescription run = forced_run("search", temp.file("hits.jsonl"));
  run.request.config.sink_length = 4;
  run.request.config.carry_length = 28;
  std::vector<HeadHits> hits =
      control_hits(PrefixSource::Recent, run.request.config, run.model.config, std::ssize(*run.request.ids), 0);
  write_hits(run.force_hits, hits);
  QVERIFY(forced_hits_of(run, run.model.config).size() == hits.size());
  std::erase_if(hits, [](const HeadHits& list) { return list.segment == 1; });
  write_hits(run.force_hits, hits);
  QCOMPARE(unlike(Fault::BadInput, "has no hits of segment 1", [&] { forced_hits_of(run, run.model.config); }), "");
}

void RunReaderTest::ids_tell_runs_apart() {
  const RunDescription one = whole_run_description();
  RunDescription other = whole_run_description();
  QCOMPARE(run_id(other.model, other.request), run_id(one.model, one.request));
  other.request.config.top_k += 1;
  QVERIFY(run_id(other.model, other.request) != run_id(one.model, one.request));
  other = whole_run_description();
  other.model.weights_hash.back() = '0';
  QVERIFY(run_id(other.model, other.request) != run_id(one.model, one.request));
  other = whole_run_description();
  other.request.forced_hits = {{1, 0, 0, {{5, HitKind::Anchor, 1, 5, 0}}}};
  QVERIFY(run_id(other.model, other.request) != run_id(one.model, one.request));
}

void RunReaderTest::folders_that_do_not_hold_together_are_refused_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("from");  // replaced by `to`; empty: the whole file is
  QTest::addColumn<QString>("to");
  QTest::newRow("a hole") << "segments.jsonl"
                          << "\"first_token\":32"
                          << "\"first_token\":33";
  QTest::newRow("past the text") << "segments.jsonl"
                                 << "\"length\":32"
                                 << "\"length\":3200";
  QTest::newRow("negative") << "segments.jsonl"
                            << "\"targets\":32"
                            << "\"targets\":-1";
  QTest::newRow("no dtype") << "config.json"
                            << "\"dtype\""
                            << "\"type\"";
  QTest::newRow("negative seed") << "config.json"
                                 << "\"seed\": "
                                 << "\"seed\": -";
  QTest::newRow("huge model") << "config.json"
                              << "\"layers\": 4"
                              << "\"layers\": 4000000000";
  QTest::newRow("no ids") << "ids.npy"
                          << ""
                          << "nothing";
  QTest::newRow("maps of another run") << "carry_maps.npy"
                                       << "(3, 3, 4, 8)"
                                       << "(3, 3, 8, 4)";
  QTest::newRow("sinks of another model") << "sinks.npy"
                                          << "(3, 4, 8)"
                                          << "(3, 8, 4)";
  QTest::newRow("more attention than there is") << "segments.jsonl"
                                                << "\"text_mass\":0.25"
                                                << "\"text_mass\":1.25";
  QTest::newRow("attention below zero") << "segments.jsonl"
                                        << "\"carry_mass\":0"
                                        << "\"carry_mass\":-0";
}

void RunReaderTest::folders_that_do_not_hold_together_are_refused() {
  QFETCH(QString, file);
  QFETCH(QString, from);
  QFETCH(QString, to);
  const TempDir temp;
  std::mt19937 random(9);
  write_run(temp.file("run"), whole_run_description(), random, 3);
  const std::string path = temp.file("run/" + file.toStdString());
  QByteArray bytes = QByteArray::fromStdString(test::read_bytes(path));
  QVERIFY(from.isEmpty() || bytes.contains(from.toUtf8()));
  test::write_bytes(path, (from.isEmpty() ? to.toUtf8() : bytes.replace(from.toUtf8(), to.toUtf8())).toStdString());
  QCOMPARE(unlike(Fault::BadInput, path, [&] { reopen_run(temp.file("run")); }), "");
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RunReaderTest>};
#include "run_reader_test.moc"
