// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/direct_logit_attribution.h"

#include <ATen/ATen.h>

#include <cmath>

#include "engine/eval/attention_pattern.h"
#include "engine/eval/prediction.h"

namespace carryover {

at::Tensor logit_direction(const Decoder& decoder, std::int32_t target, const std::optional<std::int32_t>& foil) {
  at::Tensor row = decoder.head_row(target).to(at::kDouble);
  if (foil) row = row - decoder.head_row(*foil).to(at::kDouble);
  return decoder.weights.final_norm.to(at::kDouble) * row;
}

double final_norm_scale(const Decoder& decoder, const at::Tensor& row) {
  return 1 / std::sqrt(row.to(at::kDouble).square().mean().item<double>() + decoder.config.norm_epsilon);
}

DirectLogitAttribution::DirectLogitAttribution(const Decoder& decoder, const PredictionQuestion& question,
                                               std::int32_t target)
    : decoder_(decoder),
      question_(question),
      target_(target),
      direction_(logit_direction(decoder, target, question.foil)) {
  const std::int64_t layers = decoder.config.layers, heads = decoder.config.heads;
  for (Map* map : {&split_.carry, &split_.retrieved, &split_.segment})
    *map = {layers, heads, std::vector<float>(static_cast<std::size_t>(layers * heads))};
}

double DirectLogitAttribution::along(const at::Tensor& row) const {
  return row.to(at::kDouble).dot(direction_).item<double>();
}

void DirectLogitAttribution::see(const LayerSight& sight) {
  const std::int64_t heads = decoder_.config.heads, d = decoder_.config.head_dim, token = question_.token;
  // One row for each head and part of its context: everything else in it is zero.
  at::Tensor parts = at::zeros({2 * heads, heads, d}, sight.queries.options());
  std::vector<bool> retrieved;
  for (int h = 0; h < heads; ++h) {
    const AttentionPattern attention(sight, h);
    const std::int64_t prefix = attention.prefix_length();
    const at::Tensor weights = attention.weights(token, 1);
    if (prefix > 0) parts[2 * h][h].copy_(at::mm(weights.narrow(1, 0, prefix), attention.prefix_values())[0]);
    parts[2 * h + 1][h].copy_(at::mm(weights.narrow(1, prefix, weights.size(1) - prefix), attention.values())[0]);
    retrieved.push_back(attention.reads_retrieved());
  }
  const at::Tensor nothing = at::zeros({2 * heads, decoder_.config.hidden}, sight.entering.options());
  const at::Tensor written = decoder_.add_attention(sight.layer, nothing, parts.flatten(1), {});
  for (int h = 0; h < heads; ++h) {
    const auto cell = static_cast<std::size_t>(sight.layer * heads + h);
    Map& before = retrieved[static_cast<std::size_t>(h)] ? split_.retrieved : split_.carry;
    before.values[cell] = static_cast<float>(along(written[2 * h]));
    split_.segment.values[cell] = static_cast<float>(along(written[2 * h + 1]));
  }
  if (sight.layer == 0) split_.embedding = static_cast<float>(along(sight.entering[token]));
  split_.feed_forward.push_back(static_cast<float>(along(sight.leaving[token]) - along(sight.attended[token])));
  if (sight.layer + 1 == decoder_.config.layers) {
    const at::Tensor last = sight.leaving[token];
    scale_ = final_norm_scale(decoder_, last);
    split_.logit = static_cast<float>(along(last) * scale_);
  }
}

LogitAttribution DirectLogitAttribution::result(const at::Tensor& hidden) const {
  LogitAttribution scaled = split_;
  scaled.prediction = predict(decoder_, hidden, question_, target_);
  const auto scale = static_cast<float>(scale_);
  scaled.embedding *= scale;
  for (auto* values : {&scaled.feed_forward, &scaled.carry.values, &scaled.retrieved.values, &scaled.segment.values})
    for (float& value : *values) value *= scale;
  return scaled;
}

}  // namespace carryover
