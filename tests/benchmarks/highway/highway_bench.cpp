// SPDX-License-Identifier: GPL-3.0-or-later
// The SIMD loops of engine/ops/cpu beside the same in Highway 1.0.3, by one thread, in turns; JSON on stdout. Needs
// Debian's libhwy-dev, a processor with AVX512-BF16, and LibTorch in $torch, the folder that ./lab build fetches; not a
// part of the build:
//   g++ -std=c++20 -D_GLIBCXX_USE_CXX11_ABI=1 -O3 -fno-trapping-math -fopenmp -w -I. -isystem $torch/torch/include
//     tests/benchmarks/highway/highway_bench.cpp engine/core/base/error.cpp
//     engine/ops/cpu/{stored_keys,simd_rows,packed_weight,amx_tiles}.cpp $torch/torch/lib/lib{torch_cpu,c10}.so
//     -Wl,-rpath,$torch/torch/lib:$torch/nvidia/cu13/lib -Wl,--allow-shlib-undefined -o highway_bench
//   taskset -c 1 ./highway_bench 1000
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/benchmarks/highway/ports.h"
#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <hwy/foreach_target.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>

#include "engine/core/base/error.h"
#include "engine/ops/cpu/amx_tiles.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/ops/cpu/bf16_matmul.h"
#include "engine/ops/cpu/packed_weight.h"
#include "engine/ops/cpu/pool_scan.h"
#include "engine/ops/cpu/row_matmul.h"
#include "engine/ops/cpu/simd_rows.h"
#include "engine/ops/cpu/weight_halves.h"
#include "engine/runtime/parallel.h"
#include "tests/benchmarks/highway/ports.h"

#pragma GCC diagnostic ignored "-Wunused-function"

namespace {

using carryover::ops::Lines;

std::mt19937 source(7);
int rounds = 1000;
const char* separator = "\n  ";

Lines<float> uniform(std::int64_t n, float low, float high) {
  Lines<float> values(static_cast<std::size_t>(n));
  std::uniform_real_distribution<float> value(low, high);
  for (float& v : values) v = value(source);
  return values;
}
Lines<std::uint16_t> halves_of(const Lines<float>& values) {
  Lines<std::uint16_t> out(values.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = at::BFloat16(values[i]).x;
  return out;
}

double nanoseconds(const std::function<void()>& work, std::int64_t times) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < times; ++i) work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / double(times);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

/// Half a millisecond of each in a round, the first one in turns. `written` is what either writes.
template <typename T>
void compare(const char* idiom, int bytes, const char* port, const Lines<T>& written, const std::function<void()>& own,
             const std::function<void()>& highway) {
  own();
  const Lines<T> expected = written;
  highway();
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference = std::max(difference, std::abs(double(written[i]) - double(expected[i])));
    largest = std::max(largest, std::abs(double(expected[i])));
  }
  const auto times = static_cast<std::int64_t>(std::max(1.0, 5e5 / nanoseconds(own, 16)));
  const int count = times > 1 ? rounds : rounds / 20 + 1;
  std::vector<double> of_own, of_highway, ratios;
  for (int round = 0; round < count; ++round) {
    if (round % 2 == 0) of_own.push_back(nanoseconds(own, times));
    of_highway.push_back(nanoseconds(highway, times));
    if (round % 2 == 1) of_own.push_back(nanoseconds(own, times));
    ratios.push_back(of_highway.back() / of_own.back());
  }
  std::printf(
      "%s{\"idiom\": \"%s\", \"bytes\": %d, \"port\": \"%s\", \"own_ns\": %.4g, \"highway_ns\": %.4g, "
      "\"own_best_ns\": %.4g, \"highway_best_ns\": %.4g, \"ratio\": %.2f, \"difference\": %.1g}",
      separator, idiom, bytes, port, median(of_own), median(of_highway),
      *std::min_element(of_own.begin(), of_own.end()), *std::min_element(of_highway.begin(), of_highway.end()),
      median(ratios), difference / largest);
  std::fflush(stdout);
  separator = ",\n  ";
}

#undef CARRYOVER_VECTORISED
#undef CARRYOVER_FOR_TARGETS
#define CARRYOVER_VECTORISED [[gnu::target("arch=x86-64-v3")]]
#define CARRYOVER_FOR_TARGETS(define, T) define(T, "arch=x86-64-v3", 32)
namespace width32 {
namespace ports = ::ports::N_AVX2;
constexpr int bytes = 32;
#include "tests/benchmarks/highway/one_width.h"
}  // namespace width32
#undef CARRYOVER_VECTORISED
#undef CARRYOVER_FOR_TARGETS
#define CARRYOVER_VECTORISED [[gnu::target("arch=x86-64-v4")]]
#define CARRYOVER_FOR_TARGETS(define, T) define(T, "arch=x86-64-v4", 64)
namespace width64 {
namespace ports = ::ports::N_AVX3;
constexpr int bytes = 64;
#include "tests/benchmarks/highway/one_width.h"
}  // namespace width64

namespace bf16 = carryover::ops::bf16;

/// 96 queries by 64 keys of 64 values.
template <typename Matmul>
CARRYOVER_BF16 void score(const std::uint16_t* queries, const std::uint16_t* keys, float* scores) {
  [[maybe_unused]] const typename Matmul::Use use;
  for (std::int64_t q = 0; q < 96; q += Matmul::kRows)
    Matmul::multiply(queries + q * 64, 64, {keys, 32, 32, 16 * 64}, false, scores + q * 64, 64);
}
CARRYOVER_BF16 void own_weights(const float* scores, std::uint16_t* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 16) bf16::store_bf16(out + i, bf16::exponential(_mm512_loadu_ps(scores + i)));
}

void compare_bf16_attention() {
  const auto queries = halves_of(uniform(96 * 64, -1, 1)), keys = halves_of(uniform(64 * 64, -1, 1));
  Lines<float> scores(96 * 64);
  const auto port = [&] {
    for (std::int64_t q = 0; q < 96; q += 3)
      ports::N_AVX3::multiply_tile(queries.data() + q * 64, 64, keys.data(), 32, 32, 16 * 64, scores.data() + q * 64,
                                   64);
  };
  compare(
      "bf16 attention's product, by AVX512-BF16", 64, "ReorderWidenMulAccumulate", scores,
      [&] { score<bf16::Dots>(queries.data(), keys.data(), scores.data()); }, port);
  if (carryover::ops::bf16_tiles())
    compare(
        "bf16 attention's product, by AMX", 64, "ReorderWidenMulAccumulate", scores,
        [&] { score<bf16::Tiles>(queries.data(), keys.data(), scores.data()); }, port);
  const auto row = uniform(256, -20, 0);
  Lines<std::uint16_t> weights(256);
  compare(
      "bf16 attention's weights", 64, "same range", weights, [&] { own_weights(row.data(), weights.data(), 256); },
      [&] { ports::N_AVX3::weights(row.data(), weights.data(), 256); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) rounds = std::atoi(argv[1]);
  std::ifstream cpu("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpu, line) && line.rfind("model name", 0) != 0) {
  }
  std::printf(
      "{\"processor\": \"%s\", \"compiler\": \"g++ %s\", \"highway\": \"%d.%d.%d\", \"rounds\": %d, \"rows\": [",
      line.substr(std::min(line.size(), line.find(": ") + 2)).c_str(), __VERSION__, HWY_MAJOR, HWY_MINOR, HWY_PATCH,
      rounds);
  const auto each = [&](auto narrow, auto wide) { narrow(), wide(); };
  each(width32::compare_softmax, width64::compare_softmax);
  each(width32::compare_halves, width64::compare_halves);
  for (const auto& [name, rows] : {std::pair{"bf16 row, weight in cache", 256}, {"bf16 row, weight in memory", 49152}})
    width32::compare_row_matmul(name, rows), width64::compare_row_matmul(name, rows);
  each(width32::compare_pool_scan, width64::compare_pool_scan);
  each(width32::compare_packed, width64::compare_packed);
  compare_bf16_attention();
  std::printf("\n]}\n");
}
