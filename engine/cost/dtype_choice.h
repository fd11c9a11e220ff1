// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/base/dtype.h"
#include "engine/families/model_config.h"

namespace carryover {

/// The features of a processor that decide which dtype is faster on it. A plain value.
struct CpuFeatures {
  bool avx2 = false, avx512_bf16 = false;
  bool amx_bf16 = false;  ///< true if the system lets a process use it, too
  bool intel = false;

  bool operator==(const CpuFeatures&) const = default;
};
CpuFeatures this_cpu();  ///< the same in every call and every process; any thread

/// Prefill runs whole segments, and matmuls bound it. Decode runs one token at a time, and reading the weights bounds
/// it.
enum class Phase { Prefill, Decode };

struct DTypeChoice {
  DType dtype = DType::Float32;  ///< never Auto
  std::string reason;            ///< for a person, in English
};

/// Returns the dtype of a run: the one that was asked for. For Auto it is bf16 on a GPU, and on a CPU it follows from a
/// table of measurements. Pure: the same arguments give the same dtype on every start, however busy the machine is.
/// Device::Auto counts as a CPU.
DTypeChoice choose_dtype(DType asked, Device device, const CpuFeatures& cpu, const ModelConfig& model, Phase phase);

/// Returns true if one core finishes this model's matmuls sooner than it would wake another core.
bool is_small_model(const ModelConfig& model);

}  // namespace carryover
