// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/trained_gates.h"

#include <ATen/ATen.h>

#include "engine/cost/policy_table.h"

namespace carryover {

TrainedGates::TrainedGates(Decoder& decoder, const std::string& policy) : decoder_(decoder) {
  for (LayerWeights& layer : decoder.weights.layers) {
    before_.push_back(layer.gates);
    if (!layer.gates.empty())
      layer.gates = {layer.gates.rows.clone(), layer.gates.bias.clone()};
    else if (is_gated(policy))
      layer.gates = neutral_gates(decoder.config, decoder.options());
  }
}

TrainedGates::~TrainedGates() {
  for (std::size_t layer = 0; layer < before_.size(); ++layer) decoder_.weights.layers[layer].gates = before_[layer];
}

}  // namespace carryover
