// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/prediction.h"

#include <ATen/ATen.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/ops/soft_cap.h"

namespace carryover {

void check_foil(const ModelConfig& model, const std::optional<std::int32_t>& foil) {
  if (!foil || (*foil >= 0 && *foil < model.vocabulary)) return;
  throw EngineError(Fault::BadInput, "foil " + std::to_string(*foil), "is not a token of the model",
                    "Its vocabulary has the ids 0 to " + std::to_string(model.vocabulary - 1) + ".");
}

std::vector<float> logprobs_of(const Decoder& decoder, const at::Tensor& hidden, std::int64_t token,
                               const std::vector<TopToken>& tokens) {
  const at::Tensor logprobs = decoder.logits(hidden.narrow(0, token, 1))[0].to(at::kDouble).log_softmax(0).cpu();
  std::vector<float> found;
  for (const TopToken& each : tokens) found.push_back(static_cast<float>(logprobs[each.id].item<double>()));
  return found;
}

Prediction predict(const Decoder& decoder, const at::Tensor& hidden, const PredictionQuestion& question,
                   std::int32_t target) {
  const at::Tensor row = hidden[question.token].to(at::kDouble);
  const at::Tensor logits = decoder.logits(hidden.narrow(0, question.token, 1))[0].to(at::kDouble);
  const double log_sum = logits.logsumexp(0).item<double>();
  // A logit is computed in fp64, not taken from the logits above, whose dtype may be bf16: a logit of 20 would be a
  // multiple of 1/8.
  const auto logit = [&](std::int32_t id) {
    return ops::soft_capped(row.dot(decoder.head_row(id).to(at::kDouble)), decoder.config.logit_cap).item<double>();
  };
  Prediction prediction{question.token, target, logit(target), 0, question.foil};
  prediction.probability = std::exp(prediction.logit - log_sum);
  if (question.foil) {
    prediction.foil_logit = logit(*question.foil);
    prediction.foil_probability = std::exp(prediction.foil_logit - log_sum);
  }
  if (question.top > 0) {
    const at::Tensor all = logits.to(at::kFloat).cpu().contiguous();
    prediction.top = top_tokens({all.const_data_ptr<float>(), static_cast<std::size_t>(all.numel())}, target,
                                static_cast<float>(prediction.logit - log_sum), question.top);
  }
  return prediction;
}

}  // namespace carryover
