// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/device_list.h"

#include <ATen/ATen.h>

#include <map>
#include <mutex>
#include <tuple>

namespace carryover::ops {

namespace {

constexpr std::size_t kMostLists = 4096;  // a model has one or two per layer and grouping

template <typename T>
at::Tensor kept(const std::vector<T>& values, c10::Device device) {
  if (device.is_cpu()) return at::tensor(values);
  using Lists = std::map<std::tuple<c10::DeviceType, c10::DeviceIndex, std::vector<T>>, at::Tensor>;
  static std::mutex mutex;
  static Lists& lists = *new Lists;  // never freed: at the program's end, the GPU's allocator may be gone before it
  const std::scoped_lock lock(mutex);
  if (lists.size() >= kMostLists) lists.clear();
  at::Tensor& list = lists[{device.type(), device.index(), values}];
  if (!list.defined()) list = at::tensor(values).to(device);
  return list;
}

}  // namespace

at::Tensor device_list(const std::vector<std::int64_t>& values, c10::Device device) {
  return kept(values, device);
}
at::Tensor device_list(const std::vector<std::int32_t>& values, c10::Device device) {
  return kept(values, device);
}
at::Tensor device_list(const std::vector<float>& values, c10::Device device) {
  return kept(values, device);
}

at::Tensor device_zeros(std::int64_t count, c10::Device device) {
  const auto options = at::TensorOptions(device).dtype(at::kInt);
  if (device.is_cpu()) return at::zeros({count}, options);
  static std::mutex mutex;
  static auto& all = *new std::map<c10::DeviceIndex, at::Tensor>;  // never freed, like the lists
  const std::scoped_lock lock(mutex);
  at::Tensor& zeros = all[device.index()];
  if (!zeros.defined() || zeros.size(0) < count) zeros = at::zeros({count}, options);
  return zeros.narrow(0, 0, count);
}

}  // namespace carryover::ops
