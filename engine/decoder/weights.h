// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "engine/checkpoints/model_source.h"
#include "engine/families/weight_rows.h"
#include "engine/runs/values/model_info.h"

namespace carryover {

/// The parameters of the gates by which policy nsa weighs its branches: sigmoid(x·rowsᵀ + bias), where x is a layer's
/// normed input. The three rows of a head (compressed, selected, window) are side by side.
struct BranchGates {
  at::Tensor rows;  ///< [3·H, D]
  at::Tensor bias;  ///< [3·H]

  bool empty() const { return !rows.defined(); }
};

/// The parameters of one decoder layer. Projections that read the same input are one matrix, so that each is one
/// matmul. A matrix may be packed (ops/packed_weight); matmuls and embeddings read packed matrices directly.
/// engine/families says which tensors of a file each of them is made of.
struct LayerWeights {
  at::Tensor attention_norm;          ///< [D]; undefined: the family norms only what blocks add
  at::Tensor attention_norm_bias;     ///< [D], of a LayerNorm; undefined: it is an RMS norm
  at::Tensor qkv;                     ///< [(H + 2·H_kv)·d, D]: q rows, then k, then v
  at::Tensor qkv_bias;                ///< [(H + 2·H_kv)·d], in the same order; undefined: the family has none
  at::Tensor output;                  ///< [D, H·d]
  at::Tensor output_bias;             ///< [D]; undefined: the family has none
  at::Tensor query_norm, key_norm;    ///< [d], of each head, or [H·d] and [H_kv·d]; undefined: the family has none
  at::Tensor attention_out_norm;      ///< [D]; undefined: the family has none
  at::Tensor feed_forward_norm;       ///< [D]; undefined as attention_norm
  at::Tensor feed_forward_norm_bias;  ///< [D], of a LayerNorm
  at::Tensor feed_forward_out_norm;   ///< [D]; undefined: the family has none
  at::Tensor gate_up;                 ///< [2·I, D]: gate rows, then up; [I, D]: up alone
  at::Tensor up_bias;                 ///< [I]; undefined: the family has none
  at::Tensor down;                    ///< [D, I]
  at::Tensor down_bias;               ///< [D]; undefined: the family has none
  BranchGates gates = {};  ///< present in all layers or in none; empty if the model was not trained under nsa

  at::Tensor& slot(WeightSlot slot);
  const at::Tensor& slot(WeightSlot slot) const { return const_cast<LayerWeights*>(this)->slot(slot); }
  std::vector<at::Tensor*> tensors();      ///< the defined ones, in the order of slots
  std::vector<at::Tensor> values() const;  ///< the same
};

struct Weights {
  at::Tensor embedding;  ///< [V, D]
  std::vector<LayerWeights> layers;
  at::Tensor final_norm;       ///< [D]
  at::Tensor final_norm_bias;  ///< [D], of a LayerNorm; undefined: it is an RMS norm
  at::Tensor head;             ///< [V, D]; the same tensor as the embedding if they are tied

  at::Tensor& slot(WeightSlot slot);   ///< a slot outside of layers
  std::vector<at::Tensor*> tensors();  ///< the defined ones; a tied head only once
  std::int64_t bytes() const;
  bool packed() const;  ///< true if any matrix is packed
  bool has_gates() const { return !layers.empty() && !layers.front().gates.empty(); }
};

/// A parameter under its HF name, which is rows [first_row, first_row + rows) of a tensor of Weights.
struct NamedParameter {
  std::string name;
  at::Tensor* tensor;
  std::int64_t first_row, rows;
};
std::vector<NamedParameter> named_parameters(Weights& weights, const ModelConfig& model);

/// Allocates a model's weights. `packed`: matrices are in 8 bits if their shape allows it. Throws
/// EngineError{OutOfMemory} before it allocates if the machine has less memory than the weights need.
Weights empty_weights(const ModelConfig& model, at::TensorOptions options, bool packed);

/// Returns the gates with which training starts, and which a model without gates uses. For every token, the logits of
/// each head are kNeutralGates. The selected and the window branch weigh one half each, so that a text which both see
/// whole is read as under full attention. The compressed branch weighs 0.02, which keeps a gradient.
inline constexpr double kNeutralGates[] = {-4, 0, 0};
BranchGates neutral_gates(const ModelConfig& model, at::TensorOptions options);

/// Reads a model of that shape into `weights`, tensor by tensor and some rows at a time, so that at most a few MB are
/// held besides the weights. Gates are allocated if the source has them, and dropped otherwise. Hashes every byte on
/// the way and returns source.hash(). Throws EngineError{BadInput}, which names file, tensor and row, if a value is not
/// finite.
std::string read_weights(const ModelSource& source, Weights& weights, const LoadProgress& progress);

}  // namespace carryover
