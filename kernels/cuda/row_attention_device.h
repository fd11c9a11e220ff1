// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of row_attention, without launches (see pool_topk_device.h).
//
// A block takes one head and one chunk of its positions; each warp walks every fourth group of four keys, its lanes
// sharing the channels, with a running softmax. The last block of a head to arrive takes its chunks to one.
#pragma once
#include <limits>

#include "kernels/cuda/shared_memory.h"
#include "kernels/cuda/swiglu_device.h"
#include "kernels/cuda/warp.h"
#include "kernels/row_attention.h"

namespace carryover::kernels {

inline constexpr float below_all_scores = -std::numeric_limits<float>::max();  // finite, so that nothing becomes NaN
inline constexpr float without_score = -std::numeric_limits<float>::infinity();
inline constexpr int attend_warps = 4, attend_threads = warp_size * attend_warps, keys_at_once = 4;

inline constexpr int attend_most_chunks = 256;

/// Divides positions into at most attend_most_chunks and returns the size of a chunk.
inline std::int32_t attend_chunk(std::int64_t positions) {
  const std::int64_t least = (positions + attend_most_chunks - 1) / attend_most_chunks;
  return static_cast<std::int32_t>((least + 127) / 128 * 128);
}
inline std::int32_t attend_chunks_of(std::int64_t positions) {
  const std::int64_t chunk = attend_chunk(positions);
  return static_cast<std::int32_t>((positions + chunk - 1) / chunk);
}

/// Returns the most positions that a head can attend to. Depends on lengths alone, so that the workspace can be sized
/// before the pointers are known.
inline std::int64_t longest_positions(const RowAttention& args) {
  return std::int64_t{args.prefix_length > args.other_length ? args.prefix_length : args.other_length} + args.length;
}

/// Returns the number of floats that one chunk of one head leaves: the highest score, the sum of weights, and the
/// weighted values.
CARRYOVER_HOST_DEVICE constexpr std::int64_t partial_floats(std::int32_t head_dim) {
  return std::int64_t{head_dim} + 2;
}

/// A running softmax: weights are e^(score − highest). A lane holds `width` neighbouring channels of the values.
template <int width>
struct RunningSoftmax {
  float highest, sum;
  float values[width];
};

template <typename T, int width>
__device__ void load(const T* from, float (&values)[width]) {
  const auto pack = *reinterpret_cast<const Pack<T, width>*>(from + threadIdx.x % warp_size * width);
  for (int c = 0; c < width; ++c) values[c] = to_opmath(pack.values[c]);
}

__device__ inline float sum_of_lanes(float value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(full_warp, value, distance);
  return value;
}

/// The keys and values that a head attends to, in order of position.
struct HeadPositions {
  const KvRows& prefix;
  const KvRows& segment;
  std::int64_t head, before;  ///< before: number of positions of the prefix
};

/// Adds keys_at_once positions, of which the first `count` exist. The whole warp calls it with the same arguments.
/// `capped`: scores are soft-capped at `cap`; the kernel without needs fewer registers.
template <typename T, bool capped, int width>
__device__ void take_in(RunningSoftmax<width>& softmax, const HeadPositions& all, const float (&query)[width],
                        std::int64_t first, int count, float cap) {
  float scores[keys_at_once], values[keys_at_once][width], highest = softmax.highest;
  for (int k = 0; k < keys_at_once; ++k) {
    const std::int64_t position = first + (k < count ? k : 0);  // missing positions repeat the first one
    const bool before = position < all.before;
    const KvRows& rows = before ? all.prefix : all.segment;
    const std::int64_t at = before ? position : position - all.before;
    float key[width], product = 0;
    load(key_at<T>(rows, all.head, at), key);
    load(value_at<T>(rows, all.head, at), values[k]);
    for (int c = 0; c < width; ++c) product += query[c] * key[c];
    if constexpr (capped)
      scores[k] = k < count ? soft_capped(sum_of_lanes(product), cap) : without_score;
    else
      scores[k] = k < count ? sum_of_lanes(product) : without_score;
    highest = scores[k] > highest ? scores[k] : highest;
  }
  const float kept = exponential(softmax.highest - highest);
  softmax.sum *= kept;
  for (int c = 0; c < width; ++c) softmax.values[c] *= kept;
  for (int k = 0; k < keys_at_once; ++k) {
    const float weight = exponential(scores[k] - highest);
    softmax.sum += weight;
    for (int c = 0; c < width; ++c) softmax.values[c] += weight * values[k][c];
  }
  softmax.highest = highest;
}

/// The shared memory of an attend_chunks block: the results of each warp, the weights of a head's chunks, and whether
/// the block is the last of its head.
template <int d>
struct AttendTable {
  float highest[attend_warps], sums[attend_warps], values[attend_warps][d];
  float weights[attend_most_chunks];
  bool last;
};

/// Computes the weight of each of a head's chunks, divided by the sum over all positions. One warp does it.
__device__ inline void weigh_chunks(float (&weights)[attend_most_chunks], std::int32_t chunks, std::int64_t step,
                                    const volatile float* const first) {
  float top = below_all_scores, sum = 0;
  for (std::int32_t i = threadIdx.x; i < chunks; i += warp_size) {
    const float highest = first[i * step];
    top = highest > top ? highest : top;
  }
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(full_warp, top, distance);
    top = other > top ? other : top;
  }
  for (std::int32_t i = threadIdx.x; i < chunks; i += warp_size) {
    weights[i] = exponential(first[i * step] - top);
    sum += weights[i] * first[i * step + 1];
  }
  sum = sum_of_lanes(sum);
  for (std::int32_t i = threadIdx.x; i < chunks; i += warp_size) weights[i] /= sum;
}

/// Merges a head's chunks; a whole block does it. Other blocks wrote the chunks, so no older copy may be read. Reads go
/// out in batches, because each takes longer than all that is computed here.
template <typename T, int d>
__device__ void merge_chunks_of(const RowAttention& args, AttendTable<d>& table, std::int64_t head, std::int32_t chunks,
                                const volatile float* const first) {
  constexpr std::int32_t batch = 8;
  constexpr std::int64_t step = partial_floats(d);
  if (threadIdx.x < warp_size) weigh_chunks(table.weights, chunks, step, first);
  __syncthreads();
  for (std::int32_t c = threadIdx.x; c < d; c += attend_threads) {
    float value = 0;
    for (std::int32_t i = 0; i < chunks; i += batch) {
      float read[batch];
      CARRYOVER_UNROLL
      for (std::int32_t b = 0; b < batch; ++b) read[b] = i + b < chunks ? first[(i + b) * step + 2 + c] : 0;
      CARRYOVER_UNROLL
      for (std::int32_t b = 0; b < batch; ++b)
        if (i + b < chunks) value += table.weights[i + b] * read[b];
    }
    narrow(value, static_cast<T*>(args.output)[head * d + c]);
  }
}

/// Counts the blocks of a head that have written their chunk. Returns true if this block is the last. Every thread
/// calls it.
__device__ inline bool arrives_last(std::int32_t* arrived, std::int32_t chunks, bool& last) {
  __threadfence();  // the block's results are visible before it is counted
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1) == chunks - 1;
    if (last) *arrived = 0;  // for the next launch
  }
  __syncthreads();
  if (last) __threadfence();
  return last;
}

/// Grid: (chunks of the longest head, heads). partial: [heads, chunks, d + 2]. `capped`: args.cap is above 0.
template <typename T, int width, bool capped>
__global__ void __launch_bounds__(attend_threads)
    attend_chunks(const RowAttention args, const std::int32_t chunk, float* const partial) {
  constexpr int d = width * warp_size;
  auto& table = shared_memory<AttendTable<d>>();
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const std::int64_t head = blockIdx.y, before = prefix_length_of(args, head), all = before + args.length;
  const std::int64_t begin = std::int64_t{blockIdx.x} * chunk, end = begin + chunk < all ? begin + chunk : all;
  if (begin >= all) return;  // another head has more positions

  const HeadPositions positions{prefix_of(args, head), args.segment, head, before};
  RunningSoftmax<width> softmax;
  softmax.highest = below_all_scores;
  softmax.sum = 0;
  float query[width];
  load(static_cast<const T*>(args.queries) + std::int64_t{args.query_row[head]} * d, query);
  for (int c = 0; c < width; ++c) {
    query[c] *= args.scale;
    softmax.values[c] = 0;
  }
  for (std::int64_t first = begin + warp * keys_at_once; first < end; first += attend_warps * keys_at_once) {
    take_in<T, capped>(softmax, positions, query, first,
                       end - first < keys_at_once ? static_cast<int>(end - first) : keys_at_once, args.cap);
  }

  if (lane == 0) table.highest[warp] = softmax.highest, table.sums[warp] = softmax.sum;
  for (int c = 0; c < width; ++c) table.values[warp][lane * width + c] = softmax.values[c];
  __syncthreads();
  float top = table.highest[0];
  for (int w = 1; w < attend_warps; ++w) top = table.highest[w] > top ? table.highest[w] : top;
  float* const of_head = partial + head * gridDim.x * partial_floats(d);
  float* const out = of_head + blockIdx.x * partial_floats(d);
  for (int c = threadIdx.x; c < d; c += attend_threads) {
    float value = 0;
    for (int w = 0; w < attend_warps; ++w) value += table.values[w][c] * exponential(table.highest[w] - top);
    out[2 + c] = value;
  }
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int w = 0; w < attend_warps; ++w) sum += table.sums[w] * exponential(table.highest[w] - top);
    out[0] = top, out[1] = sum;
  }
  const auto chunks = static_cast<std::int32_t>((all + chunk - 1) / chunk);
  if (arrives_last(args.arrived + head, chunks, table.last)) merge_chunks_of<T>(args, table, head, chunks, of_head);
}

/// Returns true if every position is read in whole packs.
inline bool reads_aligned(const KvRows& rows, std::int64_t bytes) {
  const std::int64_t strides =
      rows.key_row_stride | rows.key_position_stride | rows.value_row_stride | rows.value_position_stride;
  return aligned(rows.keys) && aligned(rows.values) && strides * bytes % 16 == 0;
}
inline bool reads_aligned(const RowAttention& args) {
  const std::int64_t bytes = element_bytes(args.type);
  return aligned(args.queries) && (args.length == 0 || reads_aligned(args.segment, bytes)) &&
         (args.prefix_length == 0 || reads_aligned(args.prefix, bytes)) &&
         (args.reads_other == nullptr || args.other_length == 0 || reads_aligned(args.other, bytes));
}

}  // namespace carryover::kernels
