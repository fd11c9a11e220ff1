// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace carryover {

/// The measured speed of a matmul [rows, inner] · [inner, outer] that is repeated for a fraction of a second.
struct MatmulRate {
  std::string name;  ///< "qkv", "output", "gate_up", "down", "square"
  std::int64_t rows = 0, inner = 0, outer = 0;
  double flops_per_second = 0;
};

/// The throughput that a machine sustains: the limits that measured speeds are shares of. A plain value; any thread.
struct MachineLimits {
  std::vector<MatmulRate> products;
  double bytes_per_second = 0;  ///< triad: a = b + s·c over arrays larger than any cache, counted as three arrays

  double best_flops_per_second() const;  ///< the best of all matmuls
};
void to_json(nlohmann::json& json, const MatmulRate& rate);
void to_json(nlohmann::json& json, const MachineLimits& limits);

}  // namespace carryover
