// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/decoder/weights.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/cost/cost_model.h"
#include "engine/families/weight_rows.h"
#include "engine/ops/cpu/packed_weight.h"
#include "engine/runtime/memory_meter.h"
#include "engine/runtime/parallel.h"

namespace carryover {

namespace {

constexpr std::int64_t kRowsBufferBytes = 4 << 20;

/// Returns true if one of the values is infinite or NaN. The exponent bits of a finite value are not all set, so adding
/// one unit to the exponent does not reach the sign bit. Blocks of constant length let the compiler vectorise.
bool has_non_finite(const float* values, std::int64_t count) {
  constexpr std::int64_t kBlock = 256;
  constexpr std::uint32_t exponent = 0x7f800000, unit = 0x00800000, sign = 0x80000000;
  std::uint32_t any = 0;
  std::uint32_t bits[kBlock] = {};
  for (std::int64_t at = 0; at < count; at += kBlock) {
    std::memcpy(bits, values + at, static_cast<std::size_t>(std::min(kBlock, count - at)) * sizeof(float));
    for (std::int64_t i = 0; i < kBlock; ++i) any |= (bits[i] & exponent) + unit;
  }
  return (any & sign) != 0;
}

/// Reads a tensor's rows into `destination` from row first_row on. In parallel, rows are dequantised into fp32 buffers,
/// checked, converted and copied.
void read_into(const ModelSource& source, const StoredTensor& stored, const at::Tensor& destination,
               std::int64_t first_row) {
  const std::int64_t rows = stored.shape.size() == 1 ? 1 : stored.shape[0], columns = stored.shape.back();
  const bool packed = ops::is_packed(destination);
  const bool vector = destination.dim() == 1;  // part of it is read as one row
  const at::Tensor target = packed   ? destination
                            : vector ? destination.narrow(0, first_row, columns).view({1, columns})
                                     : destination.narrow(0, first_row, rows);
  const std::int64_t unit = packed ? ops::kPackedRows : 1;
  const std::int64_t step = std::max<std::int64_t>(1, kRowsBufferBytes / (columns * 4) / unit) * unit;
  const std::int64_t pieces = (rows + step - 1) / step;
  std::atomic<std::int64_t> damaged = rows;  // the first damaged row
  ops::parallel_for(0, pieces, 1, [&](std::int64_t begin, std::int64_t end) {
    const at::Tensor buffer = at::empty({step, columns}, at::kFloat);
    for (std::int64_t piece = begin; piece < end; ++piece) {
      const std::int64_t first = piece * step, count = std::min(step, rows - first);
      source.read_rows(stored, first, first + count, buffer.mutable_data_ptr<float>());
      for (std::int64_t row = 0; row < count; ++row) {
        if (!has_non_finite(buffer.const_data_ptr<float>() + row * columns, columns)) continue;
        std::int64_t seen = damaged;
        while (first + row < seen && !damaged.compare_exchange_weak(seen, first + row)) continue;
      }
      if (packed)
        ops::pack_weight_rows(buffer.const_data_ptr<float>(), first_row + first, count, destination);
      else
        target.narrow(0, first, count).copy_(buffer.narrow(0, 0, count));
    }
  });
  if (damaged < rows)
    throw EngineError(
        Fault::BadInput, source.where(stored),
        "the tensor " + stored.name + " has a value that is not finite, in row " + std::to_string(damaged),
        "The file is damaged, or its training diverged: fetch it again, or use an earlier checkpoint.");
}

void refuse_what_does_not_fit(const ModelConfig& model, at::TensorOptions options, bool packed) {
  const CostModel cost{model, {}, static_cast<int>(options.dtype().itemsize()), packed};
  const std::int64_t needed = cost.weight_bytes();
  const std::int64_t available = available_memory_bytes(options.device());
  if (needed <= available) return;
  throw EngineError(Fault::OutOfMemory, model.name,
                    "needs " + size_text(static_cast<double>(needed)) + " for its weights, and " +
                        size_text(static_cast<double>(available)) + " are free",
                    "Close other programs, or take a smaller model.");
}

/// Room for one slot: a matrix is packed where it is to be and can be, since parts begin on whole sixteens of rows.
at::Tensor empty_slot(const SlotShape& shape, at::TensorOptions options, bool packed) {
  if (shape.is_vector()) return at::empty({shape.rows()}, options);
  for (const std::int64_t rows : shape.parts) packed = packed && ops::can_pack(rows, shape.columns);
  return packed ? ops::empty_packed(shape.rows(), shape.columns) : at::empty({shape.rows(), shape.columns}, options);
}

/// Room for all slots that these rows fill.
template <typename Owner>
void fill_slots(Owner& owner, const std::vector<SlotShape>& shapes, at::TensorOptions options, bool packed) {
  for (const SlotShape& shape : shapes) owner.slot(shape.slot) = empty_slot(shape, options, packed);
}

}  // namespace

at::Tensor& LayerWeights::slot(WeightSlot slot) {
  switch (slot) {
    case WeightSlot::AttentionNorm:
      return attention_norm;
    case WeightSlot::AttentionNormBias:
      return attention_norm_bias;
    case WeightSlot::Qkv:
      return qkv;
    case WeightSlot::QkvBias:
      return qkv_bias;
    case WeightSlot::Output:
      return output;
    case WeightSlot::OutputBias:
      return output_bias;
    case WeightSlot::QueryNorm:
      return query_norm;
    case WeightSlot::KeyNorm:
      return key_norm;
    case WeightSlot::GateRows:
      return gates.rows;
    case WeightSlot::GateBias:
      return gates.bias;
    case WeightSlot::AttentionOutNorm:
      return attention_out_norm;
    case WeightSlot::FeedForwardNorm:
      return feed_forward_norm;
    case WeightSlot::FeedForwardNormBias:
      return feed_forward_norm_bias;
    case WeightSlot::FeedForwardOutNorm:
      return feed_forward_out_norm;
    case WeightSlot::GateUp:
      return gate_up;
    case WeightSlot::UpBias:
      return up_bias;
    case WeightSlot::Down:
      return down;
    case WeightSlot::DownBias:
      return down_bias;
    default:
      break;
  }
  throw EngineError(Fault::Internal, std::string(slot_name(slot)), "is not a layer's", "Report this.");
}

std::vector<at::Tensor*> LayerWeights::tensors() {
  std::vector<at::Tensor*> all;
  for (int slot = 0; slot <= static_cast<int>(WeightSlot::DownBias); ++slot)
    if (at::Tensor& tensor = this->slot(static_cast<WeightSlot>(slot)); tensor.defined()) all.push_back(&tensor);
  return all;
}

std::vector<at::Tensor> LayerWeights::values() const {
  std::vector<at::Tensor> all;
  for (const at::Tensor* tensor : const_cast<LayerWeights*>(this)->tensors()) all.push_back(*tensor);
  return all;
}

at::Tensor& Weights::slot(WeightSlot slot) {
  if (slot == WeightSlot::Embedding) return embedding;
  if (slot == WeightSlot::FinalNormBias) return final_norm_bias;
  CARRYOVER_CHECK(slot == WeightSlot::FinalNorm || slot == WeightSlot::Head);
  return slot == WeightSlot::Head ? head : final_norm;
}

std::vector<at::Tensor*> Weights::tensors() {
  std::vector<at::Tensor*> all{&embedding};
  for (LayerWeights& layer : layers)
    for (at::Tensor* tensor : layer.tensors()) all.push_back(tensor);
  all.push_back(&final_norm);
  if (final_norm_bias.defined()) all.push_back(&final_norm_bias);
  if (!head.is_same(embedding)) all.push_back(&head);
  return all;
}

std::int64_t Weights::bytes() const {
  std::int64_t total = 0;
  for (const at::Tensor* tensor : const_cast<Weights*>(this)->tensors())
    total += static_cast<std::int64_t>(tensor->nbytes());
  return total;
}

bool Weights::packed() const {
  return std::ranges::any_of(const_cast<Weights*>(this)->tensors(),
                             [](const at::Tensor* tensor) { return ops::is_packed(*tensor); });
}

std::vector<NamedParameter> named_parameters(Weights& weights, const ModelConfig& model) {
  std::vector<NamedParameter> all;
  const auto add = [&](auto& owner, const std::vector<WeightRow>& rows) {
    for (const WeightRow& row : rows)
      if (at::Tensor& tensor = owner.slot(row.slot); tensor.defined())  // of the gates, most models have none
        all.push_back({row.hf_name, &tensor, row.first_row, row.rows});
  };
  add(weights, rows_before_layers(model));
  for (std::size_t l = 0; l < weights.layers.size(); ++l)
    add(weights.layers[l], layer_rows(model, static_cast<std::int64_t>(l)));
  add(weights, rows_after_layers(model));
  return all;
}

Weights empty_weights(const ModelConfig& model, at::TensorOptions options, bool packed) {
  refuse_what_does_not_fit(model, options, packed);
  Weights weights;
  fill_slots(weights, slot_shapes(rows_before_layers(model)), options, packed);
  fill_slots(weights, slot_shapes(rows_after_layers(model)), options, packed);
  if (model.tied_embeddings) weights.head = weights.embedding;
  const std::vector<SlotShape> slots = layer_slots(model);
  for (std::int64_t l = 0; l < model.layers; ++l) fill_slots(weights.layers.emplace_back(), slots, options, packed);
  return weights;
}

BranchGates neutral_gates(const ModelConfig& model, at::TensorOptions options) {
  const std::vector<double> of_head(std::begin(kNeutralGates), std::end(kNeutralGates));
  return {at::zeros({3 * model.heads, model.hidden}, options),
          at::tensor(of_head, at::kDouble).repeat({model.heads}).to(options)};
}

std::string read_weights(const ModelSource& source, Weights& weights, const LoadProgress& progress) {
  const bool gated = source.find(gate_tensors(source.config()).front().hf_name) != nullptr;
  for (LayerWeights& layer : weights.layers)
    layer.gates = gated ? neutral_gates(source.config(), weights.final_norm.options()) : BranchGates{};
  const auto parameters = named_parameters(weights, source.config());
  std::map<std::string_view, std::uint64_t> contents;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const NamedParameter& parameter = parameters[i];
    const StoredTensor* stored = source.find(parameter.name);
    CARRYOVER_CHECK(stored != nullptr);                     // ModelSource::open promised it
    contents[stored->name] = source.content_hash(*stored);  // read right before it is converted, which then reads it
                                                            // from memory
    read_into(source, *stored, *parameter.tensor, parameter.first_row);
    if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(parameters.size()), parameter.name);
  }
  std::vector<std::uint64_t> hashes;
  for (const StoredTensor& tensor : source.tensors()) hashes.push_back(contents.at(tensor.name));
  return weights_hash(source, hashes);
}

}  // namespace carryover
