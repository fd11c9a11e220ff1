// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/model/decoder.h"
#include "engine/session.h"

namespace carryover {

/// The contract of Session::train. The decoder ends up with the trained weights, or with a trained adapter. An adapter
/// that it has from an earlier training is merged first.
TrainingSummary train_model(Decoder& decoder, const ModelInfo& info, const TrainRequest& request,
                            TrainObserver& observer, RunControl& control);

}  // namespace carryover
