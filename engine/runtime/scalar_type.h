// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/base/dtype.h"

namespace carryover {

/// Returns the type of keys, values and activations; fp32 for Auto.
at::ScalarType scalar_type(DType dtype);

}  // namespace carryover
