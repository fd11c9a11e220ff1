// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/model/adapter.h"
#include "engine/models/model_folder.h"

namespace carryover {

/// Takes out of the weights what an adapter that began as a part of them began with, as peft does on loading: to each
/// update come these first values with the opposite sign, so that the weights change only where the adapter is merged.
/// A rank of 2·r is the result. Decomposes every targeted matrix on the CPU, in fp32.
void take_out_start(Adapter& adapter, const Weights& weights, AdapterStart start);

}  // namespace carryover
