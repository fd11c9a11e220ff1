// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/families/model_config.h"

namespace carryover {

/// The tensors that a model has in memory. Projections that read the same input share one.
enum class WeightSlot {
  // of each layer
  AttentionNorm,
  AttentionNormBias,
  Qkv,      ///< queries' rows, then keys', then values'; with StoredProjections::FusedByHead these of each head
  QkvBias,  ///< in the same order
  Output,
  OutputBias,
  QueryNorm,  ///< of each head
  KeyNorm,
  GateRows,  ///< gates of policy nsa: a head's three rows side by side (compressed, selected, window)
  GateBias,
  AttentionOutNorm,  ///< of what attention adds
  FeedForwardNorm,
  FeedForwardNormBias,
  FeedForwardOutNorm,  ///< of what the feed-forward adds
  GateUp,              ///< the gate's rows, then those of up; without a gate those of up alone
  UpBias,
  Down,
  DownBias,  ///< the last of a layer
  // of the model
  Embedding,
  FinalNorm,
  FinalNormBias,
  Head,
};
inline constexpr std::size_t kWeightSlots = static_cast<std::size_t>(WeightSlot::Head) + 1;

/// "qkv", for reports.
std::string_view slot_name(WeightSlot slot);

/// The order in which a GGUF stores a tensor's rows.
enum class GgufRows {
  Same,        ///< as Hugging Face files do
  PairByPair,  ///< of each head, the two rows of each pair that RoPE rotates are neighbours (llama.cpp's permutation)
  PartByPart   ///< the queries of all heads, then the keys, then the values; Hugging Face files go head by head
};

/// One tensor of a model's files, and its place in memory: rows first_row to first_row + rows of a slot.
struct WeightRow {
  std::string hf_name;    ///< as in a Hugging Face folder: "model.layers.0.self_attn.q_proj.weight"
  std::string gguf_name;  ///< empty: no GGUF has it
  WeightSlot slot;
  std::int64_t first_row = 0, rows = 0;
  std::int64_t columns = 0;  ///< 0: the tensor is a vector of `rows` values
  double gguf_offset = 0;    ///< what a GGUF has added to each value
  GgufRows gguf_rows = GgufRows::Same;
  std::int64_t heads = 0;   ///< of the rows, where a GGUF has them in another order
  std::string module = {};  ///< a linear module that an adapter may target: "q_proj"; empty: none

  bool is_vector() const { return columns == 0; }
  bool is_gate() const { return slot == WeightSlot::GateRows || slot == WeightSlot::GateBias; }
  std::int64_t values() const { return rows * (is_vector() ? 1 : columns); }
  std::vector<std::int64_t> shape() const;  ///< row-major
  std::string module_path() const;          ///< hf_name without ".weight" or ".bias"
};

/// The tensors of one layer in the order of Hugging Face files, the gates of policy nsa among them: a model has these
/// only where it was trained under that policy.
std::vector<WeightRow> layer_rows(const ModelConfig& model, std::int64_t layer);

/// The tensors outside of layers; those before them and those behind. A head only where embeddings are not tied.
std::vector<WeightRow> rows_before_layers(const ModelConfig& model);
std::vector<WeightRow> rows_after_layers(const ModelConfig& model);

/// The names of the embeddings and of the head in Hugging Face files.
std::string embedding_name(const ModelConfig& model);
std::string head_name(const ModelConfig& model);

/// Every tensor that a checkpoint of this model must have, in order, so without gates; and the gates of all layers.
std::vector<WeightRow> model_tensors(const ModelConfig& model);
std::vector<WeightRow> gate_tensors(const ModelConfig& model);

/// One tensor in memory, made of the rows of files that share its slot.
struct SlotShape {
  WeightSlot slot;
  std::vector<std::int64_t> parts;  ///< rows of each file's tensor
  std::int64_t columns = 0;         ///< 0: a vector

  bool is_vector() const { return columns == 0; }
  std::int64_t rows() const;
  std::int64_t values() const { return rows() * (is_vector() ? 1 : columns); }
};

/// The slots that such rows fill, in the order of the slots' first rows.
std::vector<SlotShape> slot_shapes(const std::vector<WeightRow>& rows);

/// The slots of one layer of this model, without gates.
std::vector<SlotShape> layer_slots(const ModelConfig& model);

/// The linear modules that an adapter may target, in the order of the table: "q_proj", "k_proj", …; those of all
/// families, and those that a model has.
const std::vector<std::string>& lora_modules();
std::vector<std::string> lora_modules_of(const ModelConfig& model);

}  // namespace carryover
