// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover bench --gpu`: what it concludes from given measurements, and its whole way on the CPU with a tiny model.
#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/cli/bench/gpu_claims.h"
#include "app/cli/commands.h"
#include "engine/checkpoints/model_source.h"
#include "engine/cost/model_work.h"
#include "engine/formats/json_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

constexpr std::int64_t longest = 131072;

/// A 7B model on a machine of 100 TFLOP/s and 2 TB/s.
struct Measured {
  BenchInput input;
  MachineLimits limits;
  BenchResult result;

  Measured() {
    input.model.config = ModelSource::open("random:llama2-7b")->config();
    input.model.dtype = DType::BFloat16;
    input.model.weight_bytes = 13'000'000'000;
    input.config = SegmentConfig::defaults_for(input.model.config);
    limits.products = {{"qkv", 4096, 4096, 12288, 1e14},
                       {"output", 4096, 4096, 4096, 1e14},
                       {"gate_up", 4096, 4096, 22016, 1e14},
                       {"down", 4096, 11008, 4096, 1e14},
                       {"square", 4096, 4096, 4096, 1e14}};
    limits.bytes_per_second = 2e12;
  }
  BenchRow& add(BenchKind kind, const char* who, std::int64_t tokens, double seconds) {
    BenchRow row;
    row.bench_case = {kind, who, tokens, false};
    row.seconds = {seconds};
    return result.rows.emplace_back(row);
  }
  std::vector<GpuClaim> claims() const { return gpu_claims(input, limits, result, {16384, longest}); }
};

}  // namespace

class GpuBenchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ratios_are_held_against_their_bounds() {
    Measured measured;
    measured.add(BenchKind::Prefill, "segmented", 16384, 0.9);
    measured.add(BenchKind::Prefill, "full", 16384, 1.0);
    measured.add(BenchKind::Prefill, "segmented", longest, 4).peak_bytes = 20'000'000'000;
    measured.add(BenchKind::Prefill, "full", longest, 10).peak_bytes = 83'000'000'000;
    measured.add(BenchKind::Decode, "segmented", 18432, 0.009).bytes = 14e9;
    const auto claims = measured.claims();
    QCOMPARE(claims.size(), std::size_t{6});
    QCOMPARE(claims[0].verdict(), std::string("reached"));  // 0.9 ≤ 0.90
    QCOMPARE(claims[1].verdict(), std::string("NOT reached"));
    QCOMPARE(*claims[1].value, 0.4);
    QCOMPARE(*claims[2].value, 20.0 / 83);
    QCOMPARE(claims[2].verdict(), std::string("reached"));
    QCOMPARE(*claims[3].value, 0.1);
    QCOMPARE(claims[3].verdict(), std::string("reached"));
    QVERIFY(!claims[3].how.empty() && claims[3].how.find("formula") == std::string::npos);
    QCOMPARE(*claims[5].value, 0.009 / 0.007);
    QCOMPARE(claims[5].verdict(), std::string("reached"));
  }

  /// At one rate for all matmuls, their time is the definition's work at that rate.
  void the_matmuls_time_is_their_work_over_their_rates() {
    Measured measured;
    const ModelWork work{measured.input.model.config, measured.input.config, "segmented"};
    const double even = work.forward_flops(longest, 1) / 1e14;
    QVERIFY(std::abs(matmul_seconds(measured.input, measured.limits, longest) / even - 1) < 1e-12);
    measured.limits.products[3].flops_per_second = 5e13;
    const double down = 2.0 * longest * 11008 * 4096 * 32 / 1e14;
    QVERIFY(std::abs(matmul_seconds(measured.input, measured.limits, longest) - even - down) < 1e-9);
    measured.add(BenchKind::Prefill, "segmented", longest, 2 * (even + down));
    QCOMPARE(measured.claims()[4].verdict(), std::string("NOT reached"));
  }

  void what_does_not_fit_is_a_row_and_memory_falls_back_on_the_formula() {
    Measured measured;
    measured.add(BenchKind::Prefill, "segmented", longest, 4).peak_bytes = 19'000'000'000;
    measured.result.gaps.push_back({"prefill 131072 tokens, full", "full", "this run: needs more than there is"});
    const auto claims = measured.claims();
    QCOMPARE(claims[0].verdict(), std::string("not measured"));
    QCOMPARE(claims[1].verdict(), std::string("does not fit"));
    QVERIFY(!claims[1].value && claims[1].how == "this run: needs more than there is");
    QVERIFY(claims[2].value && claims[2].how.find("by the formula") != std::string::npos);
    const std::int64_t full = full_prefill_bytes(measured.input, longest);
    QVERIFY(full > (std::int64_t{64} << 30) + 13'400'000'000);  // 512 KiB a token, and the weights
    QCOMPARE(*claims[2].value, 19e9 / static_cast<double>(full));
    QCOMPARE(claims[5].verdict(), std::string("not measured"));
    const json rows = claims_json(claims);
    QVERIFY(rows.size() == 6 && rows[1].at("value").is_null() && rows[1].at("verdict") == "does not fit");
    QVERIFY(claims_text(claims).find("does not fit") != std::string::npos);
  }

  /// On the CPU, for trying it: every row is there, and the folder holds what was printed.
  void goes_its_whole_way_on_a_tiny_model() {
    const TempDir folder;
    const std::string output = (folder.path() / "gpu").string();
    const CliResult result =
        run_cli({"bench", "--gpu", "--device", "cpu", "--dtype", "fp32", "--shape", "tiny", "--contexts", "512,1024",
                 "--repeats", "1", "--new-tokens", "3", "--threads", "1", "--quiet", "--output", text(output)});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY(result.out.contains("time of a prefill of 512 tokens") && result.out.contains("no bound"));
    const json bench = read_json_file(output + "/bench.json");
    QCOMPARE(bench.at("measurements").size(), std::size_t{5});
    const json& claims = bench.at("claims");
    QCOMPARE(claims.size(), std::size_t{6});
    for (const json& claim : claims) QVERIFY2(claim.at("value").get<double>() > 0, claim.dump().c_str());
    QCOMPARE(bench.at("not_measured").size(), std::size_t{0});
  }

  void without_a_gpu_it_says_so() {
    if (QFile::exists("/proc/driver/nvidia/version") || QFile::exists("/dev/nvidiactl"))
      QSKIP("there is a driver here");
    const CliResult result = run_cli({"bench", "--gpu", "--shape", "tiny", "--quiet"});
    QCOMPARE(result.code, 77);
    QVERIFY(result.err.contains("there is no GPU to measure: no NVIDIA driver"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GpuBenchTest>};
#include "gpu_bench_test.moc"
