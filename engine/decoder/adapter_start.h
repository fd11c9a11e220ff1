// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/checkpoints/model_folder.h"
#include "engine/decoder/adapter.h"

namespace carryover {

/// Subtracts an adapter's first values from the base, for an adapter that began as a part of the weights, as peft does
/// on loading. The first values are added to each update with the opposite sign, so that the weights change only if the
/// adapter is merged; the rank becomes 2·r. Decomposes every targeted matrix on the CPU, in fp32.
void take_out_start(Adapter& adapter, const Weights& weights, AdapterStart start);

}  // namespace carryover
