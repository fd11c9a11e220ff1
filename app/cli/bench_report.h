// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/cli/bench_schedule.h"

namespace carryover {

/// The contents of bench.json: everything needed to judge a figure and to measure it again. `programs`: who was
/// measured, with versions.
nlohmann::json bench_json(const BenchInput& input, const MachineLimits& limits,
                          const std::vector<std::string>& programs, const BenchResult& result);

/// What was found, for people.
std::string bench_text(const BenchReport& bench);

}  // namespace carryover
