// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/runs/values/needle.h"
#include "engine/training/sample_gradient.h"

namespace carryover {

/// The numbers that a recall sample gives beside its gradient.
struct RecallGradient {
  std::int64_t tokens = 0;   ///< tokens read: the document, questions and answers
  std::int64_t targets = 0;  ///< tokens of answers
  double nll_sum = 0;        ///< of the targets, nats
  MemoryBytes memory;
};

/// Adds weight · ∇ Σ NLL(answers) to `parameters`. The document is read segment by segment. Behind it, each question is
/// read from the same state as generate_text() reads it (with `question_pass`: first as a draft that searches, then
/// behind the passages that the draft found), and its answer after it. The document itself has no loss. Gradients cross
/// at most K transitions, through the carry alone: the segments before those run without a graph. Throws
/// EngineError{BadInput} where a question and its answer are longer than S.
RecallGradient add_recall_gradient(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
                                   const NeedleDocument& document, double weight);

}  // namespace carryover
