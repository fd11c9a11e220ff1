// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "app/cli/bench/bench_values.h"

namespace carryover {

struct BenchPlan {
  std::vector<std::int64_t> contexts;
  std::vector<BenchKind> kinds;
  std::int64_t repeats = 0;  ///< 0: bench_repeats()
};

struct BenchResult {
  std::vector<BenchRow> rows;
  std::vector<BenchGap> gaps;
  std::vector<BenchSource> sources;           ///< of each who in the rows
  std::optional<MachineLimits> limits_after;  ///< limits at the end; nothing where the bench was stopped
  bool interrupted = false;
};

/// Repetitions of a length where none are asked for: 5 up to 2K tokens, 3 up to 8K, 1 above.
std::int64_t bench_repeats(std::int64_t tokens);

/// "prefill 4096 tokens, full": what a BenchGap names.
std::string bench_case_text(const BenchCase& bench_case);

/// Returns random ids, which are the same on every machine.
std::vector<std::int32_t> random_ids(std::int64_t count, std::int64_t vocabulary, std::uint64_t seed);

/// Measures in rounds: every subject once in each, there and back, so that a machine whose speed drifts drifts for all.
/// Each case that is repeated is run once before that, for its memory. `status` hears what comes next, `saved` what
/// there is after each round. What runs out of memory, and a peer that fails, becomes a gap. After a stop request what
/// was measured stays.
BenchResult run_bench(const BenchPlan& plan, const BenchInput& input,
                      const std::vector<std::unique_ptr<BenchSubject>>& subjects, RunControl& control,
                      const std::function<void(const std::string&)>& status,
                      const std::function<void(const BenchResult&)>& saved);

}  // namespace carryover
