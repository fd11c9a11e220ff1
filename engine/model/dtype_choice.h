// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/session.h"

namespace carryover {

/// What keys, values and activations are in; fp32 for Auto.
at::ScalarType scalar_type(DType dtype);

/// fp32 or bf16, whichever multiplies this model's shapes faster on this CPU: whole segments, or one row at a time
/// where `for_decoding`. Takes about 20 ms.
DType faster_on_cpu(const ModelConfig& model, bool for_decoding);

}  // namespace carryover
