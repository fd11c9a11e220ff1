// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run/needle.h"
#include "engine/train/sample_gradient.h"

namespace carryover {

/// What a recall sample gave beside its gradient.
struct RecallGradient {
  std::int64_t tokens = 0;   ///< read: the document, questions and answers
  std::int64_t targets = 0;  ///< tokens of answers
  double nll_sum = 0;        ///< of them, nats
  MemoryBytes memory;
};

/// Adds weight · ∇ Σ NLL(answers) to `parameters`. The document is read segment by segment; behind it each question
/// that is asked is read as generate_text() reads it (with `question_pass`: as a draft that searches, then behind what
/// it found), from the same state, and its answer with it. The text itself has no loss. Gradients cross at most K
/// transitions, through the carry alone: the segments before those are run without a graph. Throws
/// EngineError{BadInput} where a question and its answer are longer than S.
RecallGradient add_recall_gradient(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
                                   const NeedleDocument& document, double weight);

}  // namespace carryover
