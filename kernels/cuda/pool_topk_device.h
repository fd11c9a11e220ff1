// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of pool_topk, without launches: compiled by nvcc in pool_topk.cu, and by the tests, which run them on the
// CPU (tests/support/cuda_on_cpu.h).
//
// Two passes. score_chunks: a block takes one head, one group of 16 summaries and one chunk of the pool; it walks the
// chunk in tiles of 128 keys, and each of its 16 warps keeps the best 64 of one summary in its lanes' registers.
// merge_chunks: a warp takes the chunks' lists of one summary to the final k. better() is a strict total order, so
// neither the chunking nor the order of insertion can change the result.
#pragma once
#include "kernels/cuda/shared_memory.h"
#include "kernels/cuda/warp.h"
#include "kernels/pool_topk.h"
#include "kernels/ranked.h"

namespace carryover::kernels {

inline constexpr int score_threads = 512;
inline constexpr int merge_threads = 128;
inline constexpr int tile_keys = 128;
inline constexpr int group_summaries = 16;
inline constexpr int summaries_per_thread = group_summaries * tile_keys / score_threads;
static_assert(score_threads / warp_size == group_summaries);   // one warp per summary
static_assert(pool_topk_max_rows / group_summaries <= 65535);  // limit of a grid's third dimension
inline constexpr int slots_per_lane = pool_topk_max_k / warp_size;

/// The division of the pool into chunks of whole tiles, at most 256, so that merging stays short for millions of
/// entries.
struct PoolChunks {
  std::int64_t chunk_keys;
  std::int32_t count;
};
inline PoolChunks cut_pool(std::int64_t entries) {
  const std::int64_t keys = (entries + 255) / 256;
  const std::int64_t whole = (keys + tile_keys - 1) / tile_keys * tile_keys;
  const std::int64_t chunk_keys = whole < 8 * tile_keys ? 8 * tile_keys : whole;
  return {chunk_keys, static_cast<std::int32_t>((entries + chunk_keys - 1) / chunk_keys)};
}

/// The best 64 entries that a warp has seen, sorted: slot (lane + 32·j) is best[j] of that lane. All 32 lanes call each
/// function.
struct WarpList {
  Ranked best[slots_per_lane];
};

/// Returns the entry of another lane, with one shuffle for both halves.
__device__ inline Ranked from_lane(Ranked mine, int lane) {
  static_assert(sizeof(Ranked) == sizeof(unsigned long long));
  unsigned long long packed;
  memcpy(&packed, &mine, sizeof packed);
  packed = __shfl_sync(full_warp, packed, lane);
  memcpy(&mine, &packed, sizeof packed);
  return mine;
}

__device__ inline WarpList empty_list() {
  WarpList list;
  for (int j = 0; j < slots_per_lane; ++j) list.best[j] = no_entry();
  return list;
}

__device__ inline void insert(WarpList& list, Ranked candidate, int lane) {
  Ranked before_row = candidate;  // the last entry of the row before; slot 0 has none
  for (int j = 0; j < slots_per_lane; ++j) {
    const Ranked own = list.best[j];
    const Ranked neighbour = from_lane(own, (lane + warp_size - 1) % warp_size);  // lane 0 gets the last entry of this
                                                                                  // row
    list.best[j] = slot_after_insert(own, lane == 0 ? before_row : neighbour, candidate);
    before_row = neighbour;
  }
}

__device__ inline Ranked kth(const WarpList& list, int k) {
  Ranked row = list.best[0];
  for (int j = 1; j < slots_per_lane; ++j) {  // a constant index keeps the list in registers
    if ((k - 1) / warp_size == j) row = list.best[j];
  }
  return from_lane(row, (k - 1) % warp_size);
}

/// Each lane offers one entry (or no_entry()). Those that still beat the k-th are inserted, one after the other.
__device__ inline void offer(WarpList& list, Ranked mine, int k, int lane) {
  Ranked worst_kept = kth(list, k);
  unsigned waiting = __ballot_sync(full_warp, better(mine, worst_kept));
  while (waiting != 0) {
    const int source = __ffs(static_cast<int>(waiting)) - 1;
    insert(list, from_lane(mine, source), lane);
    worst_kept = kth(list, k);
    waiting = __ballot_sync(full_warp, lane > source && better(mine, worst_kept));
  }
}

/// The shared memory of a score_chunks block, at most 48 KiB. Keys are upcast, and their stride is one channel more
/// than their length, so that the 32 lanes of a warp read 32 banks.
template <typename T>
struct ScoreTile {
  static constexpr int channels = sizeof(Opmath<T>) == 8 ? 16 : 32;
  float summaries[group_summaries][pool_topk_max_head_dim];
  Opmath<T> keys[tile_keys][channels + 1];
  float scores[group_summaries][tile_keys];
};

template <typename T>
__device__ void load_summaries(ScoreTile<T>& tile, const PoolTopk& args, std::int32_t head, std::int32_t first) {
  for (int i = threadIdx.x; i < group_summaries * pool_topk_max_head_dim; i += score_threads) {
    const int s = i / pool_topk_max_head_dim, c = i % pool_topk_max_head_dim;
    const bool present = first + s < args.summary_count && c < args.head_dim;
    const std::int64_t row = static_cast<std::int64_t>(head) * args.summary_count + first + s;
    tile.summaries[s][c] = present ? args.summaries[row * args.head_dim + c] : 0.0f;
  }
}

/// Loads channels first..first+channels-1 of `count` keys; zeros beyond the keys and beyond head_dim.
template <typename T>
__device__ void load_keys(ScoreTile<T>& tile, const T* keys, int count, int first, int head_dim) {
  constexpr int channels = ScoreTile<T>::channels;
  for (int i = threadIdx.x; i < tile_keys * channels; i += score_threads) {
    const int key = i / channels, c = i % channels;
    const bool present = key < count && first + c < head_dim;
    tile.keys[key][c] = present ? to_opmath(keys[static_cast<std::int64_t>(key) * head_dim + first + c]) : Opmath<T>(0);
  }
}

/// Fills tile.scores for the tile's keys. A thread multiplies one key with four summaries. At the end the scores are
/// visible to the block.
template <typename T>
__device__ void score_tile(ScoreTile<T>& tile, const T* keys, int count, int head_dim) {
  constexpr int channels = ScoreTile<T>::channels;
  const int key = threadIdx.x % tile_keys;
  const int first_summary = threadIdx.x / tile_keys * summaries_per_thread;
  Opmath<T> sums[summaries_per_thread] = {};
  for (int first = 0; first < head_dim; first += channels) {
    load_keys(tile, keys, count, first, head_dim);
    __syncthreads();
    for (int c = 0; c < channels; ++c) {
      const Opmath<T> element = tile.keys[key][c];
      for (int s = 0; s < summaries_per_thread; ++s) {
        sums[s] += static_cast<Opmath<T>>(tile.summaries[first_summary + s][first + c]) * element;
      }
    }
    __syncthreads();
  }
  for (int s = 0; s < summaries_per_thread; ++s) {
    tile.scores[first_summary + s][key] = static_cast<float>(sums[s]);
  }
  __syncthreads();
}

/// Adds the tile's scores to the list of the warp's summary. Slower warps may still read scores when a fast one
/// continues: the next tile writes them only after two more barriers.
template <typename T>
__device__ void keep_best(const ScoreTile<T>& tile, WarpList& list, int count, std::int64_t base, int k) {
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  for (int first = 0; first < tile_keys; first += warp_size) {
    const int key = first + lane;
    const Ranked mine = {tile.scores[warp][key], static_cast<std::int32_t>(base + key)};
    offer(list, key < count ? mine : no_entry(), k, lane);
  }
}

/// partial: [heads, summary_count, chunks, k], each list sorted. Grid: (chunks, heads, groups of 16 summaries).
template <typename T>
__global__ void __launch_bounds__(score_threads)
    score_chunks(const PoolTopk args, const std::int64_t chunk_keys, Ranked* const partial) {
  auto& tile = shared_memory<ScoreTile<T>>();
  const std::int32_t head = blockIdx.y, first_summary = blockIdx.z * group_summaries;
  const std::int64_t begin = blockIdx.x * chunk_keys;
  const std::int64_t end = begin + chunk_keys < args.entries ? begin + chunk_keys : args.entries;
  const T* slot = static_cast<const T*>(args.keys) + args.head_slot[head] * args.slot_stride;

  load_summaries(tile, args, head, first_summary);  // visible after score_tile's first barrier
  WarpList list = empty_list();
  for (std::int64_t base = begin; base < end; base += tile_keys) {
    const int count = end - base < tile_keys ? static_cast<int>(end - base) : tile_keys;
    score_tile(tile, slot + base * args.head_dim, count, args.head_dim);
    keep_best(tile, list, count, base, args.k);
  }

  const int lane = threadIdx.x % warp_size;
  const std::int32_t summary = first_summary + static_cast<std::int32_t>(threadIdx.x) / warp_size;
  if (summary >= args.summary_count) return;
  const std::int64_t row = static_cast<std::int64_t>(head) * args.summary_count + summary;
  Ranked* kept = partial + (row * gridDim.x + blockIdx.x) * args.k;
  for (int j = 0; j < slots_per_lane; ++j) {
    if (lane + j * warp_size < args.k) kept[lane + j * warp_size] = list.best[j];
  }
}

/// Runs one warp for each of `rows` = heads · summary_count lists. All lanes of a warp return, or none.
static __global__ void __launch_bounds__(merge_threads)
    merge_chunks(const PoolTopk args, const std::int64_t rows, const std::int32_t chunks, const Ranked* const partial) {
  const int lane = threadIdx.x % warp_size;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * merge_threads + threadIdx.x) / warp_size;
  if (row >= rows) return;
  const std::int64_t count = static_cast<std::int64_t>(chunks) * args.k;
  const Ranked* candidates = partial + row * count;
  WarpList list = empty_list();
  for (std::int64_t first = 0; first < count; first += warp_size) {
    offer(list, first + lane < count ? candidates[first + lane] : no_entry(), args.k, lane);
  }
  for (int j = 0; j < slots_per_lane; ++j) {
    const int rank = lane + j * warp_size;
    if (rank >= args.k) continue;
    const bool filled = list.best[j].index != no_index;
    args.scores[row * args.k + rank] = list.best[j].score;
    args.indices[row * args.k + rank] = filled ? list.best[j].index : -1;
  }
}

}  // namespace carryover::kernels
