// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace carryover::ops {

/// A host's tensor on a device. A GPU gets it from page-locked memory, so that the host waits for nothing. Any thread.
at::Tensor upload(const at::Tensor& host, c10::Device device);

/// Tensors in host memory; of those on a GPU the host waits once for all. Any thread.
std::vector<at::Tensor> download(std::vector<at::Tensor> tensors);

}  // namespace carryover::ops
