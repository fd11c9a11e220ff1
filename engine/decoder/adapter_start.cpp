// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/decoder/adapter_start.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/decoder/weights.h"

namespace carryover {
namespace {

/// Returns the first values of A and B. For PiSSA, scale·B·A is the best approximation of the weights at this rank.
std::pair<at::Tensor, at::Tensor> first_values(const at::Tensor& weight, AdapterStart start, std::int64_t rank,
                                               double scale) {
  rank = std::min({rank, weight.size(0), weight.size(1)});
  if (start == AdapterStart::Olora) {
    const auto [q, r] = at::linalg_qr(weight);
    return {r.narrow(0, 0, rank), q.narrow(1, 0, rank)};
  }
  const auto [u, s, vh] = at::linalg_svd(weight, false);
  return {vh.narrow(0, 0, rank), u.narrow(1, 0, rank) * (s.narrow(0, 0, rank) / scale)};
}

}  // namespace

void take_out_start(Adapter& adapter, const Weights& weights, AdapterStart start) {
  if (start == AdapterStart::Beside) return;
  const at::NoGradGuard no_gradients;
  for (std::size_t l = 0; l < adapter.layers.size(); ++l)
    adapter.layers[l].each_slot([&](WeightSlot slot, std::vector<LowRankUpdate>& updates) {
      for (LowRankUpdate& update : updates) {
        const at::Tensor rows =
            weights.layers[l].slot(slot).narrow(0, update.first_row, update.rows).to(at::kCPU, at::kFloat);
        const auto [a, b] = first_values(rows, start, update.a.size(0), adapter.scale);
        update.a = at::cat({update.a, a.to(update.a.options())});
        update.b = at::cat({update.b, -b.to(update.b.options())}, 1);
      }
    });
}

}  // namespace carryover
