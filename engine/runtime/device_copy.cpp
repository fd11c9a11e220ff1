// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/device_copy.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>

namespace carryover::ops {

at::Tensor upload(const at::Tensor& host, c10::Device device) {
  return device.is_cpu() ? host : host.pin_memory().to(device, /*non_blocking=*/true);
}

std::vector<at::Tensor> download(std::vector<at::Tensor> tensors) {
  std::optional<c10::Device> waited_for;
  for (at::Tensor& tensor : tensors) {
    if (tensor.is_cpu()) continue;
    waited_for = tensor.device();
    const at::Tensor host = at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
    tensor = host.copy_(tensor, /*non_blocking=*/true);
  }
  if (waited_for) c10::impl::VirtualGuardImpl(waited_for->type()).getStream(*waited_for).synchronize();
  return tensors;
}

}  // namespace carryover::ops
