// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/training/optimizer.h"
#include "engine/training/records/training_plan.h"

namespace carryover {

/// The position of a training run, beside its tensors. Samples and dropout follow from the step alone.
struct TrainingPosition {
  std::int64_t step = 0;
  std::int64_t tokens = 0;
  double smoothed_loss = 0;
  std::string corpus_hash;
  std::string base_hash;     ///< ModelInfo::weights_hash of the model that an adapter is trained over; else empty
  std::string teacher_hash;  ///< likewise of the model before step 0, where it is the teacher; else empty
};

/// Writes the decoder's weights as other programs load them, with the tokenizer of the model at the path
/// `tokenizer_of`.
void write_model(const std::string& directory, Decoder& decoder, const std::string& tokenizer_of);

/// Writes the model, or the adapter, as other programs load it, and the segmentation that it was trained under
/// (segment_config.json).
void write_trained(const std::string& directory, Decoder& decoder, TrainableParameters& parameters,
                   const TrainingPlan& plan);

/// Writes what write_trained() does and what a resumed run needs: optimizer.safetensors (moments; fp32 masters of bf16
/// weights), position.json, and checksums of all of it (formats/checksums.h). The folder must exist. Throws
/// EngineError{Io}, and {BadInput} naming a tensor that is not finite.
void write_checkpoint(const std::string& directory, Decoder& decoder, TrainableParameters& parameters,
                      Optimizer& optimizer, const TrainingPlan& plan, const TrainingPosition& position);

struct CheckpointRead {
  TrainingPosition position;
  bool checked = false;  ///< true if compared with its checksums, which older versions did not write
};
/// Reads a checkpoint into `parameters` and `optimizer`. Throws EngineError{BadInput, Io} naming the file where it is
/// damaged or a tensor in it is not finite.
CheckpointRead read_checkpoint(const std::string& directory, TrainableParameters& parameters, Optimizer& optimizer);

}  // namespace carryover
