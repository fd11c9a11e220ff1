// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/token_sources.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "engine/inspection/attention_pattern.h"
#include "engine/inspection/direct_logit_attribution.h"

namespace carryover {

namespace {

std::vector<double> to_vector(const at::Tensor& values) {
  const at::Tensor plain = values.to(at::kCPU, at::kDouble).contiguous();
  const auto* first = plain.const_data_ptr<double>();
  return {first, first + plain.numel()};
}

}  // namespace

SourcesOfToken::SourcesOfToken(const Decoder& decoder, const PredictionQuestion& question, std::int64_t first_token,
                               std::int32_t target, PrefixPositions prefix_positions)
    : decoder_(decoder),
      token_(question.token),
      first_token_(first_token),
      prefix_positions_(std::move(prefix_positions)),
      direction_(decoder.logit_direction(asked_row(decoder, target, question.foil))) {}

/// Returns [H, d] fp64: what a unit of each head's output adds to the logit, but for the final norm's scale. outputs:
/// [H, d], those of the token.
at::Tensor SourcesOfToken::logit_directions(const LayerSight& sight, const at::Tensor& outputs) const {
  const std::int64_t heads = decoder_.config.heads, width = heads * decoder_.config.head_dim;
  // Each unit is a part; the last part makes the sum what the heads put out, of which a norm may take the size.
  const at::Tensor units = at::eye(width, outputs.options()), rest = (outputs.view({1, width}) - 1);
  const at::Tensor written = decoder_.written_by(sight.layer, at::cat({units, rest})).narrow(0, 0, width);
  return at::mv(written.to(at::kDouble), direction_).view({heads, decoder_.config.head_dim});
}

void SourcesOfToken::see(const LayerSight& sight) {
  const std::int64_t own = token_ + 1;
  std::vector<at::Tensor> all_weights, all_values, outputs;
  for (int h = 0; h < decoder_.config.heads; ++h) {
    const AttentionPattern attention(sight, h);
    const std::int64_t prefix = attention.prefix_length();
    all_weights.push_back(attention.weights(token_, 1)[0].narrow(0, 0, prefix + own).to(at::kDouble));
    at::Tensor values = attention.values().narrow(0, 0, own);
    if (prefix > 0) values = at::cat({attention.prefix_values(), values});
    all_values.push_back(values.to(at::kDouble));
    outputs.push_back(all_weights.back().unsqueeze(0).mm(all_values.back())[0]);
    HeadView view;
    if (prefix > 0) view.positions = prefix_positions_(attention, {sight.layer, h});
    for (std::int64_t i = 0; i < own; ++i) view.positions.push_back(first_token_ + i);
    view.attention = to_vector(all_weights.back());
    heads_.push_back(std::move(view));
  }
  const at::Tensor directions = logit_directions(sight, at::stack(outputs).to(sight.queries.scalar_type()));
  const auto first = heads_.end() - decoder_.config.heads;
  for (std::int64_t h = 0; h < decoder_.config.heads; ++h) {
    const auto i = static_cast<std::size_t>(h);
    first[h].logit = to_vector(all_weights[i] * at::mv(all_values[i], directions[h]));
  }
  if (sight.layer + 1 == decoder_.config.layers) scale_ = decoder_.final_scale(sight.leaving[token_]);
}

TokenSources SourcesOfToken::result() const {
  TokenSources found;
  found.token = token_;
  for (const HeadView& head : heads_)
    found.positions.insert(found.positions.end(), head.positions.begin(), head.positions.end());
  std::ranges::sort(found.positions);
  found.positions.erase(std::ranges::unique(found.positions).begin(), found.positions.end());
  const auto count = std::ssize(found.positions);
  found.attention = {std::ssize(heads_), count, std::vector<float>(heads_.size() * found.positions.size())};
  std::vector<double> logit(found.positions.size());
  for (std::size_t row = 0; row < heads_.size(); ++row) {
    const HeadView& head = heads_[row];
    for (std::size_t i = 0; i < head.positions.size(); ++i) {
      const auto at = std::ranges::lower_bound(found.positions, head.positions[i]) - found.positions.begin();
      found.attention.values[row * found.positions.size() + static_cast<std::size_t>(at)] +=
          static_cast<float>(head.attention[i]);
      logit[static_cast<std::size_t>(at)] += head.logit[i];
    }
  }
  for (const double value : logit) found.logit.push_back(static_cast<float>(value * scale_));
  return found;
}

}  // namespace carryover
