// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of pool_topk, without launches: compiled by nvcc in pool_topk.cu, and by the tests, which run them on the
// CPU (tests/support/kernels/cuda_on_cpu.h).
//
// Two passes. score_chunks: a block takes one head, one group of 16 summaries and one chunk of the pool; it walks the
// chunk in tiles of 256 keys. A thread scores four keys with four summaries, because reading shared memory takes longer
// than multiplying; then each of the 8 warps keeps the best 64 of two summaries in its lanes' registers. merge_chunks:
// a warp takes the chunks' lists of one summary to the final k. better() is a strict total order, so neither the
// chunking nor the order of insertion can change the result.
#pragma once
#include "kernels/cuda/packs.h"
#include "kernels/cuda/shared_memory.h"
#include "kernels/cuda/warp.h"
#include "kernels/pool_topk.h"
#include "kernels/ranked.h"

namespace carryover::kernels {

inline constexpr int score_threads = 256;
inline constexpr int merge_threads = 128;
inline constexpr int tile_keys = 256;
inline constexpr int group_summaries = 16;
inline constexpr int keys_per_thread = 4, summaries_per_thread = 4;
inline constexpr int key_columns = tile_keys / keys_per_thread;  ///< a thread's keys are this far apart
inline constexpr int lists_per_warp = group_summaries / (score_threads / warp_size);
static_assert(score_threads * keys_per_thread * summaries_per_thread == tile_keys * group_summaries);
static_assert(key_columns % warp_size == 0);                   // the lanes of a warp score the same summaries
static_assert(pool_topk_max_rows / group_summaries <= 65535);  // limit of a grid's third dimension
inline constexpr int slots_per_lane = pool_topk_max_k / warp_size;

inline std::int64_t summary_groups(const PoolTopk& args) {
  return (args.summary_count + group_summaries - 1) / group_summaries;
}

/// The division of the pool into chunks of whole tiles. There are at most 256, so that merging stays short for millions
/// of entries. Beyond enough blocks for a large GPU, more chunks only fill more lists.
struct PoolChunks {
  std::int64_t chunk_keys;
  std::int32_t count;
};
inline PoolChunks cut_pool(const PoolTopk& args) {
  constexpr std::int64_t enough_blocks = 1024, least_keys = 4 * tile_keys;
  const std::int64_t blocks = args.heads * summary_groups(args) > 0 ? args.heads * summary_groups(args) : 1;
  const std::int64_t wanted = (enough_blocks + blocks - 1) / blocks, chunks = wanted < 256 ? wanted : 256;
  const std::int64_t keys = (args.entries + chunks - 1) / chunks,
                     whole = (keys + tile_keys - 1) / tile_keys * tile_keys;
  const std::int64_t chunk_keys = whole < least_keys ? least_keys : whole;
  return {chunk_keys, static_cast<std::int32_t>((args.entries + chunk_keys - 1) / chunk_keys)};
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
/// than their length, so that the 32 lanes of a warp read 32 banks. The scores take the place of keys that have been
/// read.
template <typename T>
struct ScoreTile {
  static constexpr int channels = sizeof(Opmath<T>) == 8 ? 8 : 16;
  alignas(16) float summaries[pool_topk_max_head_dim][group_summaries];
  union {
    Opmath<T> keys[tile_keys][channels + 1];
    float scores[group_summaries][tile_keys];
  };
};

template <typename T>
__device__ void load_summaries(ScoreTile<T>& tile, const PoolTopk& args, std::int32_t head, std::int32_t first) {
  for (int i = threadIdx.x; i < group_summaries * pool_topk_max_head_dim; i += score_threads) {
    const int s = i / pool_topk_max_head_dim, c = i % pool_topk_max_head_dim;
    const bool present = first + s < args.summary_count && c < args.head_dim;
    const std::int64_t row = static_cast<std::int64_t>(head) * args.summary_count + first + s;
    tile.summaries[c][s] = present ? args.summaries[row * args.head_dim + c] : 0.0f;
  }
}

/// Loads channels first..first+channels-1 of `count` keys, 16 bytes at a time where these are aligned; zeros beyond the
/// keys and beyond head_dim.
template <typename T>
__device__ void load_keys(ScoreTile<T>& tile, const T* keys, int count, int first, int head_dim) {
  constexpr int width = 16 / sizeof(T), packs = ScoreTile<T>::channels / width;
  const bool whole = head_dim % width == 0 && aligned(keys);
  for (int i = threadIdx.x; i < tile_keys * packs; i += score_threads) {
    const int key = i / packs, c = i % packs * width;
    const T* const from = keys + static_cast<std::int64_t>(key) * head_dim + first + c;
    const int present = key < count ? head_dim - first - c : 0;
    if (whole && present > 0) {
      const auto pack = *reinterpret_cast<const Pack<T, width>*>(from);
      for (int w = 0; w < width; ++w) tile.keys[key][c + w] = to_opmath(pack.values[w]);
    } else {
      for (int w = 0; w < width; ++w) tile.keys[key][c + w] = w < present ? to_opmath(from[w]) : Opmath<T>(0);
    }
  }
}

/// Fills tile.scores for the tile's keys. At the end the scores are visible to the block.
template <typename T>
__device__ void score_tile(ScoreTile<T>& tile, const T* keys, int count, int head_dim) {
  constexpr int channels = ScoreTile<T>::channels;
  const int column = threadIdx.x % key_columns, first_summary = threadIdx.x / key_columns * summaries_per_thread;
  Opmath<T> sums[keys_per_thread][summaries_per_thread] = {};
  for (int first = 0; first < head_dim; first += channels) {
    __syncthreads();  // the keys, or the scores, that were here have been read
    load_keys(tile, keys, count, first, head_dim);
    __syncthreads();
    CARRYOVER_UNROLL
    for (int c = 0; c < channels; ++c) {
      const auto summaries =
          *reinterpret_cast<const Pack<float, summaries_per_thread>*>(&tile.summaries[first + c][first_summary]);
      CARRYOVER_UNROLL
      for (int j = 0; j < keys_per_thread; ++j) {
        const Opmath<T> element = tile.keys[column + j * key_columns][c];
        CARRYOVER_UNROLL
        for (int s = 0; s < summaries_per_thread; ++s)
          sums[j][s] += static_cast<Opmath<T>>(summaries.values[s]) * element;
      }
    }
  }
  __syncthreads();  // the keys have been read: the scores take their place
  CARRYOVER_UNROLL
  for (int j = 0; j < keys_per_thread; ++j)
    for (int s = 0; s < summaries_per_thread; ++s)
      tile.scores[first_summary + s][column + j * key_columns] = static_cast<float>(sums[j][s]);
  __syncthreads();
}

/// Adds the tile's scores of one summary to its list.
template <typename T>
__device__ void keep_best(const ScoreTile<T>& tile, WarpList& list, int summary, int count, std::int64_t base, int k) {
  const int lane = threadIdx.x % warp_size;
  for (int first = 0; first < count; first += warp_size) {
    const int key = first + lane;
    const Ranked mine = {tile.scores[summary][key], static_cast<std::int32_t>(base + key)};
    offer(list, key < count ? mine : no_entry(), k, lane);
  }
}

/// partial: [heads, summary_count, chunks, k], each list sorted. Grid: (chunks, heads, groups of 16 summaries).
template <typename T>
__global__ void __launch_bounds__(score_threads)
    score_chunks(const PoolTopk args, const std::int64_t chunk_keys, Ranked* const partial) {
  auto& tile = shared_memory<ScoreTile<T>>();
  const int lane = threadIdx.x % warp_size, first_list = threadIdx.x / warp_size * lists_per_warp;
  const std::int32_t head = blockIdx.y, first_summary = blockIdx.z * group_summaries;
  const std::int32_t summaries = args.summary_count - first_summary;  // more than a group, except in the last one
  const std::int64_t begin = blockIdx.x * chunk_keys;
  const std::int64_t end = begin + chunk_keys < args.entries ? begin + chunk_keys : args.entries;
  const T* slot = static_cast<const T*>(args.keys) + args.head_slot[head] * args.slot_stride;

  load_summaries(tile, args, head, first_summary);  // visible after score_tile's first barrier
  WarpList lists[lists_per_warp];
  CARRYOVER_UNROLL
  for (int l = 0; l < lists_per_warp; ++l) lists[l] = empty_list();
  for (std::int64_t base = begin; base < end; base += tile_keys) {
    const int count = end - base < tile_keys ? static_cast<int>(end - base) : tile_keys;
    score_tile(tile, slot + base * args.head_dim, count, args.head_dim);
    CARRYOVER_UNROLL
    for (int l = 0; l < lists_per_warp; ++l)
      if (first_list + l < summaries) keep_best(tile, lists[l], first_list + l, count, base, args.k);
  }

  CARRYOVER_UNROLL
  for (int l = 0; l < lists_per_warp; ++l) {
    if (first_list + l >= summaries) continue;
    const std::int64_t row = static_cast<std::int64_t>(head) * args.summary_count + first_summary + first_list + l;
    Ranked* const kept = partial + (row * gridDim.x + blockIdx.x) * args.k;
    for (int j = 0; j < slots_per_lane; ++j)
      if (lane + j * warp_size < args.k) kept[lane + j * warp_size] = lists[l].best[j];
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
