// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/config/training_config.h"
#include "engine/families/weight_rows.h"

namespace carryover {

struct Weights;

/// A low-rank update of some rows of one of a layer's matrices: W[first_row, first_row + rows) += scale·B·A.
struct LowRankUpdate {
  std::string name;          ///< the module's HF name: "model.layers.0.self_attn.q_proj"
  std::uint64_t module = 0;  ///< the module's number in the model, for dropout
  std::int64_t first_row = 0, rows = 0;
  at::Tensor a;  ///< [r, in]
  at::Tensor b;  ///< [rows, r]
};

/// The updates of one layer, by the slot of LayerWeights that they belong to; in order of rows.
class LayerAdapter {
 public:
  std::vector<LowRankUpdate>& slot(WeightSlot slot) { return updates_[static_cast<std::size_t>(slot)]; }
  const std::vector<LowRankUpdate>& slot(WeightSlot slot) const { return updates_[static_cast<std::size_t>(slot)]; }

  /// Calls visit(slot, updates) for each slot that has some.
  template <typename Visit>
  void each_slot(Visit visit) {
    for (std::size_t i = 0; i < updates_.size(); ++i)
      if (!updates_[i].empty()) visit(static_cast<WeightSlot>(i), updates_[i]);
  }
  template <typename Visit>
  void each_slot(Visit visit) const {
    for (std::size_t i = 0; i < updates_.size(); ++i)
      if (!updates_[i].empty()) visit(static_cast<WeightSlot>(i), updates_[i]);
  }

 private:
  std::array<std::vector<LowRankUpdate>, kWeightSlots> updates_;
};

/// A LoRA over frozen weights. Without layers, there is no adapter. Owner: Decoder. Thread: engine.
struct Adapter {
  double scale = 1;
  std::vector<LayerAdapter> layers;

  bool empty() const { return layers.empty(); }
  std::vector<LowRankUpdate*> updates();
  std::int64_t bytes() const;
};

/// Selects the mask of an adapter's dropout. The mask is a function of these counters alone, so that checkpointing,
/// every loss term and a resumed run see the same one. p = 0: no dropout.
struct AdapterDropout {
  double p = 0;
  std::uint64_t seed = 0, step = 0, sample = 0, segment = 0;
};

/// Returns a new adapter as LoRA's authors start it: A is uniform in ±1/√in, drawn from `seed`; B is zero.
Adapter make_adapter(const LoraConfig& lora, const ModelConfig& model, at::TensorOptions options, std::uint64_t seed);

/// Returns x·Wᵀ plus the updates. x: [m, in]; weight: [rows, in].
at::Tensor adapted_linear(const at::Tensor& x, const at::Tensor& weight, const std::vector<LowRankUpdate>& updates,
                          double scale, const AdapterDropout& dropout);

/// Adds scale·B·A to the weights, computed in fp32 or wider and rounded once.
void merge_adapter(Weights& weights, const Adapter& adapter);

}  // namespace carryover
