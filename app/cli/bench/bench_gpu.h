// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/config_options.h"

namespace carryover {

struct GpuBenchOptions {
  std::string model = "random:llama2-7b";  ///< as ModelRequest::path; no seed given
  bool random = true;                      ///< true if the model needs a seed behind its name
  std::vector<std::int64_t> contexts{16384, 32768, 65536, 131072};
  std::int64_t repeats = 0;  ///< 0: 3, and 2 above 65536 tokens
  std::int64_t new_tokens = 64;
  std::string output;
  bool overwrite = false, json = false, quiet = false;
};

/// `carryover bench --gpu`: segmented against full attention in bf16 on a GPU, its memory, its time over that of its
/// matmuls, and decoding over the memory bandwidth, in one process, each compared with its bound. Returns the exit
/// code: kExitNoGpu where there is none. Whether a bound is reached does not change it.
int bench_gpu(const GpuBenchOptions& options, const ConfigOptions& config_options);

}  // namespace carryover
