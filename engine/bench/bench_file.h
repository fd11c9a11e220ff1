// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

enum class BenchKind { Prefill, Decode, Train };
inline constexpr BenchKind bench_kinds[] = {BenchKind::Prefill, BenchKind::Decode, BenchKind::Train};
std::string_view bench_kind_name(BenchKind kind);  ///< "prefill", "decode", "train"

/// A measurement that was asked for and could not be made, which a reader of the numbers must know.
struct BenchGap {
  std::string what, who, why;
};

/// A row of a bench: the subject that was measured, its speed and its memory.
struct BenchMeasurement {
  BenchKind kind = BenchKind::Prefill;
  std::string who;             ///< a policy of ours, or a peer
  std::int64_t tokens = 0;     ///< of the text, the prompt, or the training sample
  bool checkpointing = false;  ///< training
  std::int64_t repeats = 0;
  double median_s = 0, min_s = 0, max_s = 0;  ///< of decoding: of one token
  std::optional<double> tokens_per_s;
  std::optional<double> share;  ///< of the fastest matmul; of decoding: of the memory bandwidth
  std::optional<std::int64_t> peak_bytes, predicted_bytes;
  std::optional<double> deviation;  ///< peak over predicted less 1
};

/// The results of `carryover bench`, as bench.json and `--json` hold them. A plain value; any thread.
struct BenchReport {
  std::string date;
  std::vector<std::string> command_line, programs;
  std::string processor, gpu;  ///< gpu: empty where none was used
  std::int64_t cores = 0, threads = 0, memory_bytes = 0;
  std::string libraries;  ///< versions of the engine's libraries
  std::string model, weights_hash, dtype, device;
  double best_flops_per_second = 0, bytes_per_second = 0;  ///< the limits that shares refer to
  double best_flops_after = 0, bytes_after = 0;            ///< the same at the end; 0 where it was not measured
  std::vector<BenchMeasurement> measurements;
  std::vector<BenchGap> not_measured;
  bool interrupted = false;

  static constexpr double most_moved = 0.1;   ///< largest move of a quiet machine's limits during a bench
  double limits_moved() const;                ///< the larger change of the two, as a share; 0 where it is not known
  std::vector<std::string> subjects() const;  ///< the measured subjects, in order
};

/// Throw EngineError{BadInput} naming `where` and the field that is missing or of the wrong kind.
BenchReport read_bench(const nlohmann::json& bench, const std::string& where);
BenchReport parse_bench(std::string_view text, const std::string& where);

/// Returns the measurements as rows: the contents of bench.csv.
std::string bench_csv(const BenchReport& bench);

}  // namespace carryover
