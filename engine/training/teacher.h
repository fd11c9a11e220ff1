// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <span>
#include <string>

#include "engine/data/corpus.h"
#include "engine/decoder/decoder.h"
#include "engine/ops/logit_loss.h"
#include "engine/training/records/teacher_file.h"

namespace carryover {

/// The teacher of a distillation: the model as it was before step 0, run over each whole sample under `full`. An
/// adapter that the decoder trains is left out, so that it is the same model at every step. Thread: engine.

/// Returns the key that the teacher's file must have: `weights` and all samples that the plan draws from the corpus.
TeacherKey teacher_key(const TrainingPlan& plan, const ModelConfig& model, const Corpus& corpus, std::string weights);

/// Runs the teacher over a sample of at least two tokens. `after_layer` may throw EngineError{Cancelled}; throws
/// {BadInput} where a logit is not finite.
TeacherRows teacher_rows(Decoder& decoder, const SegmentConfig& config, std::span<const std::int32_t> ids,
                         const std::function<void(int layer)>& after_layer);

/// Returns p_T, the softmax over the k logits of each target, on the model's device.
ops::SoftTargets soft_targets(const Decoder& decoder, const TeacherRows& rows, double weight);

}  // namespace carryover
