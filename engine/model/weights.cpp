// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/weights.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <numeric>

#include "engine/core/base/byte_size.h"
#include "engine/core/base/error.h"
#include "engine/core/cost/cost_model.h"
#include "engine/models/llama_tensors.h"
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
  const at::Tensor target = packed ? destination : destination.view({-1, columns}).narrow(0, first_row, rows);
  const std::int64_t unit = packed ? ops::kPackedRows : 1;
  const std::int64_t step = std::max<std::int64_t>(1, kRowsBufferBytes / (columns * 4) / unit) * unit;
  const std::int64_t pieces = (rows + step - 1) / step;
  std::atomic<std::int64_t> damaged = rows;  // the first damaged row
  at::parallel_for(0, pieces, 1, [&](std::int64_t begin, std::int64_t end) {
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

/// Allocates a matrix of these parts, one below another. It is packed if `packed` is set and each part's rows are a
/// multiple of 16 that can be packed.
at::Tensor empty_matrix(std::initializer_list<std::int64_t> parts, std::int64_t inner, at::TensorOptions options,
                        bool packed) {
  const std::int64_t outer = std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  for (const std::int64_t rows : parts) packed = packed && ops::can_pack(rows, inner);
  return packed ? ops::empty_packed(outer, inner) : at::empty({outer, inner}, options);
}

}  // namespace

std::int64_t Weights::bytes() const {
  std::int64_t total = embedding.nbytes() + final_norm.nbytes();
  if (!head.is_same(embedding)) total += head.nbytes();
  for (const LayerWeights& layer : layers) {
    if (!layer.gates.empty()) total += layer.gates.rows.nbytes() + layer.gates.bias.nbytes();
    total += layer.attention_norm.nbytes() + layer.qkv.nbytes() + layer.output.nbytes() +
             layer.feed_forward_norm.nbytes() + layer.gate_up.nbytes() + layer.down.nbytes();
  }
  return total;
}

bool Weights::packed() const {
  const auto any = [](const LayerWeights& layer) {
    return ops::is_packed(layer.qkv) || ops::is_packed(layer.output) || ops::is_packed(layer.gate_up) ||
           ops::is_packed(layer.down);
  };
  return ops::is_packed(embedding) || ops::is_packed(head) || std::any_of(layers.begin(), layers.end(), any);
}

std::vector<NamedParameter> named_parameters(Weights& weights, const ModelConfig& model) {
  std::vector<NamedParameter> all;
  all.push_back({"model.embed_tokens.weight", &weights.embedding, 0, model.vocabulary});
  const std::int64_t q = model.heads * model.head_dim, kv = model.kv_heads * model.head_dim;
  for (std::size_t l = 0; l < weights.layers.size(); ++l) {
    LayerWeights& layer = weights.layers[l];
    const std::string at = "model.layers." + std::to_string(l) + ".";
    all.push_back({at + "input_layernorm.weight", &layer.attention_norm, 0, model.hidden});
    all.push_back({at + "self_attn.q_proj.weight", &layer.qkv, 0, q});
    all.push_back({at + "self_attn.k_proj.weight", &layer.qkv, q, kv});
    all.push_back({at + "self_attn.v_proj.weight", &layer.qkv, q + kv, kv});
    all.push_back({at + "self_attn.o_proj.weight", &layer.output, 0, model.hidden});
    if (!layer.gates.empty()) {
      all.push_back({at + "self_attn.g_proj.weight", &layer.gates.rows, 0, 3 * model.heads});
      all.push_back({at + "self_attn.g_proj.bias", &layer.gates.bias, 0, 3 * model.heads});
    }
    all.push_back({at + "post_attention_layernorm.weight", &layer.feed_forward_norm, 0, model.hidden});
    all.push_back({at + "mlp.gate_proj.weight", &layer.gate_up, 0, model.intermediate});
    all.push_back({at + "mlp.up_proj.weight", &layer.gate_up, model.intermediate, model.intermediate});
    all.push_back({at + "mlp.down_proj.weight", &layer.down, 0, model.hidden});
  }
  all.push_back({"model.norm.weight", &weights.final_norm, 0, model.hidden});
  if (!model.tied_embeddings) all.push_back({"lm_head.weight", &weights.head, 0, model.vocabulary});
  return all;
}

Weights empty_weights(const ModelConfig& model, at::TensorOptions options, bool packed) {
  refuse_what_does_not_fit(model, options, packed);
  const std::int64_t D = model.hidden, q = model.heads * model.head_dim, kv = model.kv_heads * model.head_dim;
  const auto matrix = [&](std::initializer_list<std::int64_t> parts, std::int64_t inner) {
    return empty_matrix(parts, inner, options, packed);
  };
  Weights weights;
  weights.embedding = matrix({model.vocabulary}, D);
  weights.final_norm = at::empty({D}, options);
  weights.head = model.tied_embeddings ? weights.embedding : matrix({model.vocabulary}, D);
  for (std::int64_t l = 0; l < model.layers; ++l)
    weights.layers.push_back({at::empty({D}, options), matrix({q, kv, kv}, D), matrix({D}, q), at::empty({D}, options),
                              matrix({model.intermediate, model.intermediate}, D), matrix({D}, model.intermediate)});
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
