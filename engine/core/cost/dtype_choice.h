// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/core/base/dtype.h"
#include "engine/families/model_config.h"

namespace carryover {

/// What of a processor decides which dtype is faster on it. A plain value.
struct CpuFeatures {
  bool avx2 = false, avx512_bf16 = false;
  bool amx_bf16 = false;  ///< and the system lets a process use it
  bool intel = false;

  bool operator==(const CpuFeatures&) const = default;
};
CpuFeatures this_cpu();  ///< the same in every call and every process; any thread

/// Whole segments, which matmuls bound, or one token at a time, which reading the weights bounds.
enum class Phase { Prefill, Decode };

struct DTypeChoice {
  DType dtype = DType::Float32;  ///< never Auto
  std::string reason;            ///< for a person, in English
};

/// The dtype of a run: the one that was asked for; for Auto bf16 on a GPU, and on a CPU by a table of what was
/// measured. Pure: the same arguments give the same dtype on every start, however busy the machine is. Device::Auto is
/// a CPU.
DTypeChoice choose_dtype(DType asked, Device device, const CpuFeatures& cpu, const ModelConfig& model, Phase phase);

/// Whether one core finishes this model's matmuls sooner than it would wake another.
bool is_small_model(const ModelConfig& model);

}  // namespace carryover
