// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/records/training_plan.h"
#include "engine/train/optimizer.h"

namespace carryover {

/// Where a training run stands, beside its tensors. Samples and dropout follow from the step alone.
struct TrainingPosition {
  std::int64_t step = 0;
  std::int64_t tokens = 0;
  double smoothed_loss = 0;
  std::string corpus_hash;
  std::string base_hash;     ///< ModelInfo::weights_hash of what an adapter is trained over; else empty
  std::string teacher_hash;  ///< likewise of the model before step 0, where it is the teacher; else empty
};

/// The decoder's weights as others load them, with the tokenizer of `tokenizer_of` (a model's path).
void write_model(const std::string& directory, Decoder& decoder, const std::string& tokenizer_of);

/// The model, or the adapter, as others load it, and the segmentation it was trained under (segment_config.json).
void write_trained(const std::string& directory, Decoder& decoder, TrainableParameters& parameters,
                   const TrainingPlan& plan);

/// write_trained and what a resumed run needs: optimizer.safetensors (moments; fp32 masters of bf16 weights),
/// position.json, and checksums of all of it (formats/checksums.h). The folder must exist. Throws EngineError{Io}, and
/// {BadInput} naming a tensor that is not finite.
void write_checkpoint(const std::string& directory, Decoder& decoder, TrainableParameters& parameters,
                      Optimizer& optimizer, const TrainingPlan& plan, const TrainingPosition& position);

struct CheckpointRead {
  TrainingPosition position;
  bool checked = false;  ///< against its checksums, which those of older versions lack
};
/// Throws EngineError{BadInput, Io} naming the file: where it is damaged, or a tensor in it is not finite.
CheckpointRead read_checkpoint(const std::string& directory, TrainableParameters& parameters, Optimizer& optimizer);

}  // namespace carryover
