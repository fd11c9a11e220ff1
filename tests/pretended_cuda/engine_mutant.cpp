// SPDX-License-Identifier: GPL-3.0-or-later
// A library that is loaded before the engine and takes the place of one of its functions, which does what is wrong on a
// GPU. CMakeLists.txt makes one of each fault; pretended_cuda_test.py expects that a run with it does not pass.
#include <ATen/ATen.h>

#include "engine/runtime/device_copy.h"
#include "engine/runtime/device_list.h"

namespace carryover::ops {

#if defined(CARRYOVER_FAULT_host_dereference)
/// The host then reads what it believes to have been copied.
std::vector<at::Tensor> download(std::vector<at::Tensor> tensors) {
  return tensors;
}
#elif defined(CARRYOVER_FAULT_index_on_the_host)
at::Tensor device_list(const std::vector<std::int32_t>& values, c10::Device) {
  return at::tensor(values);
}
#elif defined(CARRYOVER_FAULT_index_on_another_device)
at::Tensor device_list(const std::vector<std::int32_t>& values, c10::Device device) {
  return at::tensor(values).to(c10::Device(device.type(), 1));
}
#endif

}  // namespace carryover::ops
