// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// One kind of heads in a layer and what they read before their segment (app:attention, ADR 0028). Retrieved tokens are
/// read in the layers of L_long alone, and only where R > 0: elsewhere they are none of the parts. A plain value.
struct HeadReads {
  bool long_range = false;        ///< the heads of H_long, else the others
  std::vector<int> heads;         ///< query heads, ascending, at least one
  std::vector<PrefixPart> parts;  ///< in their order in the prefix
  bool per_query_head = false;    ///< each head has a prefix of its own, because it searches for itself

  bool read(PrefixPart part) const;
  /// KV heads that a prefix of these heads has rows of: one for each of `heads`, or the distinct ones, ascending.
  std::vector<int> prefix_kv_heads(const ModelConfig& model) const;
};

/// The kinds of a layer: local heads, then long ones, each where it has a head.
std::vector<HeadReads> head_reads(const SegmentConfig& config, const ModelConfig& model, int layer);

/// The KV head of each query head.
std::vector<int> kv_heads_of_each(const std::vector<int>& heads, const ModelConfig& model);
/// The same, each once. Ascending, as the heads are.
std::vector<int> distinct_kv_heads(const std::vector<int>& heads, const ModelConfig& model);

/// KV heads whose tail is carried: those that a reader of the carry uses. Ascending.
std::vector<int> carry_kv_heads(const SegmentConfig& config, const ModelConfig& model, int layer);
/// Query heads of a layer that read retrieved tokens, and those that search: themselves, or the shared searchers.
/// Ascending.
std::vector<int> reader_heads(const SegmentConfig& config, const ModelConfig& model, int layer);
std::vector<int> search_heads(const SegmentConfig& config, const ModelConfig& model, int layer);
/// KV heads that the pool holds: those that a reader or a searcher uses. Ascending.
std::vector<int> pool_kv_heads(const SegmentConfig& config, const ModelConfig& model, int layer);

/// Each head for itself, by summaries, expanded anchors: the search of app:retrieval.
bool is_paper_search(const SegmentConfig& config);

/// Whether any head of any layer reads retrieved tokens.
bool retrieves(const SegmentConfig& config, const ModelConfig& model);
/// Whether the carried positions are not searched, so that none stands twice in a prefix: where a reader reads the
/// carry too. Of a shared search, that is any reader of any layer; else these.
bool shared_search_skips_carry(const SegmentConfig& config, const ModelConfig& model);
bool search_skips_carry(const SegmentConfig& config, const ModelConfig& model, const HeadReads& readers);

/// The most positions that a prefix can have.
std::int64_t longest_prefix(const SegmentConfig& config);

}  // namespace carryover
