// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_folder.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/formats/npy.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_id.h"
#include "engine/runs/records/run_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/run_folders.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::FileSizeLimit;
using carryover::test::random_snapshot;
using carryover::test::run_description;
using carryover::test::summary_of;
using carryover::test::TempDir;
using carryover::test::unlike;
using carryover::test::whole_run_description;
using carryover::test::write_run;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> listing(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

const std::vector<std::string> kAllFiles{"config.json", "hits.jsonl",     "ids.npy",   "index.bin",
                                         "nll.json",    "segments.jsonl", "sinks.npy", "summary.json"};

}  // namespace

class RunFolderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void reads_back_what_was_written();
  void a_run_without_targets_has_no_perplexity();
  void losses_keep_their_bits();
  void config_repeats_the_run();
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
  RunFolder folder(temp.file("a/run"), run_description(), false);
  for (int i = 0; i < 4; ++i) {
    segments.push_back(random_snapshot(i, random, i == 3 ? 31 : 32));
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
       {"model", "policy", "seconds", "peak_memory_bytes", "near_ties", "dtype", "device", "memory"}) {
    QVERIFY2(summary.contains(key), key);
  }
  QVERIFY(summary.at("time") == json(summary_of(segments).time));
  QVERIFY(!run.segments[0].time && run.segments[1].time);
}

void RunFolderTest::a_run_without_targets_has_no_perplexity() {
  const TempDir temp;
  std::mt19937 random(1);
  RunFolder folder(temp.file("run"), run_description(), false);
  folder.append(random_snapshot(0, random, 0));
  folder.finish(summary_of({random_snapshot(0, random, 0)}));
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
  RunFolder folder(temp.file("run"), run_description(), false);
  folder.append(segment);
  folder.finish({});
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(std::isnan(run.target_nll.back()));
  for (std::size_t i = 0; i + 1 < segment.target_nll.size(); ++i) QCOMPARE(run.target_nll[i], segment.target_nll[i]);
}

void RunFolderTest::config_repeats_the_run() {
  const TempDir temp;
  RunFolder folder(temp.file("run"), run_description(), false);
  folder.finish({});
  const json config = *read_run_folder(temp.file("run")).config;
  SegmentConfig read;
  update_from_json(read, config.at("config"), "config.json");
  QCOMPARE(read, run_description().request.config);
  QVERIFY(config.at("model").at("weights_hash") == "0123456789abcdef");
  QVERIFY(config.at("threads") == 2);
  QVERIFY(config.at("text_tokens") == 100);
  QCOMPARE(config.at("command_line").size(), std::size_t{4});
  QVERIFY(config.at("environment").at("libraries") == "LibTorch 2.11.0");
  QVERIFY(!config.at("environment").at("processor_flags").empty());
}

void RunFolderTest::is_whole_after_every_segment() {
  const TempDir temp;
  std::mt19937 random(3);
  RunFolder folder(temp.file("run"), run_description(), false);
  for (int i = 0; i < 5; ++i) {
    folder.append(random_snapshot(i, random));
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
    RunFolder folder(temp.file("run"), run_description(), false);
    for (int i = 0; i < 3; ++i) folder.append(random_snapshot(i, random));
    folder.finish({});
  }
  const std::string before = test::read_bytes(temp.file("run/segments.jsonl"));
  QCOMPARE(unlike(Fault::Usage, "--overwrite", [&] { RunFolder(temp.file("run"), run_description(), false); }), "");
  QCOMPARE(test::read_bytes(temp.file("run/segments.jsonl")), before);
  QCOMPARE(listing(temp.file("run")), kAllFiles);

  test::write_bytes(temp.file("run/notes.txt"), "mine");
  RunFolder folder(temp.file("run"), run_description(), true);
  QVERIFY(!fs::exists(temp.file("run/summary.json")));
  folder.append(random_snapshot(0, random));
  QCOMPARE(read_run_folder(temp.file("run")).segments.size(), std::size_t{1});
  QCOMPARE(test::read_bytes(temp.file("run/notes.txt")), std::string("mine"));
}

void RunFolderTest::an_unwritable_place_is_named() {
  const TempDir temp;
  test::write_bytes(temp.file("file"), "x");
  QCOMPARE(unlike(Fault::Io, temp.file("file"), [&] { RunFolder(temp.file("file"), run_description(), false); }), "");
  QCOMPARE(
      unlike(Fault::Io, temp.file("file/run"), [&] { RunFolder(temp.file("file/run"), run_description(), false); }),
      "");
  QCOMPARE(unlike(Fault::Io, "/proc/run", [&] { RunFolder("/proc/run", run_description(), false); }), "");
}

void RunFolderTest::nothing_stays_where_no_segment_closed() {
  const TempDir temp;
  { RunFolder folder(temp.file("run"), run_description(), false); }
  QVERIFY(!fs::exists(temp.file("run")));
  fs::create_directory(temp.file("mine"));
  test::write_bytes(temp.file("mine/notes.txt"), "mine");
  { RunFolder folder(temp.file("mine"), run_description(), false); }
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
      RunFolder folder(temp.file("run"), run_description(), false);
      for (; written < 1000; ++written) folder.append(random_snapshot(written, random));
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
    const SegmentSnapshot expected = random_snapshot(i, again);
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
    RunFolder folder(temp.file("run"), run_description(), false);
    folder.append(random_snapshot(0, random));
  }
  for (const char* name : {"config.json", "segments.jsonl", "nll.json"}) {
    const std::string contents = test::read_bytes(temp.file("run/") + name);
    test::write_bytes(temp.file("run/") + name, contents.substr(0, contents.size() / 2));
    QCOMPARE(unlike(Fault::BadInput, name, [&] { read_run_folder(temp.file("run")); }), "");
    test::write_bytes(temp.file("run/") + name, contents);
  }
  read_run_folder(temp.file("run"));
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RunFolderTest>};
#include "run_folder_test.moc"
