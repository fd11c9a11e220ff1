// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/retrieval_pool.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iostream>

#include "engine/core/cost_model.h"
#include "engine/core/error.h"
#include "engine/ops/memory_meter.h"

namespace carryover {

RetrievalPool::RetrievalPool(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                             std::int64_t expected_tokens)
    : layers_(static_cast<std::size_t>(model.layers)), options_(options), head_dim_(model.head_dim) {
  if (config.pool_on_host) options_ = options_.device(at::kCPU);
  if (config.retrieval_length == 0) return;
  for (int l = 0; l < model.layers; ++l) {
    if (!config.grouping.retrieves(l)) continue;
    LayerPool& pool = layers_[static_cast<std::size_t>(l)];
    pool.kv_heads = config.grouping.long_kv_heads(l, model);
    for (int head : config.grouping.long_heads(l)) {
      const int kv_head = head / static_cast<int>(model.group_size());
      const auto slot = std::lower_bound(pool.kv_heads.begin(), pool.kv_heads.end(), kv_head) - pool.kv_heads.begin();
      pool.head_slot.push_back(static_cast<std::int32_t>(slot));
    }
  }
  const CostModel cost{model, config, static_cast<int>(options_.dtype().itemsize())};
  segment_bytes_ = cost.activation_bytes(config.segment_length) + cost.segmented_attention_bytes();
  reserve(std::max<std::int64_t>(expected_tokens, config.segment_length));
}

std::int64_t RetrievalPool::bytes() const {
  std::int64_t total = 0;
  for (const LayerPool& pool : layers_)
    total += 2 * static_cast<std::int64_t>(pool.kv_heads.size()) * entries_ * head_dim_ *
             static_cast<std::int64_t>(options_.dtype().itemsize());
  return total;
}

/// Whether the device has the memory for a pool of `tokens`, beside the present one that is copied from, and for a
/// segment. On the CPU that was asked when the run began.
bool RetrievalPool::fits(std::int64_t tokens) const {
  if (options_.device().is_cpu()) return true;
  std::int64_t slots = 0;
  for (const LayerPool& pool : layers_) slots += std::ssize(pool.kv_heads);
  const std::int64_t bytes = 2 * slots * tokens * head_dim_ * static_cast<std::int64_t>(options_.dtype().itemsize());
  return bytes + segment_bytes_ <= available_memory_bytes(options_.device());
}

void RetrievalPool::reserve(std::int64_t tokens) {
  try {
    if (fits(tokens)) return grow(tokens);
  } catch (const c10::OutOfMemoryError&) {  // memory in pieces
    if (options_.device().is_cpu()) throw;
  }
  std::cerr << "carryover: the GPU has no memory for a pool of " << tokens << " tokens; it moves to host memory\n";
  options_ = options_.device(at::kCPU);
  grow(tokens);
}

void RetrievalPool::grow(std::int64_t tokens) {
  for (LayerPool& pool : layers_) {
    if (pool.kv_heads.empty()) continue;
    for (at::Tensor* tensor : {&pool.keys, &pool.values}) {
      // Untouched pages of a fresh allocation cost nothing, so reserving ahead does not raise the peak.
      at::Tensor larger = at::empty({static_cast<std::int64_t>(pool.kv_heads.size()), tokens, head_dim_}, options_);
      if (entries_ > 0) larger.narrow(1, 0, entries_).copy_(tensor->narrow(1, 0, entries_));
      *tensor = larger;
    }
  }
  capacity_ = tokens;
}

void RetrievalPool::append(const std::vector<at::Tensor>& keys, const std::vector<at::Tensor>& values, std::int64_t m) {
  if (entries_ + m > capacity_) reserve(std::max(entries_ + m, capacity_ + capacity_ / 2));
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (layers_[l].kv_heads.empty()) continue;
    CARRYOVER_CHECK(keys[l].defined() && keys[l].size(1) == m && !keys[l].requires_grad());
    layers_[l].keys.narrow(1, entries_, m).copy_(keys[l]);
    layers_[l].values.narrow(1, entries_, m).copy_(values[l]);
  }
  entries_ += m;
}

}  // namespace carryover
