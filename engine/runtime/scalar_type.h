// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/core/base/dtype.h"

namespace carryover {

/// What keys, values and activations are in; fp32 for Auto.
at::ScalarType scalar_type(DType dtype);

}  // namespace carryover
