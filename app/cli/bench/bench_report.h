// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/cli/bench/bench_schedule.h"

namespace carryover {

/// Returns the contents of bench.json: everything that is needed to judge a figure and to measure it again. `programs`:
/// the measured programs with their versions.
nlohmann::json bench_json(const BenchInput& input, const MachineLimits& limits,
                          const std::vector<std::string>& programs, const BenchResult& result);

/// Returns the results as text for people.
std::string bench_text(const BenchReport& bench);

}  // namespace carryover
