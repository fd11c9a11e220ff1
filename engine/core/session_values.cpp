// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of session.h that need no engine: names and arithmetic of its values.
#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/session.h"

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

CostModel cost_model(const ModelConfig& model, const SegmentConfig& config, DType dtype) {
  return {model, config, bytes_per_value(dtype), dtype == DType::Q8};
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
  throw EngineError(Fault::Usage, "dtype", "'" + text + "' is not a number format", "Use auto, fp32, bf16, fp64, q8.");
}

Device parse_device(const std::string& text) {
  for (Device device : {Device::Auto, Device::Cpu, Device::Cuda}) {
    if (text == device_name(device)) return device;
  }
  throw EngineError(Fault::Usage, "device", "'" + text + "' is not a device", "Use auto, cpu or cuda.");
}

std::vector<std::string> policy_names() {
  return {"segmented", "full"};
}

std::optional<double> RunSummary::nll_mean() const {
  if (targets == 0) return std::nullopt;
  return nll_sum / static_cast<double>(targets);
}

std::optional<double> RunSummary::ppl() const {
  const auto mean = nll_mean();
  return mean ? std::optional(std::exp(*mean)) : std::nullopt;
}

bool AuditReport::passed() const {
  return std::all_of(checks.begin(), checks.end(), [](const AuditCheck& check) { return check.passed(); });
}

}  // namespace carryover
