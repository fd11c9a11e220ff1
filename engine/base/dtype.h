// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// The dtypes of a run. Q8 has weights in 8 bits, as GGUF's Q8_0, and all else in bf16; it works on the CPU and not for
/// training.
enum class DType { Auto, Float32, BFloat16, Float64, Q8 };
enum class Device { Auto, Cpu, Cuda };

std::string_view dtype_name(DType dtype);
std::string_view device_name(Device device);
int bytes_per_value(DType dtype);              ///< bytes of a key, value or activation; fp32's for Auto
DType parse_dtype(const std::string& text);    ///< "auto", "fp32", "bf16", "fp64", "q8"; throws EngineError{Usage}
Device parse_device(const std::string& text);  ///< "auto", "cpu", "cuda"; throws EngineError{Usage}

}  // namespace carryover
