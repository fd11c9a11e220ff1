// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of list_attention, without launches (see pool_topk_device.h).
//
// attend_tiles: a block takes a tile of queries and a part of the keys that they may see, which it gathers into shared
// memory a step at a time; each warp multiplies 16 queries with them, by tensor cores where they are bf16, and keeps a
// running softmax in registers. merge_parts takes the parts of a tile to one, where there are several.
#pragma once
#include "kernels/cuda/row_attention_device.h"
#include "kernels/cuda/tensor_cores.h"
#include "kernels/list_attention.h"

namespace carryover::kernels {

inline constexpr int warp_queries = 16;

/// Number of keys in a step.
template <typename T, int d>
inline constexpr int step_keys = sizeof(T) * d > 512 ? 16 : 32;

/// The shared memory of an attend_tiles block. Rows are spaced so that what a warp reads at once is in 32 banks.
template <typename T, int d>
struct StepKeys;

template <int d>
struct StepKeys<float, d> {
  static constexpr int count = step_keys<float, d>;
  alignas(16) float keys[count][d + 4];
  float values[count][d + 8];
  std::int32_t places[count];
};

/// Words hold two numbers: neighbouring channels of a key, or one channel of two keys' values.
template <int d>
struct StepKeys<BFloat16, d> {
  static constexpr int count = step_keys<BFloat16, d>;
  alignas(16) std::uint32_t keys[count][d / 2 + 4];
  std::uint32_t values[count / 2][d + 8];
  std::int32_t places[count];
};

/// The queries of a block: those of a tile of one head, or one query of the heads that attend together.
struct BlockQueries {
  std::int64_t row, head;  ///< row of lists; the first of its heads
  QueryTile tile;
  std::int32_t count;
  bool of_heads;

  __device__ std::int64_t head_of(std::int32_t i) const { return of_heads ? head + i : head; }
  __device__ std::int32_t query_of(std::int32_t i) const { return of_heads ? tile.first : tile.first + i; }
};

__device__ inline BlockQueries block_queries(const ListAttention& args) {
  const QueryTile tile = tile_of(args, static_cast<std::int32_t>(blockIdx.x));
  const bool of_heads = args.heads_together > 1;
  const std::int64_t row = blockIdx.y;
  return {row, row * args.heads_together, tile, of_heads ? args.heads_together : tile.count, of_heads};
}

/// The sums of a lane. They are for the queries `row` and row + 8 of its warp, with row = lane / 4. values[n] holds
/// channels 8 · n + pair and the next one of the values, with pair = 2 · (lane % 4) (see tensor_cores.h). Until
/// sum_of_quad(), `sum` covers only the keys of this lane.
template <int d>
struct TwoQueries {
  float highest[2], sum[2];
  float values[d / 8][4];
};

__device__ inline float sum_of_quad(float value) {
  value += __shfl_xor_sync(full_warp, value, 1);
  return value + __shfl_xor_sync(full_warp, value, 2);
}
__device__ inline float largest_of_quad(float value) {
  for (int distance = 1; distance <= 2; ++distance) {
    const float other = __shfl_xor_sync(full_warp, value, distance);
    value = other > value ? other : value;
  }
  return value;
}

/// The queries in the form that score() takes.
template <typename T, int d>
struct HeldQueries;

template <int d>
struct HeldQueries<float, d> {
  const float* rows[2];

  __device__ void hold(const float* low, const float* high) { rows[0] = low, rows[1] = high; }
};

template <int d>
struct HeldQueries<BFloat16, d> {
  std::uint32_t words[d / 16][4];

  __device__ void hold(const BFloat16* low, const BFloat16* high) {
    const int pair = threadIdx.x % 4 * 2;
    CARRYOVER_UNROLL
    for (int k = 0; k < d / 16; ++k) {
      const int c = 16 * k + pair;
      words[k][0] = word_at(low + c), words[k][1] = word_at(high + c);
      words[k][2] = word_at(low + c + 8), words[k][3] = word_at(high + c + 8);
    }
  }
  __device__ static std::uint32_t word_at(const BFloat16* from) {
    const auto two = *reinterpret_cast<const Pack<BFloat16, 2>*>(from);
    return two.values[0].bits | static_cast<std::uint32_t>(two.values[1].bits) << 16;
  }
};

/// Returns the run that has the i-th key of a list; it must be in [low, high).
__device__ inline std::int32_t find_run(const TileKeys& keys, std::int32_t low, std::int32_t high, std::int32_t i) {
  while (high - low > 1) {
    const std::int32_t middle = low + (high - low) / 2;
    if (run_at(keys, middle).before <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Finds the places of a step's keys; one thread for each key of a step. From step to step, a thread moves on by at
/// most as many runs as a step has keys.
template <int count>
struct PlaceFinder {
  std::int32_t low = 0, high;

  __device__ explicit PlaceFinder(const TileKeys& keys) : high(keys.run_count) {}

  __device__ std::int32_t find(const TileKeys& keys, std::int32_t i) {
    low = find_run(keys, low, high, i);
    high = low + count + 1 < keys.run_count ? low + count + 1 : keys.run_count;
    const KeyRun run = run_at(keys, low);
    return run.first + (i - run.before);
  }
};

template <typename T>
__device__ const T* listed_key(const ListAttention& args, std::int64_t head, std::int32_t place) {
  return place < args.prefix_length ? key_at<T>(args.prefix, head, place)
                                    : key_at<T>(args.segment, head, place - args.prefix_length);
}
template <typename T>
__device__ const T* listed_value(const ListAttention& args, std::int64_t head, std::int32_t place) {
  return place < args.prefix_length ? value_at<T>(args.prefix, head, place)
                                    : value_at<T>(args.segment, head, place - args.prefix_length);
}

template <typename T>
__device__ void copy_pack(const void* from, T* to) {
  using Four = Pack<T, 4>;
  *reinterpret_cast<Four*>(to) = *static_cast<const Four*>(from);
}

/// Copies the keys at step.places. All `threads` threads of the block call it.
template <int d>
__device__ void gather(StepKeys<float, d>& step, const ListAttention& args, std::int64_t head, int threads) {
  constexpr int packs = d / 4;
  for (int i = threadIdx.x; i < step.count * packs; i += threads) {
    const int key = i / packs, c = i % packs * 4;
    copy_pack(listed_key<float>(args, head, step.places[key]) + c, &step.keys[key][c]);
    copy_pack(listed_value<float>(args, head, step.places[key]) + c, &step.values[key][c]);
  }
}

template <int d>
__device__ void gather(StepKeys<BFloat16, d>& step, const ListAttention& args, std::int64_t head, int threads) {
  constexpr int packs = d / 8;
  using Eight = Pack<BFloat16, 8>;
  for (int i = threadIdx.x; i < step.count * packs; i += threads) {
    const int key = i / packs, c = i % packs * 8;
    copy_pack(listed_key<BFloat16>(args, head, step.places[key]) + c, &step.keys[key][c / 2]);
  }
  for (int i = threadIdx.x; i < step.count / 2 * packs; i += threads) {
    const int pair = i / packs, c = i % packs * 8;
    const auto even = *reinterpret_cast<const Eight*>(listed_value<BFloat16>(args, head, step.places[2 * pair]) + c);
    const auto odd = *reinterpret_cast<const Eight*>(listed_value<BFloat16>(args, head, step.places[2 * pair + 1]) + c);
    Pack<std::uint32_t, 8> both;
    for (int k = 0; k < 8; ++k)
      both.values[k] = even.values[k].bits | static_cast<std::uint32_t>(odd.values[k].bits) << 16;
    *reinterpret_cast<Pack<std::uint32_t, 8>*>(&step.values[pair][c]) = both;
  }
}

/// Computes scores += queries · keys. For its two queries, a lane gets the scores of keys 8 · n + pair and the next one
/// in scores[n].
template <int d, int tiles>
__device__ void score(const HeldQueries<float, d>& queries, const StepKeys<float, d>& step, float (&scores)[tiles][4]) {
  using Four = Pack<float, 4>;
  const int pair = threadIdx.x % 4 * 2;
  for (int c = 0; c < d; c += 4) {
    const auto low = *reinterpret_cast<const Four*>(queries.rows[0] + c);
    const auto high = *reinterpret_cast<const Four*>(queries.rows[1] + c);
    CARRYOVER_UNROLL
    for (int i = 0; i < 2 * tiles; ++i) {
      const auto key = *reinterpret_cast<const Four*>(&step.keys[i / 2 * 8 + pair + i % 2][c]);
      CARRYOVER_UNROLL
      for (int k = 0; k < 4; ++k) {
        scores[i / 2][i % 2] += low.values[k] * key.values[k];
        scores[i / 2][2 + i % 2] += high.values[k] * key.values[k];
      }
    }
  }
}

template <int d, int tiles>
__device__ void score(const HeldQueries<BFloat16, d>& queries, const StepKeys<BFloat16, d>& step,
                      float (&scores)[tiles][4]) {
  const int row = threadIdx.x % warp_size / 4, column = threadIdx.x % 4;
  CARRYOVER_UNROLL
  for (int n = 0; n < tiles; ++n) {
    const std::uint32_t* const key = step.keys[8 * n + row];
    CARRYOVER_UNROLL
    for (int k = 0; k < d / 16; ++k)
      multiply_16x8x16(scores[n], queries.words[k], key[8 * k + column], key[8 * k + 4 + column]);
  }
}

/// Computes queries.values += weights · values; weights have the layout in which score() leaves scores.
template <int d, int tiles>
__device__ void add_values(const StepKeys<float, d>& step, const float (&weights)[tiles][4], TwoQueries<d>& queries) {
  using Two = Pack<float, 2>;
  const int column = threadIdx.x % 4;
  CARRYOVER_UNROLL
  for (int n = 0; n < tiles; ++n) {
    for (int distance = 0; distance < 4; ++distance) {  // takes the weights of four lanes, one lane after the other
      float own[4];
      for (int i = 0; i < 4; ++i) own[i] = __shfl_xor_sync(full_warp, weights[n][i], distance);
      const int key = 8 * n + 2 * (column ^ distance);
      CARRYOVER_UNROLL
      for (int c = 0; c < d / 8; ++c) {
        const auto first = *reinterpret_cast<const Two*>(&step.values[key][8 * c + 2 * column]);
        const auto second = *reinterpret_cast<const Two*>(&step.values[key + 1][8 * c + 2 * column]);
        CARRYOVER_UNROLL
        for (int i = 0; i < 4; ++i)
          queries.values[c][i] += own[i / 2 * 2] * first.values[i % 2] + own[i / 2 * 2 + 1] * second.values[i % 2];
      }
    }
  }
}

__device__ inline std::uint32_t word_of(float low, float high) {
  BFloat16 first, second;
  narrow(low, first);
  narrow(high, second);
  return first.bits | static_cast<std::uint32_t>(second.bits) << 16;
}

template <int d, int tiles>
__device__ void add_values(const StepKeys<BFloat16, d>& step, const float (&weights)[tiles][4],
                           TwoQueries<d>& queries) {
  const int row = threadIdx.x % warp_size / 4, column = threadIdx.x % 4;
  CARRYOVER_UNROLL
  for (int n = 0; n < tiles; n += 2) {
    const std::uint32_t words[4] = {word_of(weights[n][0], weights[n][1]), word_of(weights[n][2], weights[n][3]),
                                    word_of(weights[n + 1][0], weights[n + 1][1]),
                                    word_of(weights[n + 1][2], weights[n + 1][3])};
    CARRYOVER_UNROLL
    for (int c = 0; c < d / 8; ++c)
      multiply_16x8x16(queries.values[c], words, step.values[4 * n + column][8 * c + row],
                       step.values[4 * n + 4 + column][8 * c + row]);
  }
}

/// Converts the scores of query `row` to weights. Earlier sums are scaled to the new highest score.
template <int d, int tiles>
__device__ void weigh(float (&scores)[tiles][4], int row, TwoQueries<d>& queries) {
  float highest = queries.highest[row];
  CARRYOVER_UNROLL
  for (int i = 0; i < 2 * tiles; ++i) {
    const float one = scores[i / 2][2 * row + i % 2];
    highest = one > highest ? one : highest;
  }
  highest = largest_of_quad(highest);
  const float kept = exponential(queries.highest[row] - highest);
  queries.highest[row] = highest;
  queries.sum[row] *= kept;
  CARRYOVER_UNROLL
  for (int i = 0; i < d / 4; ++i) queries.values[i / 2][2 * row + i % 2] *= kept;
  CARRYOVER_UNROLL
  for (int i = 0; i < 2 * tiles; ++i) {
    float& one = scores[i / 2][2 * row + i % 2];
    one = exponential(one - highest);
    queries.sum[row] += one;
  }
}

/// Adds the first `present` keys of a step. `places`: those of the lane's two queries.
template <typename T, int d>
__device__ void take_in(TwoQueries<d>& queries, const HeldQueries<T, d>& held, const StepKeys<T, d>& step,
                        std::int32_t present, const KeyBand& band, const std::int32_t (&places)[2], float scale,
                        float cap) {
  constexpr int tiles = StepKeys<T, d>::count / 8;
  float scores[tiles][4] = {};
  score(held, step, scores);
  CARRYOVER_UNROLL
  for (int i = 0; i < 4 * tiles; ++i) scores[i / 4][i % 4] *= scale;
  if (cap > 0) {  // one branch for all: few models have a cap
    CARRYOVER_UNROLL
    for (int i = 0; i < 4 * tiles; ++i) scores[i / 4][i % 4] = soft_capped(scores[i / 4][i % 4], cap);
  }
  CARRYOVER_UNROLL
  for (int i = 0; i < 4 * tiles; ++i) {
    const int key = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    const bool seen = key < present && sees(band, places[i % 4 / 2], step.places[key]);
    if (!seen) scores[i / 4][i % 4] = without_score;
  }
  weigh(scores, 0, queries);
  weigh(scores, 1, queries);
  add_values(step, scores, queries);
}

/// Returns where `partial` holds what merge_parts reads for the i-th of a block's queries: highest score, sum of
/// weights, weighted values. partial: [rows, tiles, parts, held, d + 2], where a block has at most `held` queries.
__device__ inline std::int64_t partial_at(std::int64_t part, std::int32_t parts, int held, std::int32_t i,
                                          std::int32_t d) {
  const std::int64_t block = std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x;
  return ((block * parts + part) * held + i) * partial_floats(d);
}

/// output_at() returns where the output of the i-th of a block's queries begins; put_log_sum() writes the query's
/// log-sum.
template <typename T>
__device__ T* output_at(const ListAttention& args, const BlockQueries& block, std::int32_t i) {
  return static_cast<T*>(args.output) +
         (std::int64_t{block.query_of(i)} * args.heads + block.head_of(i)) * args.head_dim;
}
__device__ inline void put_log_sum(const ListAttention& args, const BlockQueries& block, std::int32_t i, float highest,
                                   float sum) {
  if (args.log_sums == nullptr) return;
  args.log_sums[block.head_of(i) * args.query_count + block.query_of(i)] = highest + logf(sum);
}

/// Writes query `row` of a lane's two, the i-th of its block: the final output, or the input of merge_parts if
/// `partial` is not null.
template <typename T, int d>
__device__ void leave(const ListAttention& args, const BlockQueries& block, std::int32_t i,
                      const TwoQueries<d>& queries, int row, float sum, float* partial) {
  using Two = Pack<T, 2>;
  const int pair = threadIdx.x % 4 * 2;
  const bool first = pair == 0;
  if (partial != nullptr) {
    if (first) partial[0] = queries.highest[row], partial[1] = sum;
    CARRYOVER_UNROLL
    for (int k = 0; k < d / 4; ++k) partial[2 + k / 2 * 8 + pair + k % 2] = queries.values[k / 2][2 * row + k % 2];
    return;
  }
  T* const out = output_at<T>(args, block, i);
  const float share = sum > 0 ? 1 / sum : 0;
  CARRYOVER_UNROLL
  for (int c = 0; c < d / 8; ++c) {
    Two two;
    narrow(queries.values[c][2 * row] * share, two.values[0]);
    narrow(queries.values[c][2 * row + 1] * share, two.values[1]);
    *reinterpret_cast<Two*>(out + 8 * c + pair) = two;
  }
  if (first) put_log_sum(args, block, i, queries.highest[row], sum);
}

/// The range of `all` keys that the block of a part takes, in whole steps.
struct PartOfKeys {
  std::int64_t begin, end;
};
__device__ inline PartOfKeys part_of_keys(std::int64_t all, std::int64_t part, std::int64_t parts, int step) {
  const std::int64_t share = ((all + parts - 1) / parts + step - 1) / step * step;
  const std::int64_t begin = part * share < all ? part * share : all;
  return {begin, begin + share < all ? begin + share : all};
}

/// Grid: (tiles, rows of lists, parts). partial: null if there is one part.
template <typename T, int d, int warps>
__global__ void __launch_bounds__(warps* warp_size) attend_tiles(const ListAttention args, float* const partial) {
  constexpr int count = StepKeys<T, d>::count, held_queries = warps * warp_queries;
  auto& step = shared_memory<StepKeys<T, d>>();
  const BlockQueries block = block_queries(args);
  const std::int32_t lane = threadIdx.x % warp_size;
  const std::int32_t own = threadIdx.x / warp_size * warp_queries + lane / 4;  // the lane also has own + 8
  const bool busy = own - lane / 4 < block.count;                              // the same for the whole warp
  const std::int32_t last = block.count - 1, mine[2] = {own < last ? own : last, own + 8 < last ? own + 8 : last};
  const std::int32_t places[2] = {place_of(args, block.query_of(mine[0])), place_of(args, block.query_of(mine[1]))};

  TwoQueries<d> queries = {};
  queries.highest[0] = queries.highest[1] = below_all_scores;
  std::int64_t all = 0, before = 0;
  for (std::int32_t b = 0; b < args.band_count; ++b) all += keys_of(args, args.bands[b], block.row, block.tile).keys;
  const PartOfKeys part = part_of_keys(all, blockIdx.z, gridDim.z, count);
  for (std::int32_t b = 0; b < args.band_count; ++b) {
    const KeyBand band = args.bands[b];
    const TileKeys keys = keys_of(args, band, block.row, block.tile);
    const std::int64_t from = part.begin - before, to = part.end - before;
    const std::int32_t begin = static_cast<std::int32_t>(from > 0 ? from : 0);
    const std::int32_t end = static_cast<std::int32_t>(to < keys.keys ? to : keys.keys);
    before += keys.keys;
    if (begin >= end) continue;

    const QueryRows& rows = band.apart ? args.apart_queries : args.queries;
    const auto row_of = [&](std::int32_t i) {
      return static_cast<const T*>(rows.data) + block.head_of(i) * rows.head_stride +
             block.query_of(i) * rows.position_stride;
    };
    HeldQueries<T, d> held;
    held.hold(row_of(mine[0]), row_of(mine[1]));
    PlaceFinder<count> finder(keys);
    for (std::int32_t first = begin; first < end; first += count) {
      const std::int32_t present = end - first < count ? end - first : count;
      __syncthreads();  // everybody has read the previous step
      if (threadIdx.x < count) {
        const std::int32_t i = static_cast<std::int32_t>(threadIdx.x);
        step.places[i] = finder.find(keys, first + (i < present ? i : present - 1));  // missing keys repeat the last
                                                                                      // one
      }
      __syncthreads();
      gather(step, args, block.head, warps * warp_size);
      __syncthreads();
      if (busy) take_in(queries, held, step, present, band, places, args.scale, args.cap);
    }
  }
  if (!busy) return;
  CARRYOVER_UNROLL
  for (int row = 0; row < 2; ++row) {
    const float sum = sum_of_quad(queries.sum[row]);
    const std::int32_t i = own + 8 * row;
    if (i >= block.count) continue;
    leave<T>(args, block, i, queries, row, sum,
             partial == nullptr
                 ? nullptr
                 : partial + partial_at(blockIdx.z, static_cast<std::int32_t>(gridDim.z), held_queries, i, d));
  }
}

/// Grid: (tiles, rows of lists), with a thread for each channel.
template <typename T>
__global__ void merge_parts(const ListAttention args, const std::int32_t parts, const int held,
                            const float* const partial) {
  const BlockQueries block = block_queries(args);
  const std::int64_t step = held * partial_floats(args.head_dim);
  for (std::int32_t i = 0; i < block.count; ++i) {
    const float* const first = partial + partial_at(0, parts, held, i, args.head_dim);
    float highest = first[0], sum = 0, value = 0;
    for (std::int32_t p = 1; p < parts; ++p) highest = first[p * step] > highest ? first[p * step] : highest;
    for (std::int32_t p = 0; p < parts; ++p) {
      const float weight = exponential(first[p * step] - highest);
      sum += weight * first[p * step + 1];
      value += weight * first[p * step + 2 + threadIdx.x];
    }
    narrow(sum > 0 ? value / sum : 0.0f, output_at<T>(args, block, i)[threadIdx.x]);
    if (threadIdx.x == 0) put_log_sum(args, block, i, highest, sum);
  }
}

/// Returns the number of a block's warps: one if its queries fit in one warp, else four.
inline int list_warps(const ListAttention& args) {
  return args.most_together <= warp_queries ? 1 : 4;
}

/// Returns the number of parts into which the keys of a tile are cut, so that a few tiles keep a whole GPU busy. A part
/// has at least 256 keys.
inline std::int32_t list_parts(const ListAttention& args) {
  const std::int64_t blocks = std::int64_t{args.tile_count} * (args.heads / args.heads_together);
  const std::int64_t keys = std::int64_t{args.prefix_length} + args.length;
  std::int64_t parts = blocks == 0 ? 1 : 256 / blocks;
  if (parts > (keys + 255) / 256) parts = (keys + 255) / 256;
  return static_cast<std::int32_t>(parts > 1 ? parts : 1);
}

/// Returns the number of floats in `partial`.
inline std::int64_t list_partial_floats(const ListAttention& args) {
  const std::int32_t parts = list_parts(args);
  if (parts == 1) return 0;
  return std::int64_t{args.tile_count} * (args.heads / args.heads_together) * parts * list_warps(args) * warp_queries *
         partial_floats(args.head_dim);
}

inline bool reads_aligned(const QueryRows& rows, std::int64_t bytes) {
  return aligned(rows.data) && (rows.head_stride | rows.position_stride) * bytes % 16 == 0;
}
inline bool reads_aligned(const ListAttention& args) {
  const std::int64_t bytes = element_bytes(args.type);
  bool apart = false;
  for (std::int32_t b = 0; b < args.band_count; ++b) apart = apart || args.bands[b].apart;
  return aligned(args.output) && reads_aligned(args.queries, bytes) &&
         (!apart || reads_aligned(args.apart_queries, bytes)) && reads_aligned(args.segment, bytes) &&
         (args.prefix_length == 0 || reads_aligned(args.prefix, bytes));
}

}  // namespace carryover::kernels
