// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/dtype.h"

#include "engine/base/error.h"

namespace carryover {

std::string_view dtype_name(DType dtype) {
  switch (dtype) {
    case DType::Auto:
      return "auto";
    case DType::Float32:
      return "fp32";
    case DType::BFloat16:
      return "bf16";
    case DType::Float64:
      return "fp64";
    case DType::Q8:
      return "q8";
  }
  return "unknown";
}

int bytes_per_value(DType dtype) {
  if (dtype == DType::BFloat16 || dtype == DType::Q8) return 2;
  return dtype == DType::Float64 ? 8 : 4;
}

std::string_view device_name(Device device) {
  switch (device) {
    case Device::Auto:
      return "auto";
    case Device::Cpu:
      return "cpu";
    case Device::Cuda:
      return "cuda";
  }
  return "unknown";
}

DType parse_dtype(const std::string& text) {
  for (DType dtype : {DType::Auto, DType::Float32, DType::BFloat16, DType::Float64, DType::Q8}) {
    if (text == dtype_name(dtype)) return dtype;
  }
  throw EngineError(Fault::Usage, "dtype", "'" + text + "' is not a dtype", "Use auto, fp32, bf16, fp64, q8.");
}

Device parse_device(const std::string& text) {
  for (Device device : {Device::Auto, Device::Cpu, Device::Cuda}) {
    if (text == device_name(device)) return device;
  }
  throw EngineError(Fault::Usage, "device", "'" + text + "' is not a device", "Use auto, cpu or cuda.");
}

}  // namespace carryover
