// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover bench` on the tiny shape and the demo, with peers that are small scripts; and its rounds with subjects
// that take no time at all.
#include <QFile>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "app/cli/bench/bench_report.h"
#include "app/cli/bench/bench_schedule.h"
#include "engine/base/error.h"
#include "engine/cost/policy_table.h"
#include "tests/support/cli_process.h"
#include "tests/support/make_gguf.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Says who was asked, and answers from a list.
struct FakeSubject final : BenchSubject {
  FakeSubject(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  std::string name() const override { return name_; }
  std::string program() const override { return "fake"; }
  bool is_peer() const override { return peer; }
  std::string cannot(BenchKind kind) const override { return kind == BenchKind::Train ? "it is a fake" : ""; }
  bool warms_up_by_itself() const override { return warm; }
  BenchSample measure(const BenchCase& bench_case, BenchPurpose purpose, RunControl& control) override {
    control.checkpoint();
    log_.push_back(name_ + std::string(bench_kind_name(bench_case.kind)).substr(0, 1));
    purposes.push_back(purpose);
    if (fault && log_.size() > 2) throw EngineError(*fault, name_, "gave up");
    if (std::ssize(log_) == stop_after) control.request_stop();
    BenchSample sample{static_cast<double>(log_.size()), {}, {}};
    if (purpose != BenchPurpose::Time) sample.peak_bytes = static_cast<std::int64_t>(1000 + log_.size());
    return sample;
  }
  std::string name_;
  std::vector<std::string>& log_;
  std::vector<BenchPurpose> purposes;
  bool peer = true, warm = false;
  std::optional<Fault> fault;
  std::int64_t stop_after = -1;
};

struct Rounds {
  std::vector<std::string> log;
  std::vector<std::unique_ptr<BenchSubject>> subjects;
  FakeSubject *a, *b;
  BenchInput input;
  BenchPlan plan{{64}, {BenchKind::Prefill}, 2};
  RunControl control;
  std::vector<BenchResult> saves;

  Rounds() {
    for (const char* name : {"a", "b"}) subjects.push_back(std::make_unique<FakeSubject>(name, log));
    a = static_cast<FakeSubject*>(subjects[0].get());
    b = static_cast<FakeSubject*>(subjects[1].get());
    input.model.config.layers = input.model.config.heads = input.model.config.kv_heads = 1;
    input.model.config.hidden = input.model.config.head_dim = input.model.config.vocabulary = 8;
    input.config = SegmentConfig::defaults_for(input.model.config);
  }
  BenchResult run() {
    return run_bench(
        plan, input, subjects, control, [](const std::string&) {},
        [this](const BenchResult& so_far) { saves.push_back(so_far); });
  }
};

QStringList tiny_bench(const QStringList& more) {
  return QStringList{"bench", "--shape", "tiny", "--dtype", "fp32", "--threads", "1", "--quiet"} + more;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void write_program(const fs::path& path, const std::string& script) {
  write_bytes(path, script);
  fs::permissions(path, fs::perms::owner_all);
}

CliResult run_with_path(const QStringList& arguments, const QString& folder) {
  QProcess process;
  prepare_cli(process, arguments);
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", folder + ":" + environment.value("PATH"));
  process.setProcessEnvironment(environment);
  process.start();
  return finish_cli(process);
}

}  // namespace

class BenchCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void repetitions_get_fewer_as_texts_get_longer() {
    QCOMPARE(bench_repeats(2048), 5);
    QCOMPARE(bench_repeats(2049), 3);
    QCOMPARE(bench_repeats(8192), 3);
    QCOMPARE(bench_repeats(8193), 1);
  }

  void rounds_take_turns_there_and_back() {
    Rounds rounds;
    const BenchResult result = rounds.run();
    QCOMPARE(rounds.log, (std::vector<std::string>{"ap", "bp", "bp", "ap", "ap", "bp"}));  // the first two warm up
    QCOMPARE(result.rows.size(), std::size_t{2});
    QCOMPARE(result.rows[0].seconds, (std::vector<double>{4, 5}));
    QCOMPARE(result.rows[0].median(), 4.5);
    QCOMPARE(result.rows[0].peak_bytes, 1001);  // the warm-up's
    using enum BenchPurpose;
    QVERIFY((rounds.a->purposes == std::vector<BenchPurpose>{Memory, Time, Time}));
    QVERIFY(result.gaps.empty() && !result.interrupted);
  }

  /// Whoever kills a bench loses the round that runs, and no other.
  void every_round_is_saved() {
    Rounds rounds;
    rounds.plan.contexts = {64, 128};
    const BenchResult result = rounds.run();
    std::vector<std::size_t> repetitions, rows;
    for (const BenchResult& so_far : rounds.saves) {
      rows.push_back(so_far.rows.size());
      repetitions.push_back(so_far.rows.back().seconds.size());
      QCOMPARE(so_far.sources.size(), std::size_t{2});
    }
    QCOMPARE(rows, (std::vector<std::size_t>{2, 2, 4, 4}));
    QCOMPARE(repetitions, (std::vector<std::size_t>{1, 2, 1, 2}));
    QCOMPARE(rounds.saves[1].rows[1].seconds, result.rows[1].seconds);
  }

  void single_runs_and_programs_of_their_own_have_no_warm_up() {
    Rounds rounds;
    rounds.plan = {{64, 128}, {BenchKind::Prefill, BenchKind::Decode, BenchKind::Train}, 1};
    const BenchResult result = rounds.run();
    QCOMPARE(rounds.log, (std::vector<std::string>{"ap", "bp", "ad", "bd", "ap", "bp", "ad", "bd"}));
    QVERIFY(rounds.a->purposes == std::vector<BenchPurpose>(4, BenchPurpose::Both));
    QVERIFY(result.gaps.size() == 2 && result.gaps[1].what == "train" && result.gaps[1].why == "it is a fake");
    Rounds warm;
    warm.a->warm = true;
    warm.run();
    QCOMPARE(warm.log, (std::vector<std::string>{"bp", "bp", "ap", "ap", "bp"}));
  }

  void medians_are_of_what_was_measured() {
    BenchRow row;
    row.seconds = {9, 1, 4};
    QCOMPARE(row.median(), 4.0);
    row.seconds = {9, 1, 4, 6};
    QCOMPARE(row.median(), 5.0);
    row.seconds = {7};
    QCOMPARE(row.median(), 7.0);
  }

  void who_fails_is_left_out_and_named() {
    Rounds rounds;
    rounds.b->fault = Fault::Io;
    const BenchResult result = rounds.run();
    QVERIFY(result.rows.size() == 1 && result.rows[0].bench_case.who == "a" && result.rows[0].seconds.size() == 2);
    QVERIFY(result.gaps.size() == 1 && result.gaps[0].who == "b" && result.gaps[0].why == "b: gave up");
    Rounds ours;  // our own faults are faults, but for memory that a machine has not
    ours.b->peer = false;
    ours.b->name_ = "full";
    ours.b->fault = Fault::Internal;
    QVERIFY_THROWS_EXCEPTION(EngineError, ours.run());
    ours.log.clear();
    ours.b->fault = Fault::OutOfMemory;
    QCOMPARE(ours.run().gaps.size(), std::size_t{1});
  }

  void a_stop_keeps_what_was_measured() {
    Rounds rounds;
    rounds.plan.contexts = {64, 128};
    rounds.a->stop_after = rounds.b->stop_after = 4;
    const BenchResult result = rounds.run();
    QVERIFY(result.interrupted);
    QVERIFY(result.rows.size() == 2 && result.rows[0].seconds.size() == 1 && result.rows[1].seconds.size() == 1);
    const json report = bench_json(rounds.input, {{{"down", 1, 1, 1, 1e9}}, 1e9}, {"fake"}, result);
    QVERIFY(report.at("interrupted") == true);
    QVERIFY(bench_text(read_bench(report, "bench")).find("Interrupted") != std::string::npos);
  }

  void everything_is_in_the_report() {
    const TempDir temp;
    const QString folder = text(temp.file("out"));
    const QStringList arguments =
        tiny_bench({"--contexts", "300,100", "--repeats", "3", "--new-tokens", "4", "--segment-length", "64",
                    "--carry-length", "16", "--retrieval-length", "16", "--output", folder, "--json"});
    const json report = json_of(run_cli(arguments));
    QVERIFY(json::parse(read_bytes(temp.file("out/bench.json"))) == report);
    for (const char* field : {"date", "command_line", "machine", "environment", "programs", "model", "dtype", "device",
                              "weight_bytes", "config", "limits", "measurements", "not_measured", "interrupted"})
      QVERIFY2(report.contains(field), field);
    QVERIFY(report.at("machine").at("threads") == 1 && report.at("machine").at("memory_bytes") > 1 << 20);
    for (const char* when : {"limits", "limits_after"})
      QVERIFY(report.at(when).at("products").size() == 5 && report.at(when).at("bytes_per_second") > 0);
    const json& subjects = report.at("subjects");
    QCOMPARE(subjects.size(), policies().size());
    QVERIFY(subjects[0].at("who") == "segmented" && subjects[1].at("who") == "full");
    for (const json& subject : subjects)
      QVERIFY(subject.at("dtype") == "fp32" && subject.at("ids_hash").get<std::string>().size() == 16 &&
              subject.at("weights_hash") == report.at("model").at("weights_hash"));
    QVERIFY(report.at("config").at("segment_length") == 64);
    const json& rows = report.at("measurements");
    const auto trained = static_cast<std::size_t>(std::ranges::count_if(policies(), &PolicyRow::trained));
    QCOMPARE(rows.size(), 2 * policies().size() * 2 + trained * 2);  // contexts × policies × (prefill, decode)
    for (const json& row : rows) check(row);
    QVERIFY(rows[0].at("tokens") == 100 && rows[0].at("what") == "prefill" && rows[0].at("who") == "segmented");
    QVERIFY(rows.back().at("checkpointing") == true && rows.back().at("tokens") == 128 &&
            policy_row(rows.back().at("who").get<std::string>()).trained);
    const std::vector<std::string> csv = lines_of(read_bytes(temp.file("out/bench.csv")));
    QCOMPARE(csv.size(), rows.size() + 1);
    QVERIFY(csv[0].starts_with("what,who,tokens,") && csv[1].starts_with("prefill,segmented,100,,3,"));
    for (const std::string& line : csv)
      QCOMPARE(std::count(line.begin(), line.end(), ','), std::count(csv[0].begin(), csv[0].end(), ','));
    const CliResult again = run_cli(arguments);
    QVERIFY2(again.code == 2 && again.err.contains("--overwrite"), again.err.constData());
  }

  void the_plan_counts_what_the_engine_holds() {
    const json report = json_of(run_cli(
        tiny_bench({"--contexts", "512", "--repeats", "1", "--what", "prefill", "--policies", "segmented", "--json"})));
    const json& row = report.at("measurements").at(0);
    for (const char* kind : {"weights", "carry", "pool"})
      QVERIFY2(row.at("memory").at(kind) == row.at("predicted").at(kind), kind);
  }

  void weights_follow_their_seed() {
    const auto hash = [](const char* seed) {
      return json_of(run_cli(tiny_bench({"--contexts", "16", "--repeats", "1", "--what", "prefill", "--policies",
                                         "full", "--seed", seed, "--json"})))
          .at("model")
          .at("weights_hash")
          .dump();
    };
    QCOMPARE(hash("7"), hash("7"));
    QVERIFY(hash("7") != hash("8"));
  }

  void peers_are_measured_or_their_absence_is_said() {
    const TempDir temp;
    write_program(temp.path() / "python", R"(#!/bin/sh
read setup
case $setup in *'"model"'*demo*) ;; *) echo '{"error": "no model"}'; esac
echo '{"program": "transformers 0"}'
read first; echo '{"seconds": 0.5, "peak_bytes": 1000}'
while read line; do echo '{"error": "RuntimeError: enough"}'; done
)");
    const json report =
        json_of(run_with_path({"bench", demo_model(), "--contexts", "64", "--what", "prefill,decode", "--repeats", "1",
                               "--policies", "full", "--quiet", "--json", "--peer", text(temp.file("python"))},
                              text(temp.path().string())));
    const json& rows = report.at("measurements");
    QCOMPARE(rows.size(), std::size_t{3});
    QVERIFY(rows[1].at("who") == "transformers" && rows[1].at("median_s") == 0.5 && rows[1].at("peak_bytes") == 1000);
    QVERIFY(rows[1].at("flops") == rows[0].at("flops") && rows[1].at("predicted").is_null());
    QVERIFY(report.at("programs")[1] == "transformers 0");
    QString gaps;
    for (const json& gap : report.at("not_measured")) gaps += text(gap.dump());
    QVERIFY2(gaps.contains("enough") && gaps.contains("llama-bench"), qPrintable(gaps));

    write_program(temp.path() / "python", "#!/bin/sh\necho No module named torch >&2\nexit 1\n");
    const CliResult absent = run_cli(tiny_bench({"--peer", text(temp.file("python"))}));
    QVERIFY2(absent.code == 5 && absent.err.contains("No module named torch"), absent.err.constData());
  }

  /// The others are measured, and the report says why it is not.
  void a_policy_that_the_configuration_has_no_room_for_is_a_gap() {
    const json report = json_of(run_cli(
        {"bench", "--shape", "tiny", "--contexts", "64", "--what", "prefill", "--repeats", "1", "--segment-length",
         "32", "--carry-length", "8", "--attention-window", "16", "--policies", "full,infllm", "--quiet", "--json"}));
    QCOMPARE(report.at("measurements").size(), std::size_t{1});
    QString gaps;
    for (const json& gap : report.at("not_measured")) gaps += text(gap.dump());
    QVERIFY2(gaps.contains("infllm") && gaps.contains("attention_window, 16"), qPrintable(gaps));
  }

  /// llama-bench without and with -fa, each a row of its own; what both sides share is said, and what they don't.
  void llama_bench_is_measured_without_and_with_flash_attention() {
    const TempDir temp;
    write_program(temp.path() / "llama-bench", R"(#!/bin/sh
case "$*" in *"-fa 1"*) ns=200000000 ;; *"-fa 0"*) ns=400000000 ;; *) exit 1 ;; esac
printf '[{"avg_ns": %s, "build_commit": "abc", "model_type": "llama 1M F32"}]' $ns
)");
    GgufWriter tiny;
    add_llama_keys(tiny, tiny_config());
    add_llama_tensors(tiny, tiny_config(), random_weights(tiny_config(), 3));
    write_bytes(temp.file("tiny.gguf"), tiny.bytes());
    const json report =
        json_of(run_with_path({"bench", text(temp.file("tiny.gguf")), "--dtype", "fp32", "--contexts", "16", "--what",
                               "prefill", "--repeats", "1", "--policies", "full", "--quiet", "--json"},
                              text(temp.path().string())));
    const json& rows = report.at("measurements");
    QCOMPARE(rows.size(), std::size_t{3});
    QVERIFY(rows[1].at("who") == "llama-bench" && rows[1].at("median_s") == 0.4);
    QVERIFY(rows[2].at("who") == "llama-bench -fa" && rows[2].at("median_s") == 0.2);
    const json &ours = report.at("subjects")[0], &theirs = report.at("subjects")[2];
    QVERIFY(theirs.at("program") == "llama.cpp abc, llama 1M F32" && theirs.at("dtype") == ours.at("dtype"));
    QVERIFY(theirs.at("weights_hash") == ours.at("weights_hash") && theirs.at("ids_hash").is_null());
  }

  void wrong_usage_is_refused_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, const QStringList& arguments, int code, const char* named) {
      QTest::newRow(name) << arguments << code << QString(named);
    };
    row("nothing to measure", {}, 2, "MODEL or --shape");
    row("two models", {demo_model(), "--shape", "tiny"}, 2, "MODEL or --shape");
    row("unknown shape", {"--shape", "gpt2"}, 2, "llama2-7b");
    row("no context", {"--shape", "tiny", "--contexts", "0"}, 2, "--contexts");
    row("longer than any text", {"--shape", "tiny", "--contexts", "99999999999"}, 2, "--contexts");
    row("not a number", {"--shape", "tiny", "--contexts", "long"}, 2, "--contexts");
    row("unknown policy", {"--shape", "tiny", "--policies", "sparse"}, 2, "--policies");
    row("unknown work", {"--shape", "tiny", "--what", "sleep"}, 2, "--what");
    row("no repetition", {"--shape", "tiny", "--repeats", "0"}, 2, "--repeats");
    row("no such model", {"/nowhere/model.gguf"}, 5, "model.gguf");
    row("wrong setting", {"--shape", "tiny", "--segment-length", "0"}, 3, "segment_length");
    row("a sample that nobody has", {"--shape", "tiny", "--truncation-depth", "99999999"}, 2, "--truncation-depth");
    row("unwritable folder", {"--shape", "tiny", "--output", "/proc/bench"}, 5, "/proc/bench");
  }

  void wrong_usage_is_refused() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, named);
    const CliResult result = run_cli(QStringList{"bench", "--quiet"} + arguments);
    QVERIFY2(result.code == code && result.err.contains(named.toUtf8()), result.err.constData());
    QVERIFY(result.out.isEmpty());
  }

  void ctrl_c_leaves_what_was_measured() {
    const TempDir temp;
    QProcess process;
    prepare_cli(process, {"bench", "--shape", "tiny", "--contexts", "64,1000000", "--what", "prefill", "--policies",
                          "segmented", "--threads", "1", "--output", text(temp.file("out"))});
    process.start();
    process.setReadChannel(QProcess::StandardError);
    QByteArray seen;
    while (!fs::exists(temp.file("out/bench.json")) && process.state() != QProcess::NotRunning) {
      process.waitForReadyRead(50);
      seen += process.readAllStandardError();
    }
    QVERIFY2(fs::exists(temp.file("out/bench.json")), seen.constData());
    for (const int signal : {SIGINT, SIGTERM})  // one request, which a script passes on
      QCOMPARE(kill(static_cast<pid_t>(process.processId()), signal), 0);
    const CliResult result = finish_cli(process);
    QVERIFY2(result.code == 130 && result.out.contains("Interrupted"), result.err.constData());
    const json report = json::parse(read_bytes(temp.file("out/bench.json")));
    QVERIFY(report.at("interrupted") == true && report.at("measurements").size() == 1);
    QCOMPARE(lines_of(read_bytes(temp.file("out/bench.csv"))).size(), std::size_t{2});
  }

 private:
  static void check(const json& row) {
    QCOMPARE(row.at("seconds").size(), std::size_t{3});
    auto seconds = row.at("seconds").get<std::vector<double>>();
    std::sort(seconds.begin(), seconds.end());
    QVERIFY(row.at("min_s") == seconds[0] && row.at("median_s") == seconds[1] && row.at("max_s") == seconds[2]);
    const bool decoding = row.at("what") == "decode";
    QVERIFY(row.at(decoding ? "bandwidth_share" : "gemm_share") > 0);
    const double tokens = decoding ? 1 : row.at("tokens").get<double>();
    QVERIFY(std::abs(row.at("tokens_per_s").get<double>() * seconds[1] - tokens) < 1e-9 * tokens);
    if (!decoding) QVERIFY(row.at("memory").at("weights") > 0);
    QVERIFY(row.at("predicted").at("device_peak") > 0);
    const json& peak = row.at("peak_bytes");
    if (peak.is_null()) return;
    const double deviation = peak.get<double>() / row.at("predicted").at("device_peak").get<double>() - 1;
    QVERIFY(std::abs(deviation - row.at("deviation").get<double>()) < 1e-9);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<BenchCommandTest>};
#include "bench_command_test.moc"
