// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace carryover::ops {

/// Copies a host's tensor to a device. For a GPU it goes through page-locked memory, so that the host does not wait.
/// Any thread.
at::Tensor upload(const at::Tensor& host, c10::Device device);

/// Copies tensors to host memory; for those on a GPU the host waits once in all. Any thread.
std::vector<at::Tensor> download(std::vector<at::Tensor> tensors);

}  // namespace carryover::ops
