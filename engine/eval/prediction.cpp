// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/prediction.h"

#include <ATen/ATen.h>

#include "engine/core/base/error.h"

namespace carryover {

void check_foil(const ModelConfig& model, const std::optional<std::int32_t>& foil) {
  if (!foil || (*foil >= 0 && *foil < model.vocabulary)) return;
  throw EngineError(Fault::BadInput, "foil " + std::to_string(*foil), "is no token of the model",
                    "Its vocabulary has the ids 0 to " + std::to_string(model.vocabulary - 1) + ".");
}

Prediction predict(const Decoder& decoder, const at::Tensor& hidden, const PredictionQuestion& question,
                   std::int32_t target) {
  const at::Tensor logits = decoder.logits(hidden.narrow(0, question.token, 1))[0].to(at::kDouble).cpu();
  const at::Tensor probabilities = at::softmax(logits, 0);
  const auto at_id = [](const at::Tensor& values, std::int32_t id) { return values[id].item<double>(); };
  Prediction prediction{question.token, target, at_id(logits, target), at_id(probabilities, target), question.foil};
  if (question.foil) {
    prediction.foil_logit = at_id(logits, *question.foil);
    prediction.foil_probability = at_id(probabilities, *question.foil);
  }
  return prediction;
}

}  // namespace carryover
