// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/memory_bytes.h"
#include "engine/base/run_control.h"
#include "engine/bench/bench_file.h"
#include "engine/config/segment_config.h"
#include "engine/cost/machine_limits.h"
#include "engine/runs/values/model_info.h"

namespace carryover {

/// One line of the result: a subject and its work.
struct BenchCase {
  BenchKind kind = BenchKind::Prefill;
  std::string who;             ///< a policy of ours, or a peer
  std::int64_t tokens = 0;     ///< of the text, the prompt, or the training sample
  bool checkpointing = false;  ///< training
};

/// The purpose of a repetition. Memory that the allocator keeps makes work faster and hides how much the work needs:
/// memory is therefore measured after free memory was given back, time is not. A case that runs once gives both.
enum class BenchPurpose { Memory, Time, Both };

/// One repetition.
struct BenchSample {
  double seconds = 0;                      ///< of decoding: of one token
  std::optional<MemoryBytes> memory;       ///< by kind, where the engine counts it
  std::optional<std::int64_t> peak_bytes;  ///< weights and the repetition's additions; nothing where only time counts
};

struct BenchRow {
  BenchCase bench_case;
  std::vector<double> seconds;  ///< in the order of the repetitions
  std::optional<MemoryBytes> memory;
  std::optional<std::int64_t> peak_bytes;
  std::optional<MemoryBytes> predicted;
  double flops = 0;  ///< by the definition; 0 for decoding
  double bytes = 0;  ///< bytes that decoding a token has to read; else 0

  double median() const;
};

/// The programs, dtypes and inputs that a subject computed with, so that a comparison can say what both sides share. An
/// empty field is not known, or is the subject's own.
struct BenchSource {
  std::string who, program;
  std::string dtype;           ///< of prefill and decoding
  std::string training_dtype;  ///< how it keeps weights and multiplies in a training step
  std::string weights_hash;    ///< by this program's hash; empty for a peer with random weights of its own
  std::string ids_hash;        ///< of all tokens that it was given; empty for a peer with tokens of its own

  bool operator==(const BenchSource&) const = default;
};

/// A subject that can be measured: a policy of this program, or a peer. Owner: the command. One thread.
class BenchSubject {
 public:
  virtual ~BenchSubject() = default;
  virtual std::string name() const = 0;
  virtual std::string program() const = 0;  ///< with its version
  virtual bool is_peer() const { return true; }
  virtual BenchSource source() const { return {name(), program(), {}, {}, {}, {}}; }
  /// Returns the reason why it can't be measured, or an empty text.
  virtual std::string cannot(BenchKind /*kind*/) const { return {}; }
  virtual bool warms_up_by_itself() const { return false; }
  /// Throws EngineError{Cancelled} after a stop request, and others where it failed.
  virtual BenchSample measure(const BenchCase& bench_case, BenchPurpose purpose, RunControl& control) = 0;
  virtual std::optional<MemoryBytes> predict(const BenchCase& /*bench_case*/) const { return std::nullopt; }
};

/// The input of every subject.
struct BenchInput {
  ModelInfo model;
  SegmentConfig config;
  std::vector<std::int32_t> ids;  ///< random; a context takes the first ones
  std::int64_t new_tokens = 32;   ///< decoded behind each context

  std::int64_t sample_tokens() const { return (config.truncation_depth + 1) * config.segment_length; }
  std::shared_ptr<const std::vector<std::int32_t>> first_ids(std::int64_t tokens) const;
};

}  // namespace carryover
