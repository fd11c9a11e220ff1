// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/run_folder.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/io/npy.h"
#include "engine/io/output_file.h"
#include "engine/io/run_id.h"
#include "engine/io/run_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/random_config.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using carryover::test::FileSizeLimit;
using carryover::test::TempDir;
using carryover::test::unlike;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

RunDescription description() {
  RunDescription result;
  result.model.config = test::tiny_config();
  result.model.path = "/models/\xff tiny";  // a path may be any bytes
  result.model.weights_hash = "0123456789abcdef";
  result.model.library_versions = "LibTorch 2.11.0";
  result.model.threads = 2;
  result.text = "book.txt";
  result.command_line = {"carryover", "run", "tiny", "book.txt"};
  std::mt19937 random(5);
  result.request.config = test::random_segment_config(random, result.model.config);
  result.request.ids = std::make_shared<const std::vector<std::int32_t>>(100, 7);
  return result;
}

SegmentSnapshot snapshot(std::int64_t index, std::mt19937& random, std::int64_t targets = 32) {
  std::normal_distribution<float> normal(3.0f, 1.0f);
  SegmentSnapshot result;
  result.record = {index, 32 * index, 32, targets, 0, 0.25, 32 * (index + 1), index % 3, {1, 2, 3, 4, 5, 6}};
  for (std::int64_t i = 0; i < targets; ++i) {
    result.target_nll.push_back(normal(random));
    result.record.nll_sum += result.target_nll.back();
  }
  if (index == 0) return result;
  for (int head : {0, 2}) {
    HeadHits hits{index, 1, head, {}};
    for (int slot = 0; slot < 6; ++slot) {
      if (slot % 3 == 2)
        hits.hits.push_back({4 * slot, HitKind::Padding, 0, -1, -1});
      else
        hits.hits.push_back(
            {4 * slot, slot % 3 == 0 ? HitKind::Anchor : HitKind::Expanded, normal(random), 4 * (slot / 3 * 3), 3});
    }
    result.hits.push_back(hits);
  }
  return result;
}

RunSummary summary_of(const std::vector<SegmentSnapshot>& segments) {
  RunSummary summary;
  for (const SegmentSnapshot& segment : segments) {
    summary.tokens += segment.record.length;
    summary.targets += segment.record.targets;
    summary.nll_sum += segment.record.nll_sum;
    ++summary.segments;
  }
  summary.seconds = 2;
  return summary;
}

/// Three segments of 32 tokens, with room for their maps: 4 layers, 8 slots.
RunDescription whole_description() {
  RunDescription result = description();
  result.model.path = "/models/tiny";
  result.request.config = SegmentConfig::defaults_for(result.model.config);
  result.request.config.segment_length = 32;
  result.request.config.carry_length = 8;
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 96; ++i) ids.push_back(i * 37 % 256);
  result.request.ids = std::make_shared<const std::vector<std::int32_t>>(ids);
  result.token_limit = 96;
  result.seed = 11;
  result.prefix = "random";
  return result;
}

Map random_map(std::mt19937& random) {
  Map map{4, 8, {}};
  for (int i = 0; i < 32; ++i) map.values.push_back(std::normal_distribution<float>(5, 1)(random));
  return map;
}

/// Writes it; the first segment has no drift, as in a run.
std::vector<SegmentSnapshot> write_run(const std::string& directory, const RunDescription& description,
                                       std::mt19937& random, int count) {
  std::vector<SegmentSnapshot> segments;
  RunFolder folder(directory, description, false);
  for (int i = 0; i < count; ++i) {
    SegmentSnapshot segment = snapshot(i, random, i + 1 == count ? 31 : 32);
    segment.carry_key_norm = random_map(random);
    segment.carry_value_norm = random_map(random);
    if (i > 0) segment.carry_drift = random_map(random);
    folder.append(segment);
    segments.push_back(segment);
  }
  folder.finish(summary_of(segments));
  return segments;
}

std::vector<std::string> listing(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<std::string> kAllFiles{"config.json", "hits.jsonl",     "ids.npy",     "index.bin",
                                         "nll.json",    "segments.jsonl", "summary.json"};

}  // namespace

class RunFolderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void reads_back_what_was_written();
  void a_run_without_targets_has_no_perplexity();
  void losses_keep_their_bits();
  void config_repeats_the_run();
  void a_run_reopens_as_it_was();
  void a_run_that_broke_off_reopens();
  void ids_tell_runs_apart();
  void folders_that_do_not_hold_together_are_refused_data();
  void folders_that_do_not_hold_together_are_refused();
  void is_whole_after_every_segment();
  void a_second_run_is_refused_unless_asked();
  void an_unwritable_place_is_named();
  void nothing_stays_where_no_segment_closed();
  void a_full_disk_leaves_whole_files_data();
  void a_full_disk_leaves_whole_files();
  void a_file_is_replaced_at_once_or_not_at_all();
  void broken_files_are_named_with_their_line();
};

void RunFolderTest::reads_back_what_was_written() {
  const TempDir temp;
  std::mt19937 random(1);
  std::vector<SegmentSnapshot> segments;
  RunFolder folder(temp.file("a/run"), description(), false);
  for (int i = 0; i < 4; ++i) {
    segments.push_back(snapshot(i, random, i == 3 ? 31 : 32));
    folder.append(segments.back());
  }
  folder.finish(summary_of(segments));
  QCOMPARE(listing(temp.path() / "a/run"), kAllFiles);

  const StoredRun run = read_run_folder(temp.file("a/run"));
  QCOMPARE(run.segments.size(), segments.size());
  std::vector<HeadHits> hits;
  std::vector<float> losses;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    QVERIFY(json(run.segments[i]) == json(segments[i].record));
    hits.insert(hits.end(), segments[i].hits.begin(), segments[i].hits.end());
    losses.insert(losses.end(), segments[i].target_nll.begin(), segments[i].target_nll.end());
  }
  QCOMPARE(run.hits, hits);
  QCOMPARE(run.target_nll, losses);
  const json& summary = *run.summary;
  QVERIFY(summary.at("tokens") == 128);
  QVERIFY(summary.at("targets") == 127);
  QVERIFY(summary.at("segments") == 4);
  QVERIFY(summary.at("tokens_per_s") == 64.0);
  QVERIFY(summary.at("cancelled") == false);
  QVERIFY(std::abs(std::log(summary.at("ppl").get<double>()) - summary.at("nll_mean").get<double>()) < 1e-12);
  for (const char* key :
       {"model", "policy", "seconds", "peak_memory_bytes", "close_cuts", "dtype", "device", "memory"}) {
    QVERIFY2(summary.contains(key), key);
  }
}

void RunFolderTest::a_run_without_targets_has_no_perplexity() {
  const TempDir temp;
  std::mt19937 random(1);
  RunFolder folder(temp.file("run"), description(), false);
  folder.append(snapshot(0, random, 0));
  folder.finish(summary_of({snapshot(0, random, 0)}));
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(run.summary->at("ppl").is_null() && run.summary->at("nll_mean").is_null());
  QVERIFY(run.target_nll.empty());
}

void RunFolderTest::losses_keep_their_bits() {
  const TempDir temp;
  std::mt19937 random(2);
  SegmentSnapshot segment;
  while (segment.target_nll.size() < 5000) {
    const auto bits = static_cast<std::uint32_t>(random());
    const float value = std::bit_cast<float>(bits);
    if (std::isfinite(value)) segment.target_nll.push_back(value);
  }
  segment.target_nll.push_back(std::numeric_limits<float>::infinity());
  RunFolder folder(temp.file("run"), description(), false);
  folder.append(segment);
  folder.finish({});
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(std::isnan(run.target_nll.back()));
  for (std::size_t i = 0; i + 1 < segment.target_nll.size(); ++i) QCOMPARE(run.target_nll[i], segment.target_nll[i]);
}

void RunFolderTest::config_repeats_the_run() {
  const TempDir temp;
  RunFolder folder(temp.file("run"), description(), false);
  folder.finish({});
  const json config = *read_run_folder(temp.file("run")).config;
  SegmentConfig read;
  update_from_json(read, config.at("config"), "config.json");
  QCOMPARE(read, description().request.config);
  QVERIFY(config.at("model").at("weights_hash") == "0123456789abcdef");
  QVERIFY(config.at("threads") == 2);
  QVERIFY(config.at("text_tokens") == 100);
  QCOMPARE(config.at("command_line").size(), std::size_t{4});
  QVERIFY(config.at("environment").at("libraries") == "LibTorch 2.11.0");
  QVERIFY(!config.at("environment").at("processor_flags").empty());
}

void RunFolderTest::a_run_reopens_as_it_was() {
  const TempDir temp;
  std::mt19937 random(7);
  const RunDescription written = whole_description();
  const std::vector<SegmentSnapshot> segments = write_run(temp.file("run"), written, random, 3);
  const RunContents run = open_run_folder(temp.file("run")).contents;
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
    for (const auto map :
         {&SegmentSnapshot::carry_key_norm, &SegmentSnapshot::carry_value_norm, &SegmentSnapshot::carry_drift}) {
      QCOMPARE((read.*map).columns, (segments[i].*map).columns);
      QCOMPARE((read.*map).values, (segments[i].*map).values);
    }
  }
}

void RunFolderTest::a_run_that_broke_off_reopens() {
  const TempDir temp;
  std::mt19937 random(7);
  write_run(temp.file("run"), whole_description(), random, 3);
  fs::remove(temp.file("run/summary.json"));
  const std::string lines = test::read_bytes(temp.file("run/segments.jsonl"));
  test::write_bytes(temp.file("run/segments.jsonl"), lines.substr(0, lines.find('\n') + 1));  // hits came first
  fs::remove(temp.file("run/carry_maps.npy"));
  const RunContents run = open_run_folder(temp.file("run")).contents;
  QVERIFY(run.summary.cancelled);
  QCOMPARE(run.segments->count(), 1);
  QCOMPARE(run.summary.tokens, std::int64_t{32});
  const auto first = run.segments->load(0);
  QVERIFY(first->hits.empty() && first->carry_key_norm.values.empty());
}

void RunFolderTest::ids_tell_runs_apart() {
  const RunDescription one = whole_description();
  RunDescription other = whole_description();
  QCOMPARE(run_id(other.model, other.request), run_id(one.model, one.request));
  other.request.config.top_k += 1;
  QVERIFY(run_id(other.model, other.request) != run_id(one.model, one.request));
  other = whole_description();
  other.model.weights_hash.back() = '0';
  QVERIFY(run_id(other.model, other.request) != run_id(one.model, one.request));
  other = whole_description();
  other.request.forced_hits = {{1, 0, 0, {{5, HitKind::Anchor, 1, 5, 0}}}};
  QVERIFY(run_id(other.model, other.request) != run_id(one.model, one.request));
}

void RunFolderTest::folders_that_do_not_hold_together_are_refused_data() {
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
  QTest::newRow("no number type") << "config.json"
                                  << "\"dtype\""
                                  << "\"type\"";
  QTest::newRow("huge model") << "config.json"
                              << "\"layers\": 4"
                              << "\"layers\": 4000000000";
  QTest::newRow("no ids") << "ids.npy"
                          << ""
                          << "nothing";
  QTest::newRow("maps of another run") << "carry_maps.npy"
                                       << "(3, 3, 4, 8)"
                                       << "(3, 3, 8, 4)";
}

void RunFolderTest::folders_that_do_not_hold_together_are_refused() {
  QFETCH(QString, file);
  QFETCH(QString, from);
  QFETCH(QString, to);
  const TempDir temp;
  std::mt19937 random(9);
  write_run(temp.file("run"), whole_description(), random, 3);
  const std::string path = temp.file("run/" + file.toStdString());
  QByteArray bytes = QByteArray::fromStdString(test::read_bytes(path));
  QVERIFY(from.isEmpty() || bytes.contains(from.toUtf8()));
  test::write_bytes(path, (from.isEmpty() ? to.toUtf8() : bytes.replace(from.toUtf8(), to.toUtf8())).toStdString());
  QCOMPARE(unlike(Fault::BadInput, path, [&] { open_run_folder(temp.file("run")); }), "");
}

void RunFolderTest::is_whole_after_every_segment() {
  const TempDir temp;
  std::mt19937 random(3);
  RunFolder folder(temp.file("run"), description(), false);
  for (int i = 0; i < 5; ++i) {
    folder.append(snapshot(i, random));
    const StoredRun run = read_run_folder(temp.file("run"));
    QCOMPARE(std::ssize(run.segments), i + 1);
    QCOMPARE(std::ssize(run.target_nll), 32 * (i + 1));
    QVERIFY(run.summary == nullptr);
  }
}

void RunFolderTest::a_second_run_is_refused_unless_asked() {
  const TempDir temp;
  std::mt19937 random(4);
  {
    RunFolder folder(temp.file("run"), description(), false);
    for (int i = 0; i < 3; ++i) folder.append(snapshot(i, random));
    folder.finish({});
  }
  const std::string before = test::read_bytes(temp.file("run/segments.jsonl"));
  QCOMPARE(unlike(Fault::Usage, "--overwrite", [&] { RunFolder(temp.file("run"), description(), false); }), "");
  QCOMPARE(test::read_bytes(temp.file("run/segments.jsonl")), before);
  QCOMPARE(listing(temp.file("run")), kAllFiles);

  test::write_bytes(temp.file("run/notes.txt"), "mine");
  RunFolder folder(temp.file("run"), description(), true);
  QVERIFY(!fs::exists(temp.file("run/summary.json")));
  folder.append(snapshot(0, random));
  QCOMPARE(read_run_folder(temp.file("run")).segments.size(), std::size_t{1});
  QCOMPARE(test::read_bytes(temp.file("run/notes.txt")), std::string("mine"));
}

void RunFolderTest::an_unwritable_place_is_named() {
  const TempDir temp;
  test::write_bytes(temp.file("file"), "x");
  QCOMPARE(unlike(Fault::Io, temp.file("file"), [&] { RunFolder(temp.file("file"), description(), false); }), "");
  QCOMPARE(unlike(Fault::Io, temp.file("file/run"), [&] { RunFolder(temp.file("file/run"), description(), false); }),
           "");
  QCOMPARE(unlike(Fault::Io, "/proc/run", [&] { RunFolder("/proc/run", description(), false); }), "");
}

void RunFolderTest::nothing_stays_where_no_segment_closed() {
  const TempDir temp;
  { RunFolder folder(temp.file("run"), description(), false); }
  QVERIFY(!fs::exists(temp.file("run")));
  fs::create_directory(temp.file("mine"));
  test::write_bytes(temp.file("mine/notes.txt"), "mine");
  { RunFolder folder(temp.file("mine"), description(), false); }
  QCOMPARE(listing(temp.file("mine")), std::vector<std::string>{"notes.txt"});
}

void RunFolderTest::a_full_disk_leaves_whole_files_data() {
  QTest::addColumn<int>("bytes");
  for (int bytes : {0, 100, 4096, 9000, 9001, 9007, 9500, 12345, 20000}) QTest::addRow("%d", bytes) << bytes;
}

void RunFolderTest::a_full_disk_leaves_whole_files() {
  QFETCH(int, bytes);
  const TempDir temp;
  std::mt19937 random(6);
  int written = 0;
  std::optional<EngineError> error;
  {
    const FileSizeLimit limit(static_cast<rlim_t>(bytes));
    error = test::error_of([&] {
      RunFolder folder(temp.file("run"), description(), false);
      for (; written < 1000; ++written) folder.append(snapshot(written, random));
    });
  }
  QVERIFY(error && error->fault() == Fault::Io && !error->advice().empty());
  QVERIFY2(error->where().find(temp.file("run")) == 0, error->what());
  if (written == 0) {
    QVERIFY(!fs::exists(temp.file("run")));
    return;
  }
  const StoredRun run = read_run_folder(temp.file("run"));
  QCOMPARE(std::ssize(run.segments), written);
  QVERIFY(std::ssize(run.target_nll) >= 32 * written && std::ssize(run.target_nll) <= 32 * (written + 1));
  std::mt19937 again(6);
  for (int i = 0; i < written; ++i) {
    const SegmentSnapshot expected = snapshot(i, again);
    for (std::size_t j = 0; j < 32; ++j) {
      QCOMPARE(run.target_nll[static_cast<std::size_t>(i) * 32 + j], expected.target_nll[j]);
    }
  }
}

void RunFolderTest::a_file_is_replaced_at_once_or_not_at_all() {
  const TempDir temp;
  write_file_atomically(temp.file("a.json"), "first");
  write_file_atomically(temp.file("a.json"), "second");
  QCOMPARE(test::read_bytes(temp.file("a.json")), std::string("second"));
  {
    const FileSizeLimit limit(1000);
    QCOMPARE(unlike(Fault::Io, temp.file("a.json") + ":",
                    [&] { write_file_atomically(temp.file("a.json"), std::string(2000, 'x')); }),
             "");
  }
  QCOMPARE(test::read_bytes(temp.file("a.json")), std::string("second"));
  QCOMPARE(listing(temp.path()), std::vector<std::string>{"a.json"});
  QCOMPARE(unlike(Fault::Io, "missing/a.json", [&] { write_file_atomically(temp.file("missing/a.json"), "x"); }), "");

  OutputFile full("/dev/full");  // a device that always answers that the disk is full
  QCOMPARE(unlike(Fault::Io, "the disk is full", [&] { full.append("x"); }), "");
}

void RunFolderTest::broken_files_are_named_with_their_line() {
  const TempDir temp;
  const auto refusal = [&](const std::string& contents, const std::string& part) {
    test::write_bytes(temp.file("hits.jsonl"), contents);
    return unlike(Fault::BadInput, part, [&] { read_hits(temp.file("hits.jsonl")); });
  };
  const std::string good = "{\"segment\":1,\"layer\":0,\"head\":0,\"positions\":[1,2]}\n";
  const std::string descending = "{\"segment\":1,\"layer\":0,\"head\":0,\"positions\":[2,1]}\n";
  QCOMPARE(refusal(good + good.substr(0, 20), "hits.jsonl:2"), "");
  QCOMPARE(refusal(good + good + "[]", "hits.jsonl:3"), "");
  QCOMPARE(refusal(descending, "hits.jsonl:1"), "");
  QCOMPARE(unlike(Fault::Io, temp.file("none"), [&] { read_hits(temp.file("none")); }), "");
  QCOMPARE(unlike(Fault::Io, temp.path().string(), [&] { read_hits(temp.path().string()); }), "");
  QCOMPARE(unlike(Fault::Io, temp.file("none"), [&] { read_run_folder(temp.file("none")); }), "");

  std::mt19937 random(8);
  {
    RunFolder folder(temp.file("run"), description(), false);
    folder.append(snapshot(0, random));
  }
  for (const char* name : {"config.json", "segments.jsonl", "nll.json"}) {
    const std::string contents = test::read_bytes(temp.file("run/") + name);
    test::write_bytes(temp.file("run/") + name, contents.substr(0, contents.size() / 2));
    QCOMPARE(unlike(Fault::BadInput, name, [&] { read_run_folder(temp.file("run")); }), "");
    test::write_bytes(temp.file("run/") + name, contents);
  }
  read_run_folder(temp.file("run"));
}

QTEST_APPLESS_MAIN(RunFolderTest)
#include "run_folder_test.moc"
