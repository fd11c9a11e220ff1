// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/method/retrieval_pool.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/terminal_text.h"
#include "engine/config/head_reads.h"
#include "engine/cost/cost_model.h"
#include "engine/runtime/memory_meter.h"

namespace carryover {

namespace {

/// Moves the first `entries` entries of [slots, capacity, …] to a tensor with another capacity on `device`. Untouched
/// pages of a fresh allocation cost nothing, so reserving ahead does not raise the peak.
void enlarge(at::Tensor& tensor, std::int64_t entries, std::int64_t capacity, c10::Device device) {
  if (!tensor.defined()) return;
  std::vector<std::int64_t> sizes = tensor.sizes().vec();
  sizes[1] = capacity;
  at::Tensor larger = at::empty(sizes, tensor.options().device(device));
  if (entries > 0) larger.narrow(1, 0, entries).copy_(tensor.narrow(1, 0, entries));
  tensor = larger;
}

}  // namespace

RetrievalPool::RetrievalPool(const SegmentConfig& config, const ModelConfig& model, at::TensorOptions options,
                             std::int64_t expected_tokens)
    : layers_(static_cast<std::size_t>(model.layers)),
      device_(config.pool_on_host ? c10::Device(at::kCPU) : options.device()),
      sink_length_(config.sink_length) {
  options = options.device(device_);
  const auto value_bytes = static_cast<int>(options.dtype().itemsize());
  for (int l = 0; l < model.layers; ++l) {
    LayerPool& pool = layers_[static_cast<std::size_t>(l)];
    pool.kv_heads = pool_kv_heads(config, model, l);
    if (pool.kv_heads.empty()) continue;
    const std::int64_t slots = std::ssize(pool.kv_heads);
    if (config.search_scores == SearchScores::Centred && !search_heads(config, model, l).empty())
      pool.key_sums = at::zeros({slots, model.head_dim}, options.dtype(at::kDouble));
    pool.keys = ops::StoredKeys::empty(config.pool_keys, slots, model.head_dim, options);
    pool.values = at::empty({slots, 0, model.head_dim}, options);
    entry_bytes_ +=
        slots * (pool_key_bytes(config.pool_keys, model.head_dim, value_bytes) + model.head_dim * value_bytes);
  }
  const CostModel cost{model, config, value_bytes};
  segment_bytes_ = cost.activation_bytes(config.segment_length) + cost.segmented_attention_bytes();
  reserve(std::max<std::int64_t>(expected_tokens, config.segment_length));
}

std::vector<std::int32_t> LayerPool::slots_of(const std::vector<int>& kv_heads_wanted) const {
  std::vector<std::int32_t> slots;
  for (const int kv_head : kv_heads_wanted)
    slots.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(kv_heads, kv_head) - kv_heads.begin()));
  return slots;
}

at::Tensor LayerPool::mean_key(std::int64_t slot) const {
  return key_sums[slot] / static_cast<double>(std::max<std::int64_t>(1, summed));
}

std::int64_t RetrievalPool::bytes() const {
  return entries_ * entry_bytes_;
}

std::vector<at::Tensor> RetrievalPool::contents() const {
  std::vector<at::Tensor> all;
  for (const LayerPool& pool : layers_)
    for (const at::Tensor& tensor : {pool.keys.rows, pool.keys.scales, pool.values})
      if (tensor.defined()) all.push_back(tensor.narrow(1, 0, entries_));
  return all;
}

/// Returns true if the device has the memory for a pool of `tokens`, beside the present pool, which is copied, and for
/// running a segment. On the CPU this was checked when the run began, so the answer is true.
bool RetrievalPool::fits(std::int64_t tokens) const {
  if (device_.is_cpu() || entry_bytes_ == 0) return true;
  return tokens * entry_bytes_ + segment_bytes_ <= available_memory_bytes(device_);
}

void RetrievalPool::reserve(std::int64_t tokens) {
  try {
    if (fits(tokens)) return grow(tokens);
  } catch (const c10::OutOfMemoryError&) {  // the memory is fragmented
    if (device_.is_cpu()) throw;
  }
  print_error_line("carryover: the GPU has no memory for a pool of " + std::to_string(tokens) +
                   " tokens; it moves to host memory");
  device_ = at::kCPU;
  grow(tokens);
}

void RetrievalPool::grow(std::int64_t tokens) {
  for (LayerPool& pool : layers_)
    for (at::Tensor* tensor : {&pool.keys.rows, &pool.keys.scales, &pool.values})
      enlarge(*tensor, entries_, tokens, device_);
  capacity_ = tokens;
}

void RetrievalPool::visit(StateFields& fields, std::int64_t entries) {
  if (fields.reading() && entries > capacity_) reserve(entries);
  if (fields.reading() && entries > 0) sink_length_ = std::min(sink_length_, entries);
  fields.derived(entries_, entries);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    LayerPool& pool = layers_[l];
    const std::string prefix = field_prefix(static_cast<int>(l));
    const auto stored = [&](const char* name, const at::Tensor& rows) {
      if (!rows.defined()) return;
      at::Tensor held = rows.narrow(1, 0, entries);
      fields.tensor(prefix + "pool_" + name, held, held.sizes(), held.options());
    };
    stored("keys", pool.keys.rows);
    stored("scales", pool.keys.scales);
    stored("values", pool.values);
    if (!pool.key_sums.defined()) continue;
    fields.derived(pool.summed, std::max<std::int64_t>(0, entries - sink_length_));
    fields.tensor(prefix + "key_sums", pool.key_sums, pool.key_sums.sizes(), pool.key_sums.options());
  }
}

/// Adds the keys of the next m entries to the pool's sums. A copy of this pool may share the tensor of sums, so a new
/// tensor is made and the old one is left as it is.
void RetrievalPool::add_to_sums(LayerPool& pool, std::int64_t m) const {
  const std::int64_t first = std::max(entries_, sink_length_), count = entries_ + m - first;
  if (count <= 0) return;
  std::vector<at::Tensor> sums;
  for (std::int64_t slot = 0; slot < std::ssize(pool.kv_heads); ++slot)
    sums.push_back(pool.keys.upcast(slot, first, count).sum(0, false, at::kDouble));
  pool.key_sums = pool.key_sums + at::stack(sums).to(pool.key_sums.device());
  pool.summed += count;
}

void RetrievalPool::append(const std::vector<at::Tensor>& keys, const std::vector<at::Tensor>& values, std::int64_t m) {
  if (entries_ == 0) sink_length_ = std::min(sink_length_, m);  // a short prompt's segment may have fewer tokens
  if (entries_ + m > capacity_) reserve(std::max(entries_ + m, capacity_ + capacity_ / 2));
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (layers_[l].kv_heads.empty()) continue;
    CARRYOVER_CHECK(keys[l].defined() && keys[l].size(1) == m && !keys[l].requires_grad());
    layers_[l].keys.store(keys[l], entries_);
    layers_[l].values.narrow(1, entries_, m).copy_(values[l]);
    if (layers_[l].key_sums.defined()) add_to_sums(layers_[l], m);
  }
  entries_ += m;
}

}  // namespace carryover
