// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover-cli run` on the demo model: summaries, run folders and how they repeat, signals, full disks.
#include "engine/runs/records/run_command.h"

#include <signal.h>

#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/formats/folder_lock.h"
#include "engine/runs/records/run_reader.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::CliResult;
using carryover::test::json_of;
using carryover::test::run_cli;
using carryover::test::run_demo;
using carryover::test::TempDir;
using carryover::test::text;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string random_ids(int count) {
  std::mt19937 random(1);
  json ids = json::array();
  for (int i = 0; i < count; ++i) ids.push_back(random() % 500);
  return ids.dump();
}

}  // namespace

class RunCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void run_without_a_folder_prints_a_summary();
  void run_writes_a_folder();
  void a_run_repeats_from_its_config();
  void flags_win_over_the_config_file();
  void a_preset_comes_before_the_config_file();
  void patterns_of_heads_come_from_a_file();
  void keys_in_fewer_bits_take_less_memory();
  void forced_hits_repeat_the_run();
  void hits_of_another_text_are_refused();
  void the_command_of_a_run_with_an_adapter_repeats_it();
  void a_weight_that_is_not_a_number_is_named();
  void a_record_that_lacks_hits_is_refused();
  void a_read_error_is_no_end_of_the_record();
  void one_process_writes_a_run_folder();
  void capture_can_be_left_out();
  void sinks_are_measured_unless_left_out();
  void one_token_has_no_perplexity();
  void a_text_may_be_shorter_than_a_segment();
  void bos_comes_first();
  void full_policy_agrees_within_one_segment();
  void a_run_is_not_overwritten_unasked();
  void ctrl_c_leaves_valid_files();
  void a_full_disk_leaves_valid_files_data();
  void a_full_disk_leaves_valid_files();
};

void RunCommandTest::run_without_a_folder_prints_a_summary() {
  const CliResult result = run_cli(run_demo({test::demo_text(), "--tokens", "300"}));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(result.out.contains("perplexity") && result.out.contains("300 tokens, 299 targets, 5 segments"));
  QVERIFY(result.err.contains("segment 4: 300 of 300 tokens"));
  QVERIFY(!result.err.contains('\r'));  // no live line where there is no terminal
  QVERIFY(run_cli(run_demo({test::demo_text(), "--tokens", "300", "--quiet"})).err.isEmpty());
}

void RunCommandTest::run_writes_a_folder() {
  const TempDir temp;
  const CliResult result = run_cli(run_demo({"-", "--out", text(temp.file("run")), "--tokens", "1000"}),
                                   QByteArray::fromStdString(test::read_bytes(test::demo_text().toStdString())));
  QVERIFY2(result.code == 0, result.err);
  const StoredRun run = read_run_folder(temp.file("run"));
  QCOMPARE(run.segments.size(), std::size_t{16});
  QCOMPARE(run.target_nll.size(), std::size_t{999});
  QVERIFY(!run.hits.empty() && run.hits.front().segment == 1);
  double sum = 0, of_segments = 0;
  for (float value : run.target_nll) sum += value;
  std::int64_t tokens = 0, targets = 0;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const SegmentRecord& segment = run.segments[i];
    QCOMPARE(segment.index, static_cast<std::int64_t>(i));
    QCOMPARE(segment.first_token, tokens);
    tokens += segment.length;
    targets += segment.targets;
    of_segments += segment.nll_sum;
  }
  QCOMPARE(tokens, 1000);
  QCOMPARE(targets, 999);
  const double mean = run.summary->at("nll_mean").get<double>();
  QVERIFY(std::abs(of_segments / 999 - mean) < 1e-9 && std::abs(sum / 999 - mean) < 1e-5);
  for (const HeadHits& hits : run.hits) {
    for (const Hit& hit : hits.hits) QVERIFY(hit.position < 256 * hits.segment);  // nothing of its own segment
  }
  QVERIFY(run.config->at("config").at("segment_length") == 64 && run.config->at("dtype") == "fp32");
}

void RunCommandTest::a_run_repeats_from_its_config() {
  const TempDir temp;
  const QStringList first{"--out",
                          text(temp.file("a")),
                          "--tokens",
                          "700",
                          "--segment-length",
                          "128",
                          "--carry-length",
                          "16",
                          "--retrieval-length",
                          "24",
                          "--long-range-heads",
                          "0,3",
                          "--long-range-layers",
                          "1,3",
                          "--rope",
                          "linear:2",
                          "--pool-keys",
                          "int8",
                          "--bos",
                          "--seed",
                          "9"};
  QCOMPARE(run_cli(run_demo(QStringList{test::demo_text()} + first)).code, 0);
  const CliResult again = run_cli({"run", test::demo_model(), test::demo_text(), "--config",
                                   text(temp.file("a/config.json")), "--out", text(temp.file("b"))});
  QVERIFY2(again.code == 0, again.err);
  for (const char* name : {"a/nll.json", "a/hits.jsonl"}) {
    QCOMPARE(test::read_bytes(temp.file(name)), test::read_bytes(temp.file("b/" + std::string(name + 2))));
  }
  json a = *read_run_folder(temp.file("a")).config, b = *read_run_folder(temp.file("b")).config;
  a.erase("command_line"), b.erase("command_line");
  QVERIFY(a == b);
  QVERIFY(a.at("tokens") == 700 && a.at("text_tokens") == 701 && a.at("config").at("pool_keys") == "int8");
}

void RunCommandTest::keys_in_fewer_bits_take_less_memory() {
  std::int64_t before = 0;
  for (const char* format : {"int8", "bf16", "model"}) {
    const CliResult result =
        run_cli(run_demo({test::demo_text(), "--tokens", "300", "--json", "--quiet", "--pool-keys", format}));
    QVERIFY2(result.code == 0, result.err);
    const std::int64_t pool = json_of(result).at("memory").at("pool").get<std::int64_t>();
    QVERIFY(pool > before);
    before = pool;
  }
  const CliResult wrong = run_cli(run_demo({test::demo_text(), "--pool-keys", "int4"}));
  QCOMPARE(wrong.code, 3);
  QVERIFY2(wrong.err.contains("pool_keys") && wrong.err.contains("Use model, bf16 or int8."), wrong.err);
}

void RunCommandTest::a_preset_comes_before_the_config_file() {
  const TempDir temp;
  const auto config_of = [&](const QStringList& more) {
    const QString out = text(temp.file("run"));
    const CliResult result = run_cli(
        run_demo(QStringList{test::demo_text(), "--tokens", "100", "--quiet", "--overwrite", "--out", out} + more));
    return result.code == 0 ? json::parse(test::read_bytes(temp.file("run") + "/config.json")) : json();
  };
  QCOMPARE(config_of({"--preset", "paper"}).at("config").at("sink_length").get<int>(), 0);
  QCOMPARE(config_of({"--preset", "sinks"}).at("config").at("sink_length").get<int>(), 4);
  test::write_bytes(temp.file("heads.json"), R"({"search_heads": [[3, 1]], "carry_length": 9})");
  const json recall =
      config_of({"--preset", "recall", "--config", text(temp.file("heads.json")), "--carry-length", "8"});
  QCOMPARE(recall.at("config").at("search").get<std::string>(), std::string("shared"));
  QCOMPARE(recall.at("config").at("search_heads").dump(), std::string("[[3,1]]"));
  QCOMPARE(recall.at("config").at("carry_length").get<int>(), 8);
  QCOMPARE(run_cli(run_demo({test::demo_text(), "--tokens", "100", "--quiet", "--preset", "best"})).code, 2);
}

void RunCommandTest::patterns_of_heads_come_from_a_file() {
  const TempDir temp;
  const std::string file = temp.file("heads.json");
  const auto run_with = [&](const std::string& patterns) {
    test::write_bytes(file, patterns);
    return run_cli(run_demo({test::demo_text(), "--tokens", "100", "--quiet", "--overwrite", "--head-patterns",
                             text(file), "--out", text(temp.file("run"))}));
  };
  const json patterns = json::parse(R"([{"0": ["vertical_and_slash", 30, 800, 0.9976220726966858]}, {}])");
  const CliResult result = run_with(patterns.dump());
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(json::parse(test::read_bytes(temp.file("run") + "/config.json")).at("config").at("head_patterns") ==
          patterns);
  const CliResult wrong = run_with(R"([{"0": ["dense", 30, 800, 1]}])");
  QCOMPARE(wrong.code, 3);
  QVERIFY2(wrong.err.contains("heads.json: layer 0, head 0 has the unknown kind \"dense\""), wrong.err);
  const CliResult large = run_with(json(std::vector<json>(99, json::object())).dump());
  QCOMPARE(large.code, 3);
  QVERIFY2(large.err.contains("head_patterns has 99 layers"), large.err);
}

void RunCommandTest::flags_win_over_the_config_file() {
  const TempDir temp;
  const json settings{{"segment_length", 64}, {"carry_length", 8}, {"tokens", 200}, {"policy", "full"}};
  test::write_bytes(temp.file("settings.json"), settings.dump());
  const CliResult result =
      run_cli(run_demo({test::demo_text(), "--config", text(temp.file("settings.json")), "--carry-length", "4",
                        "--policy", "segmented", "--out", text(temp.file("run"))}));
  QVERIFY2(result.code == 0, result.err);
  const StoredRun run = read_run_folder(temp.file("run"));
  const json& config = run.config->at("config");
  QVERIFY(config.at("segment_length") == 64 && config.at("carry_length") == 4 && config.at("retrieval_length") == 32);
  QVERIFY(run.config->at("policy") == "segmented" && run.summary->at("tokens") == 200);
}

void RunCommandTest::forced_hits_repeat_the_run() {
  const TempDir temp;
  QCOMPARE(run_cli(run_demo({test::demo_text(), "--tokens", "800", "--out", text(temp.file("a"))})).code, 0);
  const CliResult forced = run_cli(run_demo({test::demo_text(), "--tokens", "800", "--out", text(temp.file("b")),
                                             "--force-hits", text(temp.file("a/hits.jsonl"))}));
  QVERIFY2(forced.code == 0, forced.err);
  QCOMPARE(read_run_folder(temp.file("b")).target_nll, read_run_folder(temp.file("a")).target_nll);
}

void RunCommandTest::hits_of_another_text_are_refused() {
  const TempDir temp;
  const auto run_ids = [&](const std::string& ids, const QStringList& more) {
    test::write_bytes(temp.file("ids.json"), ids);
    return run_cli(run_demo(QStringList{"--input-ids", text(temp.file("ids.json"))} + more));
  };
  json ids = json::parse(random_ids(400));
  QCOMPARE(run_ids(ids.dump(), {"--out", text(temp.file("a"))}).code, 0);
  const auto recorded = read_run_folder(temp.file("a")).config->at("text_hash").get<std::string>();
  const QStringList forced{"--force-hits", text(temp.file("a/hits.jsonl")), "--out", text(temp.file("b"))};

  json other = ids;
  other[399] = (ids[399].get<int>() + 1) % 500;
  QCOMPARE(run_ids(other.dump(), {"--out", text(temp.file("other"))}).code, 0);
  const auto wrong = read_run_folder(temp.file("other")).config->at("text_hash").get<std::string>();
  QVERIFY(recorded != wrong && recorded.size() == 16);
  const CliResult refused = run_ids(other.dump(), forced);
  QVERIFY2(refused.code == 3, refused.err);
  for (const std::string& named : {recorded, wrong, std::string("differ from token 399")})
    QVERIFY2(refused.err.contains(named.c_str()), refused.err);
  QVERIFY(!fs::exists(temp.file("b")));

  json longer = ids;
  longer.push_back(7);
  const CliResult beyond = run_ids(longer.dump(), forced);
  QVERIFY2(beyond.code == 3 && beyond.err.contains("ends at token 400"), beyond.err);

  const json beginning(std::vector<json>(ids.begin(), ids.begin() + 300));
  const CliResult shorter = run_ids(beginning.dump(), forced);
  QVERIFY2(shorter.code == 0, shorter.err);
  QCOMPARE(run_ids(beginning.dump(), {"--out", text(temp.file("c"))}).code, 0);
  QCOMPARE(read_run_folder(temp.file("b")).target_nll, read_run_folder(temp.file("c")).target_nll);

  fs::remove(temp.file("a/ids.npy"));  // a record that lost its text cannot be trusted
  QVERIFY(run_ids(ids.dump(), forced + QStringList{"--overwrite"}).code != 0);
}

void RunCommandTest::the_command_of_a_run_with_an_adapter_repeats_it() {
  const TempDir temp;
  const CliResult trained =
      run_cli({"train", test::demo_model(), "--data", test::demo_text(), "--output", text(temp.file("trained")),
               "--max-steps", "2", "--lora-rank", "2", "--segment-length", "48", "--dtype", "bf16", "--quiet"});
  QVERIFY2(trained.code == 0, trained.err);
  const CliResult first =
      run_cli({"run", test::demo_model(), test::demo_text(), "--adapter", text(temp.file("trained/final")), "--dtype",
               "bf16", "--tokens", "300", "--threads", "1", "--out", text(temp.file("a"))});
  QVERIFY2(first.code == 0, first.err);
  const RunDescription a = reopen_run(temp.file("a")).description;
  QVERIFY(a.model.dtype == DType::BFloat16 && a.model.adapter == temp.file("trained/final"));
  QVERIFY(first.out.contains(("adapter    " + a.model.adapter).c_str()));
  QVERIFY(first.out.contains(("weights    " + a.model.weights_hash).c_str()) && a.model.weights_hash.size() == 33);
  QVERIFY(run_provenance(a).find("adapter: " + a.model.adapter) != std::string::npos);
  QStringList words;
  for (const std::string& word : run_command(a)) words += text(word);
  QCOMPARE(words.takeFirst(), QString("carryover"));
  const CliResult again = run_cli(words + QStringList{"--out", text(temp.file("b"))});
  QVERIFY2(again.code == 0, again.err);
  QCOMPARE(reopen_run(temp.file("b")).description.id, a.id);
  QCOMPARE(test::read_bytes(temp.file("b/nll.json")), test::read_bytes(temp.file("a/nll.json")));
  QCOMPARE(read_run_folder(temp.file("b")).summary->at("adapter").get<std::string>(), a.model.adapter);
}

/// In the last value of the file, where no sample of a hash once looked.
void RunCommandTest::a_weight_that_is_not_a_number_is_named() {
  const TempDir temp;
  fs::copy(test::demo_model().toStdString(), temp.file("model"));
  const std::string file = temp.file("model/model.safetensors");
  std::string bytes = test::read_bytes(file);
  bytes.replace(bytes.size() - 2, 2, "\xff\x7f");  // NaN in fp32, bf16 and fp16
  test::write_bytes(file, bytes);
  const CliResult run =
      run_cli({"run", text(temp.file("model")), test::demo_text(), "--tokens", "100", "--out", text(temp.file("run"))});
  QCOMPARE(run.code, 3);
  QVERIFY2(run.err.contains("has a value that is not finite") && run.err.contains("model.safetensors"), run.err);
  QVERIFY(!fs::exists(temp.file("run")));
  const CliResult generate =
      run_cli({"generate", text(temp.file("model")), "--prompt-file", "-", "--max-new-tokens", "4"}, "Once");
  QVERIFY(generate.code == 3 && generate.out.isEmpty());
  QVERIFY(json_of(run_cli({"info", text(temp.file("model")), "--json"})).at("weights_hash") !=
          json_of(run_cli({"info", test::demo_model(), "--json"})).at("weights_hash"));
}

/// Whatever is missing of a hits.jsonl: the run is refused, and never searches in its place.
void RunCommandTest::a_record_that_lacks_hits_is_refused() {
  const TempDir temp;
  const std::string hits = temp.file("hits.jsonl");
  QCOMPARE(run_cli(run_demo({test::demo_text(), "--tokens", "400", "--out", text(temp.file("a"))})).code, 0);
  const std::string whole = test::read_bytes(temp.file("a/hits.jsonl"));
  const QStringList forced = run_demo({test::demo_text(), "--tokens", "400", "--force-hits", text(hits)});
  test::write_bytes(hits, whole);
  QCOMPARE(run_cli(forced).code, 0);
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t length : {std::size_t{0}, last, whole.find('\n') + 1, last + 40}) {
    test::write_bytes(hits, whole.substr(0, length));
    const CliResult refused = run_cli(forced);
    QVERIFY2(refused.code == 3, refused.err);
    QVERIFY2(refused.err.contains(text(hits).toUtf8()), refused.err);
  }
  test::write_bytes(hits, whole.substr(whole.find('\n') + 1));
  const CliResult refused = run_cli(forced);
  QVERIFY2(refused.code == 3 && refused.err.contains("has no hits of segment 1"), refused.err);
}

void RunCommandTest::a_read_error_is_no_end_of_the_record() {
  const TempDir temp;
  QCOMPARE(run_cli(run_demo({test::demo_text(), "--tokens", "400", "--out", text(temp.file("a"))})).code, 0);
  const QStringList exported{"export", text(temp.file("a")), "--data", "segments", "-o", text(temp.file("out.csv"))};
  QCOMPARE(run_cli(exported).code, 0);
  fs::remove(temp.file("a/segments.jsonl"));
  fs::create_symlink("/proc/self/mem", temp.file("a/segments.jsonl"));  // opens, and its first byte can't be read
  fs::remove(temp.file("out.csv"));
  const CliResult refused = run_cli(exported);
  QVERIFY2(refused.code == 5 && refused.err.contains("can't be read"), refused.err);
  QVERIFY(!fs::exists(temp.file("out.csv")));
}

void RunCommandTest::one_process_writes_a_run_folder() {
  const TempDir temp;
  const QStringList command =
      run_demo({test::demo_text(), "--tokens", "400", "--overwrite", "--out", text(temp.file("a"))});
  QCOMPARE(run_cli(command).code, 0);
  {
    const FolderLock writing(temp.file("a"));
    const CliResult refused = run_cli(command);
    QVERIFY2(refused.code == 2 && refused.err.contains("another process writes into this folder"), refused.err);
    QCOMPARE(read_run_folder(temp.file("a")).segments.size(), std::size_t{7});
  }
  QCOMPARE(run_cli(command).code, 0);
}

void RunCommandTest::capture_can_be_left_out() {
  const TempDir temp;
  const CliResult result = run_cli({"run", "--no-capture", "hits,nll", test::demo_model(), test::demo_text(),
                                    "--tokens", "600", "--out", text(temp.file("a"))});
  QVERIFY2(result.code == 0, result.err);
  const StoredRun run = read_run_folder(temp.file("a"));
  QVERIFY(run.hits.empty() && run.target_nll.empty() && run.segments.size() == 10);
  QVERIFY(run.summary->at("ppl").is_number() && run.summary->at("sinks_lost").is_number());
}

void RunCommandTest::sinks_are_measured_unless_left_out() {
  const TempDir temp;
  const QStringList text_and_length{test::demo_text(), "--tokens", "600"};
  const CliResult measured = run_cli(run_demo(text_and_length + QStringList{"--out", text(temp.file("a"))}));
  const CliResult left_out =
      run_cli(run_demo(text_and_length + QStringList{"--no-capture", "sinks", "--out", text(temp.file("b"))}));
  QVERIFY2(measured.code == 0 && left_out.code == 0, measured.err + left_out.err);
  const StoredRun a = read_run_folder(temp.file("a")), b = read_run_folder(temp.file("b"));
  QVERIFY(a.target_nll == b.target_nll && a.hits == b.hits && !a.hits.empty());
  std::int64_t lost = 0;
  for (const SegmentRecord& segment : a.segments) {
    lost += segment.sinks.value().lost;
    QCOMPARE(segment.sinks->lost, segment.index > 0 && lost_sink(*segment.sinks, segment.length, *a.segments[0].sinks));
  }
  QVERIFY(a.summary->at("sinks_lost") == lost);
  QVERIFY(a.summary->at("sinks_lost_share") == static_cast<double>(lost) / 10);
  QVERIFY(measured.out.contains("attention sink lost in " + QByteArray::number(lost) + " of 10 segments"));
  QVERIFY(fs::file_size(temp.file("a/sinks.npy")) > 10 * 8 * sizeof(float));
  QVERIFY(!left_out.out.contains("sink") && b.summary->at("sinks_lost").is_null());
  QVERIFY(!b.segments[3].sinks && !fs::exists(temp.file("b/sinks.npy")));
  // If nothing is carried, there is no boundary at which a sink can be lost.
  const CliResult forgetful =
      run_cli(run_demo(text_and_length + QStringList{"--carry-length", "0", "--retrieval-length", "0"}));
  QVERIFY(forgetful.code == 0 && !forgetful.out.contains("sink"));
}

void RunCommandTest::one_token_has_no_perplexity() {
  const TempDir temp;
  test::write_bytes(temp.file("ids.json"), "[7]");
  const CliResult result =
      run_cli(run_demo({"--input-ids", text(temp.file("ids.json")), "--out", text(temp.file("run")), "--json"}));
  QVERIFY2(result.code == 0, result.err);
  const json summary = json_of(result);
  QVERIFY(summary.at("ppl").is_null() && summary.at("nll_mean").is_null());
  QVERIFY(summary.at("tokens") == 1 && summary.at("targets") == 0 && summary.at("segments") == 1);
  QVERIFY(read_run_folder(temp.file("run")).target_nll.empty());
}

void RunCommandTest::a_text_may_be_shorter_than_a_segment() {
  const CliResult result = run_cli(run_demo({"-", "--json"}), "Once upon a time.");
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(json_of(result).at("segments") == 1);
}

void RunCommandTest::bos_comes_first() {
  const json plain = json_of(run_cli(run_demo({"-", "--json"}), "Once upon a time."));
  const json bos = json_of(run_cli(run_demo({"-", "--json", "--bos"}), "Once upon a time."));
  QVERIFY(bos.at("tokens") == plain.at("tokens").get<int>() + 1);
  QVERIFY(bos.at("targets") == plain.at("targets").get<int>() + 1);  // the first word now has one before it
}

void RunCommandTest::full_policy_agrees_within_one_segment() {
  const QStringList arguments{test::demo_text(), "--tokens", "200", "--segment-length", "256", "--json"};
  const json segmented = json_of(run_cli(run_demo(arguments)));
  const json full = json_of(run_cli(run_demo(arguments + QStringList{"--policy", "full"})));
  QVERIFY(full.at("policy") == "full");
  QVERIFY(std::abs(full.at("nll_mean").get<double>() - segmented.at("nll_mean").get<double>()) < 1e-4);
}

void RunCommandTest::a_run_is_not_overwritten_unasked() {
  const TempDir temp;
  const QStringList arguments = run_demo({test::demo_text(), "--tokens", "100", "--out", text(temp.file("run"))});
  QCOMPARE(run_cli(arguments).code, 0);
  const std::string before = test::read_bytes(temp.file("run/summary.json"));
  QCOMPARE(run_cli(arguments).code, 2);
  QCOMPARE(test::read_bytes(temp.file("run/summary.json")), before);
  QCOMPARE(run_cli(arguments + QStringList{"--overwrite"}).code, 0);
}

void RunCommandTest::ctrl_c_leaves_valid_files() {
  const TempDir temp;
  test::write_bytes(temp.file("ids.json"), random_ids(400000));
  QProcess process;
  test::prepare_cli(process, run_demo({"--input-ids", text(temp.file("ids.json")), "--out", text(temp.file("run"))}));
  process.start();
  QByteArray seen;
  process.setReadChannel(QProcess::StandardError);
  while (!seen.contains("segment ") && process.waitForReadyRead(60000)) seen += process.readAllStandardError();
  QVERIFY2(seen.contains("segment "), seen);
  QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
  const CliResult result = test::finish_cli(process);
  QVERIFY2(result.code == 130, result.err);
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(run.summary->at("cancelled") == true);
  QVERIFY(!run.segments.empty());
  QVERIFY(run.summary->at("segments") == run.segments.size());
  std::size_t targets = 0;
  for (const SegmentRecord& segment : run.segments) targets += static_cast<std::size_t>(segment.targets);
  QCOMPARE(run.target_nll.size(), targets);
  QVERIFY(run.summary->at("tokens").get<int>() < 400000);
}

void RunCommandTest::a_full_disk_leaves_valid_files_data() {
  QTest::addColumn<int>("bytes");
  for (int bytes : {0, 1000, 8192, 20000}) QTest::addRow("%d", bytes) << bytes;
}

void RunCommandTest::a_full_disk_leaves_valid_files() {
  QFETCH(int, bytes);
  const TempDir temp;
  const CliResult result = run_cli(run_demo({test::demo_text(), "--out", text(temp.file("run"))}), {}, bytes);
  QVERIFY2(result.code == 5, result.err);
  QVERIFY2(result.err.contains(temp.file("run").c_str()), result.err);
  if (!fs::exists(temp.file("run"))) return;
  const StoredRun run = read_run_folder(temp.file("run"));
  QVERIFY(!run.segments.empty() && run.summary == nullptr);
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<RunCommandTest>};
#include "run_command_test.moc"
