// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/cost/policy_table.h"

namespace carryover {

inline constexpr std::int64_t bench_most_tokens = std::int64_t{1} << 24, bench_most_repeats = 1000,
                              bench_most_new_tokens = 100000;

/// The settings of `carryover bench` and their defaults. A plain value.
struct BenchSettings {
  std::string model;  ///< path of a Hugging Face folder or GGUF file; or
  std::string shape;  ///< shape of random weights, one of random_shapes()
  std::vector<std::int64_t> contexts{512, 1024, 2048};
  std::vector<std::string> policies = policy_names(), kinds{"prefill", "decode", "train"};
  std::int64_t repeats = 0;  ///< 0: by length
  std::int64_t new_tokens = 32;
  std::string peer;    ///< a Python that has transformers, or empty
  std::string output;  ///< folder for bench.json and bench.csv, or empty
};

/// A bench's settings, and the dtype, device, threads and segmentation that it runs with.
struct BenchRequest {
  BenchSettings settings;
  DType dtype = DType::Auto;
  Device device = Device::Auto;
  int threads = 0;     ///< 0: all cores
  std::string config;  ///< value of --config: an object of settings; empty: the model's defaults
};

/// Returns the `carryover bench …` command of a request, with flags for what differs from the defaults.
std::vector<std::string> bench_command(const BenchRequest& request);

/// Returns the fields of `config` that differ from `usual`, as --config takes them; empty where none does.
std::string config_difference(const SegmentConfig& config, const SegmentConfig& usual);

}  // namespace carryover
