// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/decoder/decoder.h"
#include "engine/runs/values/prediction.h"

namespace carryover {

/// Throws EngineError{BadInput} for an id that the model has no logit of.
void check_foil(const ModelConfig& model, const std::optional<std::int32_t>& foil);

/// Returns the logits and probabilities that a token's output gives its target and the foil. hidden: [m, D] of the
/// segment, as forward_map() returns it. Thread: engine.
Prediction predict(const Decoder& decoder, const at::Tensor& hidden, const PredictionQuestion& question,
                   std::int32_t target);

/// Returns ln p of these tokens by the same output.
std::vector<float> logprobs_of(const Decoder& decoder, const at::Tensor& hidden, std::int64_t token,
                               const std::vector<TopToken>& tokens);

}  // namespace carryover
