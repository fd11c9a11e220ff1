// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cuda/device_search.h"

#include <ATen/ATen.h>

#include <cstring>

#include "engine/base/error.h"
#include "engine/runtime/compute_type.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_copy.h"
#include "engine/runtime/device_list.h"
#include "kernels/pool_topk.h"
#include "kernels/select_hits.h"

namespace carryover::ops {

namespace {

/// Returns the norms over the last dimension, in fp32.
at::Tensor norms(const at::Tensor& rows) {
  return rows.norm(2, {-1}, false, compute_type(rows.scalar_type())).to(at::kFloat);
}

/// Returns the norms of the ranked keys; where no key was ranked, the norm of any key.
at::Tensor norms_of(const at::Tensor& keys, const at::Tensor& indices, const std::vector<std::int32_t>& head_slot) {
  const std::int64_t d = keys.size(2), capacity = keys.stride(0) / d;  // a view may leave out a slot's first entries
  std::vector<std::int64_t> first_row(head_slot.begin(), head_slot.end());
  for (std::int64_t& row : first_row) row *= capacity;
  const at::Tensor rows = indices.clamp_min(0) + device_list(first_row, keys.device()).view({-1, 1, 1});
  const at::Tensor all = keys.as_strided({(keys.size(0) - 1) * capacity + keys.size(1), d}, {d, 1});
  return norms(all.index_select(0, rows.flatten())).view(indices.sizes());
}

/// Returns the values of a tensor that begins at `bytes`, and moves `bytes` behind it.
template <typename T>
std::vector<T> take(const std::uint8_t*& bytes, const at::Tensor& tensor) {
  std::vector<T> taken(static_cast<std::size_t>(tensor.numel()));
  std::memcpy(taken.data(), bytes, tensor.nbytes());
  bytes += tensor.nbytes();
  return taken;
}

}  // namespace

bool ranks_on_device(std::int64_t k, std::int64_t head_dim) {
  return k <= kernels::pool_topk_max_k && head_dim <= kernels::pool_topk_max_head_dim;
}

DeviceRanking rank_on_device(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  const std::int64_t heads = summaries.size(0), n = summaries.size(1), d = keys.size(2);
  if (!ranks_on_device(k, d))
    throw EngineError(Fault::Unsupported, "top_k", "the GPU keeps at most 63 keys a summary, for heads of up to 256",
                      "Choose a top_k of at most 63, pool_on_host, or --device cpu.");
  const at::Tensor queries = summaries.to(at::kFloat).contiguous();
  const at::Tensor slots = device_list(head_slot, keys.device());
  DeviceRanking ranking{at::empty({heads, n, k}, queries.options()),
                        at::empty({heads, n, k}, queries.options().dtype(at::kLong))};
  kernels::PoolTopk args{};
  args.keys = keys.const_data_ptr();
  args.key_type = element_of(keys.scalar_type());
  args.slot_stride = keys.stride(0);
  args.entries = entries;
  args.summaries = queries.const_data_ptr<float>();
  args.head_slot = slots.const_data_ptr<std::int32_t>();
  args.heads = static_cast<std::int32_t>(heads);
  args.summary_count = static_cast<std::int32_t>(n);
  args.head_dim = static_cast<std::int32_t>(d);
  args.k = static_cast<std::int32_t>(k);
  args.scores = ranking.scores.mutable_data_ptr<float>();
  args.indices = ranking.indices.mutable_data_ptr<std::int64_t>();
  const at::Tensor scratch =
      at::empty({cuda_kernels().pool_topk_workspace_bytes(args)}, queries.options().dtype(at::kByte));
  args.workspace = scratch.mutable_data_ptr();
  check_cuda(cuda_kernels().pool_topk(args, current_stream(keys.device())), "pool_topk");
  return ranking;
}

bool selects_on_device(std::int64_t summaries, std::int64_t k, std::int64_t length) {
  return summaries * k <= kernels::select_hits_max_candidates && length <= kernels::select_hits_max_length;
}

DeviceSearch search_on_device(const at::Tensor& keys, std::int64_t entries, const at::Tensor& summaries,
                              const std::vector<std::int32_t>& head_slot, std::int64_t k, const SelectionRule& rule) {
  const std::int64_t heads = summaries.size(0), length = std::min(rule.length, entries);
  CARRYOVER_CHECK(rule.banned.empty() && selects_on_device(summaries.size(1), k, length));
  DeviceSearch search;
  search.ranking = rank_on_device(keys, entries, summaries, head_slot, k + 1);
  search.key_norms = norms_of(keys, search.ranking.indices, head_slot);
  search.summary_norms = norms(summaries);
  search.positions = at::empty({heads, length}, search.ranking.indices.options());
  search.origins = at::empty({heads, length}, search.ranking.indices.options().dtype(at::kInt));
  kernels::SelectHits args{};
  args.scores = search.ranking.scores.const_data_ptr<float>();
  args.indices = search.ranking.indices.const_data_ptr<std::int64_t>();
  args.heads = static_cast<std::int32_t>(heads);
  args.summaries = static_cast<std::int32_t>(summaries.size(1));
  args.kept = static_cast<std::int32_t>(k);
  args.row_stride = static_cast<std::int32_t>(k + 1);
  args.entries = entries;
  args.anchors = rule.anchors;
  args.expand_before = rule.expand_before;
  args.expand_after = rule.expand_after;
  args.length = static_cast<std::int32_t>(length);
  args.positions = search.positions.mutable_data_ptr<std::int64_t>();
  args.origins = search.origins.mutable_data_ptr<std::int32_t>();
  check_cuda(cuda_kernels().select_hits(args, current_stream(keys.device())), "select_hits");
  return search;
}

std::vector<FoundHits> to_host(std::span<const DeviceSearch> searches) {
  if (searches.empty()) return {};
  std::vector<at::Tensor> parts;
  for (const DeviceSearch& search : searches)
    for (const at::Tensor& tensor : {search.ranking.scores, search.ranking.indices, search.key_norms,
                                     search.summary_norms, search.positions, search.origins})
      parts.push_back(tensor.flatten().view(at::kByte));
  const at::Tensor all = download({at::cat(parts)}).front();
  const std::uint8_t* bytes = all.const_data_ptr<std::uint8_t>();
  std::vector<FoundHits> found;
  for (const DeviceSearch& search : searches) {
    FoundHits& hits = found.emplace_back();
    const std::vector<float> scores = take<float>(bytes, search.ranking.scores);
    hits.ranked = {search.ranking.scores.size(2), {scores.begin(), scores.end()}, {}};
    hits.ranked.indices = take<std::int64_t>(bytes, search.ranking.indices);
    hits.key_norms = take<float>(bytes, search.key_norms);
    hits.summary_norms = take<float>(bytes, search.summary_norms);
    hits.positions = take<std::int64_t>(bytes, search.positions);
    const std::vector<std::int32_t> origins = take<std::int32_t>(bytes, search.origins);
    hits.origins = {origins.begin(), origins.end()};
  }
  return found;
}

}  // namespace carryover::ops
