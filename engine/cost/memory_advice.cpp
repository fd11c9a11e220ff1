// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/memory_advice.h"

#include "engine/base/byte_size.h"
#include "engine/cost/cost_model.h"

namespace carryover {

std::string smaller_dtypes_text(const ModelConfig& model, DType now, DType stored, bool q8) {
  const auto bytes = [&](DType dtype) { return cost_model(model, {}, dtype).weight_bytes(); };
  const auto name = [](DType dtype) { return std::string(dtype_name(dtype)); };
  std::string text;
  for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Q8}) {
    if (bytes(dtype) >= bytes(now) || (dtype == DType::Q8 && !q8)) continue;
    text += text.empty() ? "The weights take " + size_text(static_cast<double>(bytes(now))) + " in " + name(now) + ", "
                         : ", ";
    text += size_text(static_cast<double>(bytes(dtype)));
    text += dtype == stored ? " in the file's own " + name(dtype) : " with --dtype " + name(dtype);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace carryover
