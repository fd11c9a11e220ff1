// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/decoder/adapter.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "engine/base/split_mix.h"
#include "engine/decoder/weights.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linear.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

/// Mixes two 64-bit values into one whose bits look random.
std::uint64_t mix(std::uint64_t state, std::uint64_t next) {
  return mixed(state + kSplitMixStep + next * 0xbf58476d1ce4e5b9ull);
}

/// Returns x with a share p of its values set to 0 and the others scaled up.
at::Tensor drop(const at::Tensor& x, const AdapterDropout& dropout, std::uint64_t module) {
  std::uint64_t key = dropout.seed;
  for (std::uint64_t counter : {dropout.step, dropout.sample, dropout.segment, module}) key = mix(key, counter);
  auto generator = at::detail::createCPUGenerator(key);
  const at::Tensor kept = at::empty(x.sizes(), at::kFloat).bernoulli_(1 - dropout.p, generator);
  return x * (kept / (1 - dropout.p)).to(x.options());
}

}  // namespace

std::vector<LowRankUpdate*> Adapter::updates() {
  std::vector<LowRankUpdate*> all;
  for (LayerAdapter& layer : layers)
    layer.each_slot([&](WeightSlot, std::vector<LowRankUpdate>& updates) {
      for (LowRankUpdate& update : updates) all.push_back(&update);
    });
  return all;
}

std::int64_t Adapter::bytes() const {
  std::int64_t total = 0;
  for (const LayerAdapter& layer : layers)
    layer.each_slot([&](WeightSlot, const std::vector<LowRankUpdate>& updates) {
      for (const LowRankUpdate& update : updates)
        total += static_cast<std::int64_t>(update.a.nbytes() + update.b.nbytes());
    });
  return total;
}

Adapter make_adapter(const LoraConfig& lora, const ModelConfig& model, at::TensorOptions options, std::uint64_t seed) {
  Adapter adapter{lora.scale(), std::vector<LayerAdapter>(static_cast<std::size_t>(model.layers))};
  auto generator = at::detail::createCPUGenerator(mix(seed, 0));
  std::uint64_t number = 0;
  for (std::int64_t l = 0; l < model.layers; ++l)
    for (const WeightRow& row : layer_rows(model, l)) {
      if (row.module.empty()) continue;
      ++number;
      if (std::ranges::find(lora.target_modules, row.module) == lora.target_modules.end()) continue;
      const double bound = 1 / std::sqrt(static_cast<double>(row.columns));
      const at::Tensor a = at::empty({lora.rank, row.columns}, at::kFloat).uniform_(-bound, bound, generator);
      adapter.layers[static_cast<std::size_t>(l)].slot(row.slot).push_back({row.module_path(), number, row.first_row,
                                                                            row.rows, a.to(options),
                                                                            at::zeros({row.rows, lora.rank}, options)});
    }
  return adapter;
}

at::Tensor adapted_linear(const at::Tensor& x, const at::Tensor& weight, const std::vector<LowRankUpdate>& updates,
                          double scale, const AdapterDropout& dropout) {
  const at::Tensor y = ops::linear(x, weight);
  if (updates.empty()) return y;
  std::vector<at::Tensor> parts;  // together, the parts cover every row of the weight
  std::int64_t row = 0;
  const auto fill_to = [&](std::int64_t end) {
    if (row < end) parts.push_back(at::zeros({x.size(0), end - row}, x.options()));
    row = end;
  };
  for (const LowRankUpdate& update : updates) {
    fill_to(update.first_row);
    const at::Tensor input = dropout.p > 0 ? drop(x, dropout, update.module) : x;
    parts.push_back(at::linear(at::linear(input, update.a) * scale, update.b));
    row += update.rows;
  }
  fill_to(weight.size(0));
  return y + (parts.size() == 1 ? parts[0] : at::cat(parts, 1));
}

void merge_adapter(Weights& weights, const Adapter& adapter) {
  const at::NoGradGuard no_gradients;
  for (std::size_t l = 0; l < adapter.layers.size(); ++l)
    adapter.layers[l].each_slot([&](WeightSlot slot, const std::vector<LowRankUpdate>& updates) {
      const at::Tensor& weight = weights.layers[l].slot(slot);
      const auto opmath = ops::compute_type(weight.scalar_type());
      for (const LowRankUpdate& update : updates) {
        at::Tensor rows = weight.narrow(0, update.first_row, update.rows);
        rows.copy_(rows.to(opmath) + at::mm(update.b.to(opmath), update.a.to(opmath)) * adapter.scale);
      }
    });
}

}  // namespace carryover
