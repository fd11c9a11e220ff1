// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "engine/core/run/model_info.h"
#include "engine/families/weight_rows.h"
#include "engine/models/model_source.h"

namespace carryover {

/// What policy nsa weighs its branches by: sigmoid(x·rowsᵀ + bias) of a layer's normed input, a head's three rows side
/// by side (compressed, selected, window).
struct BranchGates {
  at::Tensor rows;  ///< [3·H, D]
  at::Tensor bias;  ///< [3·H]

  bool empty() const { return !rows.defined(); }
};

/// One decoder layer's parameters. Projections that read the same input are one matrix, so that each is one matmul.
/// A matrix may be packed (ops/packed_weight); matmuls and embeddings read it directly. engine/families says which
/// tensors of a file each of them is made of.
struct LayerWeights {
  at::Tensor attention_norm;     ///< [D]
  at::Tensor qkv;                ///< [(H + 2·H_kv)·d, D]: q rows, then k, then v
  at::Tensor qkv_bias;           ///< [(H + 2·H_kv)·d], in the same order; undefined: the family has none
  at::Tensor output;             ///< [D, H·d]
  at::Tensor feed_forward_norm;  ///< [D]
  at::Tensor gate_up;            ///< [2·I, D]: gate rows, then up
  at::Tensor down;               ///< [D, I]
  BranchGates gates = {};        ///< of all layers, or of none: untrained under nsa

  at::Tensor& slot(WeightSlot slot);
  const at::Tensor& slot(WeightSlot slot) const { return const_cast<LayerWeights*>(this)->slot(slot); }
  std::vector<at::Tensor*> tensors();      ///< those that are defined, in the order of slots
  std::vector<at::Tensor> values() const;  ///< the same
};

struct Weights {
  at::Tensor embedding;  ///< [V, D]
  std::vector<LayerWeights> layers;
  at::Tensor final_norm;  ///< [D]
  at::Tensor head;        ///< [V, D]; the embedding itself where tied

  at::Tensor& slot(WeightSlot slot);   ///< one of those outside of layers
  std::vector<at::Tensor*> tensors();  ///< every one that is defined, without the head where it is the embedding
  std::int64_t bytes() const;
  bool packed() const;  ///< some matrix is
  bool has_gates() const { return !layers.empty() && !layers.front().gates.empty(); }
};

/// A parameter under its HF name: rows [first_row, first_row + rows) of a tensor of Weights.
struct NamedParameter {
  std::string name;
  at::Tensor* tensor;
  std::int64_t first_row, rows;
};
std::vector<NamedParameter> named_parameters(Weights& weights, const ModelConfig& model);

/// Room for a model's weights. `packed`: matrices in 8 bits, those whose shape allows it. Throws
/// EngineError{OutOfMemory} before allocating where the machine has less than the weights need.
Weights empty_weights(const ModelConfig& model, at::TensorOptions options, bool packed);

/// Gates as training starts them, which are those of a model that has none: whatever a token is, each head's logits are
/// kNeutralGates. Selected and window branch count half each, so that a text which both see whole reads as under full
/// attention, and the compressed one 0.02, which keeps a gradient.
inline constexpr double kNeutralGates[] = {-4, 0, 0};
BranchGates neutral_gates(const ModelConfig& model, at::TensorOptions options);

/// Reads a model of that shape into them, tensor by tensor, rows at a time: beside the weights themselves at most a few
/// MB are held. Gates are made where the source has them, and else dropped. Hashes every byte on the way; returns
/// source.hash(). Throws EngineError{BadInput} naming file, tensor and row where a value is not finite.
std::string read_weights(const ModelSource& source, Weights& weights, const LoadProgress& progress);

}  // namespace carryover
