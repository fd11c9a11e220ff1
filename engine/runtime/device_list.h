// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace carryover::ops {

/// Returns a short list as a tensor on a device. On a GPU it is uploaded when it is first asked for, and kept, because
/// a copy from ordinary memory waits until the GPU has done all its work. The tensor must not be written to. Any
/// thread.
at::Tensor device_list(const std::vector<std::int64_t>& values, c10::Device device);
at::Tensor device_list(const std::vector<std::int32_t>& values, c10::Device device);  ///< int32
at::Tensor device_list(const std::vector<float>& values, c10::Device device);         ///< fp32

/// Returns int32 zeros on a device, for a kernel that counts with them and leaves them as zeros. On a GPU they are made
/// once and kept, for one stream. Any thread.
at::Tensor device_zeros(std::int64_t count, c10::Device device);

}  // namespace carryover::ops
