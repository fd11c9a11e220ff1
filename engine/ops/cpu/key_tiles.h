// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <cstring>

#include "engine/ops/cpu/simd_rows.h"
#include "engine/ops/cpu/stored_keys.h"

// The parts of scans over a pool: rows (queries or their means) side by side, and their products with a few keys at a
// time. Internal to these scans.
namespace carryover::ops {

constexpr std::int64_t kTileKeys = 6;
constexpr std::int64_t kBlockKeys = 24;  ///< keys that are upcast at a time, for all groups: they stay in the
                                         ///< first-level cache

/// Writes row i, of d values, to its lane of `groups`: [rows / lanes, d, lanes].
template <typename T>
void put_lane(const T* row, std::int64_t i, std::int64_t d, std::int64_t lanes, T* groups) {
  T* lane = groups + i / lanes * d * lanes + i % lanes;
  for (std::int64_t c = 0; c < d; ++c) lane[c * lanes] = row[c];
}

/// Returns a block of entries: in place, or upcast into `buffer` [kBlockKeys, d]. Behind the last of `count` entries,
/// the buffer may hold values of others.
template <typename T>
const T* key_block(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count, T* buffer) {
  if (count == kBlockKeys)
    if (const T* held = keys.held<T>(slot, first)) return held;
  keys.upcast_to(slot, first, count, buffer);
  return buffer;
}

/// Computes products[Keys][lanes] = group [d, lanes] · keys [Keys, d], summed from the first place to the last.
template <typename T, int Bytes, std::int64_t GroupBytes, std::int64_t Keys>
[[gnu::always_inline]] inline void multiply_keys(const T* group, const T* keys, std::int64_t d, T* products) {
  using Vector = typename Simd<T, Bytes>::Vector;
  constexpr std::int64_t width = Bytes / sizeof(T), vectors = GroupBytes / Bytes, lanes = GroupBytes / sizeof(T);
  Vector sums[Keys][vectors];  // loops over them must be unrolled, or else they are in memory
#pragma GCC unroll 6
  for (auto& key : sums)
#pragma GCC unroll 8
    for (Vector& sum : key) sum = Vector{};
  for (std::int64_t c = 0; c < d; ++c) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < vectors; ++v) {
      Vector rows;
      std::memcpy(&rows, group + c * lanes + v * width, sizeof(Vector));
#pragma GCC unroll 6
      for (std::int64_t key = 0; key < Keys; ++key) sums[key][v] += rows * keys[key * d + c];
    }
  }
#pragma GCC unroll 6
  for (std::int64_t key = 0; key < Keys; ++key)
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < vectors; ++v)
      std::memcpy(products + key * lanes + v * width, &sums[key][v], sizeof(Vector));
}

/// Does the same for a tile's keys, as many at a time as the registers hold.
template <typename T, int Bytes, std::int64_t GroupBytes>
[[gnu::always_inline]] inline void multiply_tile(const T* group, const T* keys, std::int64_t d, T* products) {
  constexpr std::int64_t vectors = GroupBytes / Bytes, at_once = vectors <= 2 ? 6 : vectors <= 4 ? 3 : 1;
  for (std::int64_t key = 0; key < kTileKeys; key += at_once)
    multiply_keys<T, Bytes, GroupBytes, at_once>(group, keys + key * d, d,
                                                 products + key * (GroupBytes / static_cast<std::int64_t>(sizeof(T))));
}

}  // namespace carryover::ops
