// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace carryover::parity {

/// Throws with CUDA's own words; there is nothing to do but stop.
inline void check(int status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(static_cast<cudaError_t>(status)));
}

/// A block of device memory with a guard behind it that a kernel must leave alone. Never null, even when empty.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    check(cudaMalloc(&data_, bytes() + guard_bytes), "cudaMalloc");
    check(cudaMemset(data_, guard_value, bytes() + guard_bytes), "cudaMemset");
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return static_cast<T*>(data_); }

  std::vector<T> host() const {
    std::vector<T> copy(count_);
    check(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copy from the device");
    return copy;
  }

  bool guard_intact() const {
    std::vector<unsigned char> guard(guard_bytes);
    check(cudaMemcpy(guard.data(), static_cast<const char*>(data_) + bytes(), guard_bytes, cudaMemcpyDeviceToHost),
          "copy from the device");
    for (const unsigned char byte : guard) {
      if (byte != guard_value) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t guard_bytes = 256;
  static constexpr unsigned char guard_value = 0xa5;

  std::size_t bytes() const { return count_ * sizeof(T); }

  std::size_t count_;
  void* data_ = nullptr;
};

}  // namespace carryover::parity
