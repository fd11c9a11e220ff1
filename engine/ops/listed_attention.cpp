// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/listed_attention.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/base/attention_scale.h"
#include "engine/base/error.h"
#include "engine/ops/prefix_attention.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_copy.h"
#include "engine/runtime/device_list.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kMostLanes = kernels::list_attention_max_lanes;

/// Returns true if the last dimension is dense and each of its rows begins at a multiple of 16 bytes, or if the tensor
/// is undefined.
bool reads_in_packs(const at::Tensor& rows) {
  if (!rows.defined()) return true;
  bool whole = reinterpret_cast<std::uintptr_t>(rows.const_data_ptr()) % 16 == 0 && rows.stride(-1) == 1;
  for (std::int64_t dim = 0; dim + 1 < rows.dim(); ++dim)
    whole = whole && (rows.size(dim) == 1 || rows.stride(dim) * static_cast<std::int64_t>(rows.itemsize()) % 16 == 0);
  return whole;
}

bool is_taken(const PrefixAttention& a) {
  const c10::ScalarType type = a.queries.scalar_type();
  if (type != at::kFloat && type != at::kBFloat16) return false;
  if (a.index != nullptr && a.index->shared && a.queries.size(1) > kMostLanes) return false;
  return kernels::list_attention_takes(element_of(type), a.queries.size(3)) && reads_in_packs(a.queries) &&
         reads_in_packs(a.window.sink_queries) && reads_in_packs(a.prefix_keys) && reads_in_packs(a.prefix_values) &&
         reads_in_packs(a.keys) && reads_in_packs(a.values);
}

/// The lists of an index in the form that the kernel reads: in one block of memory on the device.
struct UploadedLists {
  at::Tensor words;
  std::int64_t tiles = 0, row_lists = 0, most_queries = 0;
  const kernels::QueryTile* tile = nullptr;
  const kernels::KeyList* list = nullptr;
  const kernels::KeyRun* run = nullptr;
};

/// Returns tiles of at most 64 queries; those of one tile of the index have its list.
std::vector<kernels::QueryTile> tiles_of(const KeyIndex& index) {
  std::vector<kernels::QueryTile> tiles;
  for (std::int64_t tile = 0; tile < index.tiles(); ++tile)
    for (std::int64_t first = index.first(tile); first < index.end(tile); first += kMostLanes)
      tiles.push_back({static_cast<std::int32_t>(first),
                       static_cast<std::int32_t>(std::min(kMostLanes, index.end(tile) - first)),
                       static_cast<std::int32_t>(tile)});
  return tiles;
}

/// Returns the number of ranges of a list that begin before `end`.
std::int64_t ranges_before(const std::vector<KeyRange>& list, std::int64_t end) {
  return std::partition_point(list.begin(), list.end(), [&](const KeyRange& range) { return range.first < end; }) -
         list.begin();
}

/// Writes the runs of lists, cut at the last query's own key, and how many keys these have.
void write_runs(const KeyIndex& index, std::int64_t place, std::vector<kernels::KeyList>& lists, std::int32_t* runs) {
  parallel_for(0, std::ssize(lists), 64, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const std::int64_t end = place + index.end(static_cast<std::int64_t>(i) % index.tiles());
      std::int32_t* to = runs + 2 * std::int64_t{lists[i].first_run};
      for (std::int32_t r = 0; r < lists[i].runs; ++r) {
        const KeyRange& range = index.lists[i][static_cast<std::size_t>(r)];
        *to++ = range.first;
        *to++ = lists[i].keys;
        lists[i].keys += static_cast<std::int32_t>(std::min<std::int64_t>(range.end, end) - range.first);
      }
    }
  });
}

/// Copies an index to the device. `place`: position of the first query in [prefix; segment].
UploadedLists upload_lists(const KeyIndex& index, std::int64_t place, c10::Device device) {
  const std::vector<kernels::QueryTile> tiles = tiles_of(index);
  std::vector<kernels::KeyList> lists(index.lists.size());
  std::int64_t runs = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::int64_t tile = static_cast<std::int64_t>(i) % index.tiles();
    const std::int64_t count = ranges_before(index.lists[i], place + index.end(tile));
    lists[i] = {static_cast<std::int32_t>(runs), static_cast<std::int32_t>(count), 0};
    runs += count;
  }
  CARRYOVER_CHECK(runs < std::numeric_limits<std::int32_t>::max());
  const auto words_of = [](const auto& all) { return static_cast<std::int64_t>(all.size() * sizeof(all[0]) / 4); };
  const std::int64_t to_lists = words_of(tiles),
                     to_runs = (to_lists + words_of(lists) + 1) / 2 * 2;  // runs are read as 8 bytes
  const at::Tensor words = at::empty({to_runs + 2 * runs}, at::TensorOptions().dtype(at::kInt));
  auto* const begin = words.mutable_data_ptr<std::int32_t>();
  write_runs(index, place, lists, begin + to_runs);
  std::memcpy(begin, tiles.data(), tiles.size() * sizeof tiles[0]);
  std::memcpy(begin + to_lists, lists.data(), lists.size() * sizeof lists[0]);
  UploadedLists uploaded{upload(words, device), std::ssize(tiles), index.tiles()};
  for (const kernels::QueryTile& tile : tiles)
    uploaded.most_queries = std::max<std::int64_t>(uploaded.most_queries, tile.count);
  const auto* const there = uploaded.words.const_data_ptr<std::int32_t>();
  uploaded.tile = reinterpret_cast<const kernels::QueryTile*>(there);
  uploaded.list = reinterpret_cast<const kernels::KeyList*>(there + to_lists);
  uploaded.run = reinterpret_cast<const kernels::KeyRun*>(there + to_runs);
  return uploaded;
}

void take_lists(kernels::ListAttention& args, const KeyIndex& index, const UploadedLists& lists, std::int64_t r) {
  args.heads_together = static_cast<std::int32_t>(index.shared ? r : 1);
  args.most_together = static_cast<std::int32_t>(args.heads_together > 1 ? r : lists.most_queries);
  CARRYOVER_CHECK(index.rows * args.heads_together == args.heads && index.queries == args.query_count);
  CARRYOVER_CHECK(args.heads_together == 1 || lists.most_queries == 1);
  args.tile_count = static_cast<std::int32_t>(lists.tiles);
  args.row_lists = static_cast<std::int32_t>(lists.row_lists);
  args.tiles = lists.tile;
  args.lists = lists.list;
  args.runs = lists.run;
  args.bands[0] = {0, args.prefix_length + args.length, 0, kernels::unlimited_reach, false};
  args.band_count = 1;
}

/// Adds the parts of a window: the sinks; the copies, which a query sees instead of keys out of its window; and the
/// window's keys (split_window()).
void take_window(kernels::ListAttention& args, const AttentionWindow& window) {
  const std::int64_t all = std::int64_t{args.prefix_length} + args.length, sinks = std::min(window.sinks, all),
                     apart = std::min(sinks + window.far, all);
  const bool own_queries = window.sink_queries.defined();
  const auto add = [&](std::int64_t first, std::int64_t end, std::int64_t least, std::int64_t reach, bool read_apart) {
    if (first >= end) return;
    const auto bounded = [](std::int64_t n) {
      return static_cast<std::int32_t>(std::min<std::int64_t>(n, kernels::unlimited_reach));
    };
    args.bands[args.band_count++] = {static_cast<std::int32_t>(first), static_cast<std::int32_t>(end), bounded(least),
                                     bounded(reach), read_apart};
  };
  add(0, sinks, 0, kernels::unlimited_reach, own_queries);
  add(sinks, apart, window.length + window.far, kernels::unlimited_reach, own_queries);
  add(apart, all, 0, window.sees_all() ? kernels::unlimited_reach : window.length, false);
  args.heads_together = 1;
  args.most_together = static_cast<std::int32_t>(std::min<std::int64_t>(args.query_count, kMostLanes));
  args.tile_count = static_cast<std::int32_t>((args.query_count + kMostLanes - 1) / kMostLanes);
}

/// Returns the stride of a dimension, or 0 if the dimension has a single entry, whatever the tensor says.
std::int64_t step_of(const at::Tensor& rows, std::int64_t dim) {
  return rows.size(dim) > 1 ? rows.stride(dim) : 0;
}

/// Returns queries by head, [heads, m, d].
kernels::QueryRows query_rows(const at::Tensor& queries) {
  return {queries.const_data_ptr(), step_of(queries, 0), step_of(queries, 1)};
}

/// Returns keys and values by row, [rows, n, d]. `row`: the row that each head reads.
kernels::KvRows rows_of_heads(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& row) {
  return {
      keys.const_data_ptr(), values.const_data_ptr(),           step_of(keys, 0), step_of(keys, 1), step_of(values, 0),
      step_of(values, 1),    row.const_data_ptr<std::int32_t>()};
}

/// Returns for each of G · r heads the row of [G, r or 1] that it reads.
at::Tensor row_of_head(const at::Tensor& kv, std::int64_t r) {
  std::vector<std::int32_t> rows;
  for (std::int64_t head = 0; head < kv.size(0) * r; ++head)
    rows.push_back(static_cast<std::int32_t>(kv.size(1) == 1 ? head / r : head));
  return device_list(rows, kv.device());
}

}  // namespace

bool attends_by_lists(const PrefixAttention& a) {
  const bool has_no_other_kernel = a.index != nullptr || !a.window.sees_all() || a.score_cap != 0;
  return has_no_other_kernel && takes_kernels(a.queries.device()) && !at::GradMode::is_enabled() && is_taken(a);
}

std::pair<at::Tensor, at::Tensor> attend_by_lists(const PrefixAttention& a) {
  const std::int64_t G = a.queries.size(0), r = a.queries.size(1), m = a.queries.size(2), d = a.queries.size(3);
  const c10::Device device = a.queries.device();
  const bool has_prefix = a.prefix_keys.defined() && a.prefix_keys.size(2) > 0;
  const auto by_row = [](const at::Tensor& rows) { return rows.defined() ? rows.flatten(0, 1) : rows; };
  const at::Tensor queries = by_row(a.queries), sink_queries = by_row(a.window.sink_queries), keys = by_row(a.keys),
                   values = by_row(a.values), prefix_keys = by_row(a.prefix_keys),
                   prefix_values = by_row(a.prefix_values), row = row_of_head(a.keys, r),
                   prefix_row = has_prefix ? row_of_head(a.prefix_keys, r) : row;
  kernels::ListAttention args{};
  args.queries = query_rows(queries);
  if (sink_queries.defined()) args.apart_queries = query_rows(sink_queries);
  if (has_prefix) args.prefix = rows_of_heads(prefix_keys, prefix_values, prefix_row);
  args.segment = rows_of_heads(keys, values, row);
  args.type = element_of(queries.scalar_type());
  args.heads = static_cast<std::int32_t>(G * r);
  args.query_count = static_cast<std::int32_t>(m);
  args.prefix_length = static_cast<std::int32_t>(has_prefix ? prefix_keys.size(1) : 0);
  args.length = static_cast<std::int32_t>(keys.size(1));
  args.head_dim = static_cast<std::int32_t>(d);
  args.scale = attention_scale<float>(d);
  args.cap = static_cast<float>(a.score_cap);
  UploadedLists lists;
  if (a.index != nullptr) {
    lists = upload_lists(*a.index, args.prefix_length + args.length - m, device);
    take_lists(args, *a.index, lists, r);
  } else {
    take_window(args, a.window);
  }
  // Memory is [m, G·r, d]: the rows of the next matmul, without a copy.
  at::Tensor out = at::empty_strided({G, r, m, d}, {r * d, d, G * r * d, 1}, queries.options()),
             log_sums = at::empty({G, r, m}, queries.options().dtype(at::kFloat));
  args.output = out.mutable_data_ptr();
  args.log_sums = log_sums.mutable_data_ptr<float>();
  const at::Tensor scratch =
      at::empty({cuda_kernels().list_attention_workspace_bytes(args)}, queries.options().dtype(at::kByte));
  args.workspace = scratch.mutable_data_ptr();
  check_cuda(cuda_kernels().list_attention(args, current_stream(device)), "list_attention");
  return {out, log_sums};
}

}  // namespace carryover::ops
