// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// One kind of heads in a layer and the parts that they read before their segment (app:attention, ADR 0028). Retrieved
/// tokens are a part only in the layers of L_long, and only if R > 0. A plain value.
struct HeadReads {
  bool long_range = false;        ///< true: the heads of H_long; false: the others
  std::vector<int> heads;         ///< query heads, ascending, at least one
  std::vector<PrefixPart> parts;  ///< in the order of the prefix
  bool per_query_head = false;    ///< true if each head has a prefix of its own, because it searches for itself

  bool read(PrefixPart part) const;
  /// Returns the KV heads of the rows of a prefix of these heads: one for each of `heads`, or the distinct ones,
  /// ascending.
  std::vector<int> prefix_kv_heads(const ModelConfig& model) const;
};

/// Returns the kinds of heads in a layer: local heads, then long-range ones; a kind without heads is left out. A
/// windowed layer has none: its heads read the model's own window (method/window_layers.h), whatever the configuration
/// says.
std::vector<HeadReads> head_reads(const SegmentConfig& config, const ModelConfig& model, int layer);

/// Returns the KV head of each query head.
std::vector<int> kv_heads_of_each(const std::vector<int>& heads, const ModelConfig& model);
/// Returns the KV heads of these query heads, each once. Ascending, as the heads are.
std::vector<int> distinct_kv_heads(const std::vector<int>& heads, const ModelConfig& model);

/// Returns the KV heads whose tail is carried: those that a reader of the carry uses. Ascending.
std::vector<int> carry_kv_heads(const SegmentConfig& config, const ModelConfig& model, int layer);
/// Returns the most tokens that any layer carries: M, or W − 1 where windowed layers carry more.
std::int64_t carry_slots(const SegmentConfig& config, const ModelConfig& model);
/// Return the query heads of a layer that read retrieved tokens, and those that search: the readers themselves, or the
/// shared searchers. Ascending.
std::vector<int> reader_heads(const SegmentConfig& config, const ModelConfig& model, int layer);
std::vector<int> search_heads(const SegmentConfig& config, const ModelConfig& model, int layer);
/// Returns the KV heads that the pool holds: those that a reader or a searcher uses. Ascending.
std::vector<int> pool_kv_heads(const SegmentConfig& config, const ModelConfig& model, int layer);

/// Returns true for the search of app:retrieval: each head searches for itself, by summaries, and anchors are expanded.
bool is_paper_search(const SegmentConfig& config);

/// Returns true if any head of any layer reads tokens of the pool.
bool reads_pool(const SegmentConfig& config, const ModelConfig& model);
/// Return true if such heads read tokens that a search found for their segment, or those that each query finds for
/// itself while the segment runs.
bool retrieves(const SegmentConfig& config, const ModelConfig& model);
bool searches_per_token(const SegmentConfig& config, const ModelConfig& model);
/// Return true if the search skips the carried positions, so that none is twice in a prefix. This is so if a reader
/// reads the carry too: in a shared search any reader of any layer, else one of `readers`.
bool shared_search_skips_carry(const SegmentConfig& config, const ModelConfig& model);
bool search_skips_carry(const SegmentConfig& config, const ModelConfig& model, const HeadReads& readers);

/// Returns the largest number of positions that a prefix can have.
std::int64_t longest_prefix(const SegmentConfig& config);

}  // namespace carryover
