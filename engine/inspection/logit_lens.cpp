// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/logit_lens.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/inspection/written_by_source.h"

namespace carryover {

namespace {

bool reads_carry(const LayerSight& sight) {
  return std::ranges::any_of(sight.groups,
                             [](const HeadGroup& group) { return group.span(PrefixPart::Carry).length > 0; });
}

}  // namespace

LogitLensOfToken::LogitLensOfToken(const Decoder& decoder, const PredictionQuestion& question, std::int64_t first_token,
                                   std::int32_t target)
    : decoder_(decoder), question_(question), first_token_(first_token) {
  lens_.token = question.token;
  lens_.target = target;
}

LensReading LogitLensOfToken::read(const at::Tensor& row) const {
  const at::Tensor logits = decoder_.logits(decoder_.finish(row))[0].to(at::kDouble);
  const double log_sum = logits.logsumexp(0).item<double>(), target = logits[lens_.target].item<double>();
  const auto likeliest = logits.argmax().item<std::int64_t>();
  LensReading reading;
  reading.top = {static_cast<std::int32_t>(likeliest), static_cast<float>(logits[likeliest].item<double>() - log_sum)};
  reading.rank = logits.gt(target).sum().item<std::int64_t>();
  reading.target_logprob = static_cast<float>(target - log_sum);
  if (question_.foil) reading.foil_logprob = static_cast<float>(logits[*question_.foil].item<double>() - log_sum);
  return reading;
}

void LogitLensOfToken::see(const LayerSight& sight) {
  const auto row_of = [this](const at::Tensor& rows) { return rows.narrow(0, question_.token, 1); };
  if (sight.layer == 0) lens_.residual.push_back(read(row_of(sight.entering)));
  lens_.residual.push_back(read(row_of(sight.leaving)));
  if (reads_carry(sight)) {
    const at::Tensor written = written_by_source(decoder_, sight, question_.token, first_token_);
    const at::Tensor carried = written.select(1, kCarrySource).sum(0, true);
    if (!carry_.defined()) lens_.first_carry_layer = sight.layer;
    carry_ = carry_.defined() ? carry_ + carried : carried;
  }
  if (carry_.defined()) lens_.carry.push_back(read(carry_));
}

}  // namespace carryover
