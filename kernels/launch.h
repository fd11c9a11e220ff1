// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover::kernels {

enum class Element : std::int32_t { Float32, BFloat16, Float64 };

/// A CUDA stream, or null: the references ignore it.
using Stream = void*;

/// 0 is success; else a cudaError_t. The references always return 0.
using Status = int;

}  // namespace carryover::kernels
