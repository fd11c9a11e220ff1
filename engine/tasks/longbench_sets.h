// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace carryover {

enum class LongBenchMetric { QaF1, Rouge, Classification, Retrieval, ChineseRetrieval, Count, Code };

/// A set of LongBench. A new one is a row in longbench_sets.cpp.
struct LongBenchSet {
  std::string name;
  std::string category;  ///< of the paper's English average; empty: of none
  LongBenchMetric metric;
  std::int64_t max_new_tokens;
  bool uniform;     ///< also in LongBench-E
  bool first_line;  ///< the first line of an answer counts alone
  bool chat;        ///< pred.py puts a chat template around it
};

/// Returns the supported sets, in pred.py's order. Immutable; any thread.
const std::vector<LongBenchSet>& longbench_sets();

}  // namespace carryover
