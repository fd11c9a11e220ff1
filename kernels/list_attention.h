// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/kv_rows.h"
#include "kernels/soft_cap.h"

namespace carryover::kernels {

/// Returns true if the CUDA kernel accepts them: fp32 or bf16, heads of 64, 128 or 256. The reference accepts all.
inline bool list_attention_takes(Element type, std::int64_t head_dim) {
  return type != Element::Float64 && (head_dim == 64 || head_dim == 128 || head_dim == 256);
}

inline constexpr std::int32_t list_attention_max_lanes = 64;  ///< queries of a tile, or heads that attend together
inline constexpr std::int32_t list_attention_max_bands = 3;
inline constexpr std::int32_t unlimited_reach = 0x7fffffff;

/// The queries of several heads. Those of head h at position p begin at data + h · head_stride + p · position_stride
/// (in elements); the last dimension is dense.
struct QueryRows {
  const void* data;
  std::int64_t head_stride, position_stride;
};

/// Keys [first, end) of [prefix; segment], and the distances from which they are seen: by queries that are at least
/// `least` and fewer than `reach` places behind a key.
struct KeyBand {
  std::int32_t first, end;
  std::int32_t least, reach;  ///< 0 ≤ least: no query sees a key behind itself
  bool apart;                 ///< true if its keys are multiplied with ListAttention::apart_queries
};

/// Neighbouring queries, [first, first + count) of all, that see the keys of one list.
struct QueryTile {
  std::int32_t first, count;
  std::int32_t list;  ///< index in its row
};

/// A list of keys, ascending: `runs` runs from run number `first_run` on, with `keys` keys in all.
struct KeyList {
  std::int32_t first_run, runs, keys;
};

/// Neighbouring keys of a list, up to the next run: the place of the first key in [prefix; segment], and the number of
/// the list's keys before it.
struct alignas(8) KeyRun {
  std::int32_t first, before;
};

/// Computes the attention of tiles of queries over only the keys that each query may see: softmax(capped(scale ·
/// q·kᵀ))·v over [prefix; segment] (eq:attn), summed in fp32 (fp64 for fp64). The last query_count places are the
/// queries' own. With lists, there is one list for each row and tile, and one band of all keys; without lists, a window
/// of up to three disjoint bands. A query that sees no key gets zeros.
struct ListAttention {
  QueryRows queries;        ///< [heads, query_count, d] rotated
  QueryRows apart_queries;  ///< same shape, rotated for bands that are read apart; not read if there are none
  KvRows prefix;            ///< not read if prefix_length is 0
  KvRows segment;
  Element type;
  std::int32_t heads, query_count, prefix_length, length, head_dim;  ///< query_count ≤ length
  float scale;
  float cap;  ///< of soft-capped scores (soft_cap.h); 0: none
  KeyBand bands[list_attention_max_bands];
  std::int32_t band_count;
  /// Number of neighbouring heads that a row of lists serves, which share a KV head. If it is more than 1, each tile is
  /// one query.
  std::int32_t heads_together;
  std::int32_t most_together;  ///< the most queries of a tile, or heads_together if that is more than 1
  const QueryTile* tiles;      ///< [tile_count], each of 1 to list_attention_max_lanes queries; null: 64 at a time
  std::int32_t tile_count;
  const KeyList* lists;    ///< [heads / heads_together, row_lists]; null: a tile sees all keys of the bands in its
                           ///< reach
  std::int32_t row_lists;  ///< number of lists per row; several tiles may share one
  const KeyRun* runs;      ///< runs of all lists
  void* output;            ///< [query_count, heads, d]
  float* log_sums;         ///< [heads, query_count]: log Σ e^score, −∞ without a key; null: not needed
  void* workspace;         ///< device scratch of list_attention_workspace_bytes(); null for the reference
};

/// The keys of a band that queries of a tile may see.
struct TileKeys {
  const KeyRun* runs;  ///< null: one run
  std::int32_t run_count, first, keys;
};

/// Returns the place of a query in [prefix; segment].
CARRYOVER_HOST_DEVICE inline std::int32_t place_of(const ListAttention& args, std::int32_t query) {
  return args.prefix_length + args.length - args.query_count + query;
}

CARRYOVER_HOST_DEVICE inline QueryTile tile_of(const ListAttention& args, std::int32_t tile) {
  if (args.tiles != nullptr) return args.tiles[tile];
  const std::int32_t first = tile * list_attention_max_lanes, left = args.query_count - first;
  return {first, left < list_attention_max_lanes ? left : list_attention_max_lanes, 0};
}

CARRYOVER_HOST_DEVICE inline TileKeys keys_of(const ListAttention& args, const KeyBand& band, std::int64_t row,
                                              const QueryTile& tile) {
  if (args.lists != nullptr) {
    const KeyList list = args.lists[row * args.row_lists + tile.list];
    return {args.runs + list.first_run, list.runs, 0, list.keys};
  }
  const std::int64_t place = place_of(args, tile.first), nearest = place + tile.count - band.least;
  const std::int64_t furthest = place - band.reach + 1;
  const std::int64_t first = furthest > band.first ? furthest : band.first,
                     end = nearest < band.end ? nearest : band.end;
  return {nullptr, 1, static_cast<std::int32_t>(first), end > first ? static_cast<std::int32_t>(end - first) : 0};
}

CARRYOVER_HOST_DEVICE inline KeyRun run_at(const TileKeys& keys, std::int32_t run) {
  if (keys.runs == nullptr) return {keys.first, 0};
  return keys.runs[run];
}

CARRYOVER_HOST_DEVICE inline bool sees(const KeyBand& band, std::int32_t query_place, std::int32_t key_place) {
  const std::int32_t behind = query_place - key_place;
  return behind >= band.least && behind < band.reach;
}

namespace reference {
Status list_attention(const ListAttention& args, Stream stream);
}
/// CUDA only. Returns the bytes of scratch for these sizes (the pointers are not read).
std::int64_t list_attention_workspace_bytes(const ListAttention& args);
/// Every pointer is a device pointer. Queries, keys, values and output begin at multiples of 16 bytes, and so do all
/// positions of queries, keys and values; otherwise it returns cudaErrorMisalignedAddress. Asynchronous on `stream`.
Status list_attention(const ListAttention& args, Stream stream);

}  // namespace carryover::kernels
