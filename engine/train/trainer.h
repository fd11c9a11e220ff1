// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/base/run_control.h"
#include "engine/core/run/model_info.h"
#include "engine/core/run/train_request.h"
#include "engine/model/decoder.h"

namespace carryover {

/// What a training leaves, however it ends.
struct TrainingResult {
  std::string folder;            ///< the newest whole one that was written or gone on from: final/ or a checkpoint
  std::int64_t steps = 0;        ///< those of `folder`
  bool changed_weights = false;  ///< the decoder's, which are no longer those that it began with
};

/// Trains a decoder that has no adapter, and takes the one that it trains away again: the caller loads what was written
/// (the contract of Session::train). `result` holds also where this throws.
TrainingSummary train_model(Decoder& decoder, const ModelInfo& info, const TrainRequest& request,
                            TrainObserver& observer, RunControl& control, TrainingResult& result);

}  // namespace carryover
