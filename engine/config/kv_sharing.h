// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

namespace carryover {

class Grouping;
struct ModelConfig;

/// How a group's query heads share KV heads: as [G, r] if each of G KV heads serves r of them, so that a KV head is
/// never copied; else with one KV row per query head (G = heads, r = 1). A plain value; any thread.
struct KvSharing {
  std::vector<int> kv_rows;  ///< G KV heads (even) or the KV head of each query head (ragged)
  std::int64_t r = 1;
  bool even = false;
};

/// heads: ascending, at least one. group_size: number of query heads per KV head.
KvSharing share_kv(const std::vector<int>& heads, std::int64_t group_size);

/// Returns true if the rows are consecutive, so that a view selects them.
bool consecutive(const std::vector<int>& rows);

/// Returns how many rows of keys, and as many of values, a layer's groups hold of their segment: the layer's own if a
/// group views them, and the copies of groups that can't.
std::int64_t held_kv_rows(const ModelConfig& model, const Grouping& grouping, int layer);

}  // namespace carryover
