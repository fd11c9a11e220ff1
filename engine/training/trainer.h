// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/runs/values/model_info.h"
#include "engine/training/records/train_request.h"

namespace carryover {

/// The state that a training leaves, however it ends.
struct TrainingResult {
  std::string folder;            ///< newest whole folder that was written or resumed from: final/ or a checkpoint
  std::int64_t steps = 0;        ///< number of steps behind `folder`
  bool changed_weights = false;  ///< true if the decoder's weights are no longer the initial ones
};

/// Trains a decoder that has no adapter (the contract of Session::train). If it trains an adapter, it removes it again
/// at the end: the caller loads what was written. `result` is valid also where this throws.
TrainingSummary train_model(Decoder& decoder, const ModelInfo& info, const TrainRequest& request,
                            TrainObserver& observer, RunControl& control, TrainingResult& result);

}  // namespace carryover
