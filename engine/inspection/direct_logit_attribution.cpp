// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/direct_logit_attribution.h"

#include <ATen/ATen.h>

#include <array>

#include "engine/inspection/attention_pattern.h"
#include "engine/inspection/prediction.h"

namespace carryover {

namespace {

/// The sources that a head reads. A source's index here is also its row in read_by_source().
constexpr std::array kSources{&LogitAttribution::sinks, &LogitAttribution::retrieved, &LogitAttribution::carry,
                              &LogitAttribution::segment};
constexpr std::int64_t kSegmentSource = 3;

std::int64_t source_of(std::optional<PrefixPart> part) {
  if (!part) return kSegmentSource;
  return *part == PrefixPart::Sinks ? 0 : *part == PrefixPart::Retrieved ? 1 : 2;
}

/// Returns [sources, P]: 1 where a slot of the prefix belongs to the source, 0 elsewhere.
at::Tensor slots_by_source(const AttentionPattern& attention, std::int64_t first_token) {
  const std::int64_t prefix = attention.prefix_length();
  at::Tensor slots = at::zeros({std::ssize(kSources), prefix}, at::kFloat);
  auto* row = slots.mutable_data_ptr<float>();
  for (std::int64_t slot = 0; slot < prefix; ++slot)
    row[source_of(attention.part(slot, first_token)) * prefix + slot] = 1;
  return slots.to(attention.values().options());
}

/// Returns [sources, d]: a query's weights times values, summed over the positions of each source.
at::Tensor read_by_source(const AttentionPattern& attention, std::int64_t token, std::int64_t first_token) {
  const std::int64_t prefix = attention.prefix_length(), own = attention.values().size(0);
  const at::Tensor weights = attention.weights(token, 1);
  at::Tensor read = at::zeros({std::ssize(kSources), attention.values().size(1)}, attention.values().options());
  if (prefix > 0)
    read += at::mm(slots_by_source(attention, first_token) * weights.narrow(1, 0, prefix), attention.prefix_values());
  read.narrow(0, kSegmentSource, 1) += at::mm(weights.narrow(1, prefix, own), attention.values());
  return read;
}

}  // namespace

at::Tensor asked_row(const Decoder& decoder, std::int32_t target, const std::optional<std::int32_t>& foil) {
  const at::Tensor row = decoder.head_row(target).to(at::kDouble);
  return foil ? row - decoder.head_row(*foil).to(at::kDouble) : row;
}

DirectLogitAttribution::DirectLogitAttribution(const Decoder& decoder, const PredictionQuestion& question,
                                               std::int64_t first_token, std::int32_t target)
    : decoder_(decoder),
      question_(question),
      first_token_(first_token),
      target_(target),
      row_(asked_row(decoder, target, question.foil)),
      direction_(decoder.logit_direction(row_)) {
  const std::int64_t layers = decoder.config.layers, heads = decoder.config.heads;
  for (const auto source : kSources)
    split_.*source = {layers, heads, std::vector<float>(static_cast<std::size_t>(layers * heads))};
}

double DirectLogitAttribution::along(const at::Tensor& row) const {
  return row.to(at::kDouble).dot(direction_).item<double>();
}

void DirectLogitAttribution::see(const LayerSight& sight) {
  const std::int64_t heads = decoder_.config.heads, d = decoder_.config.head_dim;
  constexpr std::int64_t sources = std::ssize(kSources);
  // One row for each head and source: everything else in it is zero.
  at::Tensor parts = at::zeros({heads, sources, heads, d}, sight.queries.options());
  for (int h = 0; h < heads; ++h)
    parts[h].select(1, h).copy_(read_by_source(AttentionPattern(sight, h), question_.token, first_token_));
  const at::Tensor written = decoder_.written_by(sight.layer, parts.view({heads * sources, heads * d}));
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t source = 0; source < sources; ++source)
      (split_.*kSources[static_cast<std::size_t>(source)]).values[static_cast<std::size_t>(sight.layer * heads + h)] =
          static_cast<float>(along(written[h * sources + source]));
  const std::int64_t token = question_.token;
  if (sight.layer == 0) split_.embedding = static_cast<float>(along(sight.entering[token]));
  if (const at::Tensor& bias = decoder_.weights.layers[static_cast<std::size_t>(sight.layer)].output_bias;
      bias.defined())
    split_.biases += static_cast<float>(along(bias) * decoder_.config.residual_scale);
  split_.feed_forward.push_back(static_cast<float>(along(sight.leaving[token]) - along(sight.attended[token])));
  if (sight.layer + 1 == decoder_.config.layers) {
    const at::Tensor last = sight.leaving[token];
    scale_ = decoder_.final_scale(last);
    split_.logit = static_cast<float>(along(last) * scale_);
  }
}

LogitAttribution DirectLogitAttribution::result(const at::Tensor& hidden) const {
  LogitAttribution scaled = split_;
  scaled.prediction = predict(decoder_, hidden, question_, target_);
  const auto scale = static_cast<float>(scale_);
  scaled.embedding *= scale;
  const auto final_bias = static_cast<float>(decoder_.final_bias(row_));
  scaled.logit += final_bias;
  scaled.biases = scaled.biases * scale + final_bias;
  for (float& value : scaled.feed_forward) value *= scale;
  for (const auto source : kSources)
    for (float& value : (scaled.*source).values) value *= scale;
  return scaled;
}

}  // namespace carryover
