// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/direct_logit_attribution.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "engine/inspection/prediction.h"
#include "engine/inspection/written_by_source.h"

namespace carryover {

at::Tensor asked_row(const Decoder& decoder, std::int32_t target, const std::optional<std::int32_t>& foil) {
  const at::Tensor row = decoder.head_row(target).to(at::kDouble);
  return foil ? row - decoder.head_row(*foil).to(at::kDouble) : row;
}

DirectLogitAttribution::DirectLogitAttribution(const Decoder& decoder, const PredictionQuestion& question,
                                               std::int64_t first_token, std::int32_t target, std::int64_t neurons)
    : decoder_(decoder),
      question_(question),
      first_token_(first_token),
      target_(target),
      most_neurons_(neurons),
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
  const at::Tensor written = written_by_source(decoder_, sight, question_.token, first_token_);
  for (std::int64_t h = 0; h < decoder_.config.heads; ++h)
    for (std::size_t source = 0; source < kSources.size(); ++source)
      (split_.*kSources[source]).values[static_cast<std::size_t>(sight.layer * decoder_.config.heads + h)] =
          static_cast<float>(along(written[h][static_cast<std::int64_t>(source)]));
  const std::int64_t token = question_.token;
  if (sight.layer == 0) split_.embedding = static_cast<float>(along(sight.entering[token]));
  if (const at::Tensor& bias = decoder_.weights.layers[static_cast<std::size_t>(sight.layer)].output_bias;
      bias.defined())
    split_.biases += static_cast<float>(along(bias) * decoder_.config.residual_scale);
  split_.feed_forward.push_back(static_cast<float>(along(sight.leaving[token]) - along(sight.attended[token])));
  if (most_neurons_ > 0) add_neurons(sight);
  if (sight.layer + 1 == decoder_.config.layers) {
    const at::Tensor last = sight.leaving[token];
    scale_ = decoder_.final_scale(last);
    split_.logit = static_cast<float>(along(last) * scale_);
  }
}

/// Keeps the neurons that move the logit most so far: those of this layer may push out some of earlier ones.
void DirectLogitAttribution::add_neurons(const LayerSight& sight) {
  const auto row_of = [&](const at::Tensor& rows) { return rows.narrow(0, question_.token, 1); };
  const Decoder::Neurons neurons =
      decoder_.neurons(sight.layer, row_of(sight.attended), row_of(sight.entering), direction_);
  const auto count = std::min<std::int64_t>(most_neurons_, neurons.along.size(0));
  const at::Tensor largest = std::get<1>(neurons.along.abs().topk(count)).cpu();
  for (std::int64_t i = 0; i < count; ++i) {
    const auto neuron = largest[i].item<std::int64_t>();
    split_.neurons.push_back({sight.layer, neuron, neurons.activations[neuron].item<float>(),
                              static_cast<float>(neurons.along[neuron].item<double>())});
  }
  std::ranges::stable_sort(split_.neurons, std::greater(), [](const NeuronShare& n) { return std::abs(n.logit); });
  if (std::ssize(split_.neurons) > most_neurons_) split_.neurons.resize(static_cast<std::size_t>(most_neurons_));
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
  for (NeuronShare& neuron : scaled.neurons) neuron.logit *= scale;
  for (const auto source : kSources)
    for (float& value : (scaled.*source).values) value *= scale;
  return scaled;
}

}  // namespace carryover
