// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/bench/bench_schedule.h"

namespace carryover {

/// Something that is claimed of a GPU: a ratio that is to stay at or under its bound.
struct GpuClaim {
  std::string what;
  std::optional<double> value;  ///< none where it could not be had
  std::optional<double> bound;  ///< none where nothing is claimed of it
  std::string how;              ///< origin of the value, or the reason why there is none

  std::string verdict() const;  ///< "reached", "NOT reached", "does not fit", "not measured", or "no bound"
  bool does_not_fit = false;    ///< no value for want of memory
};

/// The claims, from what was measured at `contexts` (ascending) and from decoding. Memory of a full prefill that keeps
/// its keys and values is the formula's where it was not measured; times have no such substitute. Pure.
std::vector<GpuClaim> gpu_claims(const BenchInput& input, const MachineLimits& limits, const BenchResult& result,
                                 const std::vector<std::int64_t>& contexts);

/// Seconds that the matmuls of a segmented prefill take by themselves: those with weights at the rates of their own
/// shapes, attention's at the highest of these rates.
double matmul_seconds(const BenchInput& input, const MachineLimits& limits, std::int64_t tokens);

/// Weights, activations, and keys and values of every layer and head, bytes.
std::int64_t full_prefill_bytes(const BenchInput& input, std::int64_t tokens);

nlohmann::json claims_json(const std::vector<GpuClaim>& claims);
std::string claims_text(const std::vector<GpuClaim>& claims);

}  // namespace carryover
