// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runtime/scalar_type.h"

namespace carryover {

at::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return at::kDouble;
    case DType::BFloat16:
    case DType::Q8:
      return at::kBFloat16;
    case DType::Auto:
    case DType::Float32:
      return at::kFloat;
  }
  return at::kFloat;
}

}  // namespace carryover
