// SPDX-License-Identifier: GPL-3.0-or-later
// The file that `carryover bench` writes, read back: every value, whatever is missing or damaged, and the rows as CSV.
#include "engine/bench/bench_file.h"

#include <QTest>

#include "engine/base/error.h"
#include "tests/support/mutate.h"
#include "tests/support/synthetic_bench.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

std::string why_refused(const json& bench) {
  try {
    read_bench(bench, "bench.json");
  } catch (const EngineError& error) {
    return error.fault() == Fault::BadInput ? error.where() + ": " + error.problem() : "another fault";
  }
  return "taken";
}

}  // namespace

class BenchFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_value_is_read() {
    const json written = synthetic_bench();
    const BenchReport bench = parse_bench(written.dump(), "bench.json");
    QCOMPARE(bench.model, std::string("a model"));
    QCOMPARE(bench.processor, std::string("a processor"));
    QVERIFY(bench.gpu.empty() && bench.cores == 8 && bench.threads == 2 && bench.memory_bytes == 1 << 30);
    QVERIFY(bench.dtype == "fp32" && bench.device == "cpu" && bench.weights_hash == "abcdef" && !bench.interrupted);
    QVERIFY(bench.libraries == "LibTorch 2" && bench.programs.size() == 2 && bench.command_line.size() == 3);
    QVERIFY(bench.best_flops_per_second == 2e11 && bench.bytes_per_second == 1.5e10);
    QVERIFY(bench.subjects() == std::vector<std::string>({"segmented", "full", "transformers"}));
    QCOMPARE(bench.measurements.size(), written.at("measurements").size());
    const BenchMeasurement &first = bench.measurements[0], &peer = bench.measurements[2];
    QVERIFY(first.kind == BenchKind::Prefill && first.who == "segmented" && first.tokens == 512 && first.repeats == 3);
    QVERIFY(first.median_s == 0.512 && first.min_s == 0.256 && first.max_s == 1.024 && first.tokens_per_s == 1000);
    QVERIFY(first.share == 0.25 && first.peak_bytes == 1'512'000 && first.predicted_bytes == 1'000'000);
    QVERIFY(first.deviation == 0.512 && !first.checkpointing);
    QVERIFY(!peer.peak_bytes && !peer.predicted_bytes && !peer.deviation && peer.share == 0.25);
    QVERIFY(bench.measurements[3].kind == BenchKind::Decode && bench.measurements[3].share == 0.25);
    QVERIFY(!bench.measurements[12].checkpointing && bench.measurements[13].checkpointing);
    QVERIFY(bench.not_measured.size() == 1 && bench.not_measured[0].why == "it is not here");
  }

  /// Each field, left out and as a value of another kind.
  void what_is_missing_is_named() {
    const json whole = synthetic_bench();
    const auto check = [](json broken, const json::json_pointer& at, const std::string& key) {
      for (const json& wrong : {json(), json(json::object({{"x", 1}}))}) {
        broken[at][key] = wrong;
        const std::string why = why_refused(broken);
        QVERIFY2(why.find(key) != std::string::npos, (key + ": " + why).c_str());
      }
    };
    for (const char* key : {"date", "command_line", "programs", "machine", "environment", "model", "dtype", "device",
                            "limits", "measurements", "not_measured", "interrupted"})
      check(whole, json::json_pointer(""), key);
    for (const char* key : {"what", "who", "tokens", "seconds", "median_s", "min_s", "max_s"})
      check(whole, json::json_pointer("/measurements/1"), key);
    check(whole, json::json_pointer("/measurements/13"), "checkpointing");
    for (const char* key : {"processor", "threads", "cores"}) check(whole, json::json_pointer("/machine"), key);
    json unknown = whole;
    unknown["measurements"][0]["what"] = "sleep";
    QVERIFY(why_refused(unknown).find("measurement 1: what is 'sleep'") != std::string::npos);
    unknown["measurements"][0] = 3;
    QVERIFY(why_refused(unknown).find("measurement 1") != std::string::npos);
    QCOMPARE(why_refused(whole), std::string("taken"));
  }

  void damage_is_an_error_and_never_worse() {
    const std::string whole = synthetic_bench().dump();
    Mutator mutator(whole, whole.size(), 3);
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
      try {
        bench_csv(parse_bench(mutator.next(), "bench.json"));
      } catch (const EngineError& error) {
        QVERIFY(error.fault() == Fault::BadInput);
        ++refused;
      }
    }
    QVERIFY(refused > 1000);
  }

  void rows_as_csv() {
    const std::string csv = bench_csv(read_bench(synthetic_bench(), "bench.json"));
    const QStringList lines = QString::fromStdString(csv).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 15);
    const QStringList names = lines[0].split(',');
    const auto cell = [&](int row, const char* name) { return lines[row].split(',')[names.indexOf(name)]; };
    for (const QString& line : lines) QCOMPARE(line.count(','), names.size() - 1);
    QCOMPARE(cell(1, "what") + ' ' + cell(1, "who") + ' ' + cell(1, "tokens"), QString("prefill segmented 512"));
    QCOMPARE(cell(1, "median_s"), QString("0.512"));
    QCOMPARE(cell(1, "gemm_share") + '|' + cell(1, "bandwidth_share"), QString("0.25|"));
    QCOMPARE(cell(4, "gemm_share") + '|' + cell(4, "bandwidth_share"), QString("|0.25"));
    QCOMPARE(cell(3, "peak_bytes") + cell(3, "deviation") + cell(3, "predicted_bytes"), QString());
    QCOMPARE(cell(1, "predicted_bytes"), QString("1000000"));
    QCOMPARE(cell(1, "checkpointing") + '|' + cell(13, "checkpointing") + '|' + cell(14, "checkpointing"),
             QString("|false|true"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<BenchFileTest>};
#include "bench_file_test.moc"
