// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/head_reads.h"

#include <algorithm>

namespace carryover {

namespace {

/// Returns the query heads of a layer that read a part, ascending.
std::vector<int> readers_of(PrefixPart part, const SegmentConfig& config, const ModelConfig& model, int layer) {
  std::vector<int> heads;
  for (const HeadReads& kind : head_reads(config, model, layer))
    if (kind.read(part)) heads.insert(heads.end(), kind.heads.begin(), kind.heads.end());
  std::ranges::sort(heads);
  return heads;
}

template <typename Holds>
bool any_kind(const SegmentConfig& config, const ModelConfig& model, const Holds& holds) {
  for (int layer = 0; layer < model.layers; ++layer)
    if (std::ranges::any_of(head_reads(config, model, layer), holds)) return true;
  return false;
}

std::int64_t length_of(PrefixParts parts, const SegmentConfig& config) {
  std::int64_t length = 0;
  if (has(parts, PrefixPart::Sinks)) length += config.sink_length;
  if (has(parts, PrefixPart::Retrieved)) length += config.retrieval_length;
  if (has(parts, PrefixPart::Carry)) length += config.carry_length;
  return length;
}

}  // namespace

bool HeadReads::read(PrefixPart part) const {
  return std::ranges::count(parts, part) > 0;
}

std::vector<int> HeadReads::prefix_kv_heads(const ModelConfig& model) const {
  return per_query_head ? kv_heads_of_each(heads, model) : distinct_kv_heads(heads, model);
}

std::vector<int> kv_heads_of_each(const std::vector<int>& heads, const ModelConfig& model) {
  std::vector<int> kv_heads;
  for (const int head : heads) kv_heads.push_back(head / static_cast<int>(model.group_size()));
  return kv_heads;
}

std::vector<int> distinct_kv_heads(const std::vector<int>& heads, const ModelConfig& model) {
  std::vector<int> kv_heads = kv_heads_of_each(heads, model);
  kv_heads.erase(std::unique(kv_heads.begin(), kv_heads.end()), kv_heads.end());
  return kv_heads;
}

std::vector<HeadReads> head_reads(const SegmentConfig& config, const ModelConfig& model, int layer) {
  if (model.is_windowed(layer)) return {};
  const bool retrieves = config.retrieval_length > 0 && config.grouping.is_long_layer(layer);
  std::vector<HeadReads> kinds;
  const auto add = [&](bool long_range, std::vector<int> heads, PrefixParts parts) {
    if (heads.empty()) return;
    HeadReads kind{long_range, std::move(heads), parts_of(parts)};
    if (!retrieves) std::erase(kind.parts, PrefixPart::Retrieved);
    if (config.search == SearchBy::PerToken && kind.read(PrefixPart::Retrieved))
      std::ranges::sort(kind.parts);  // in the text's order: all parts stand at their true distances
    kind.per_query_head = config.search == SearchBy::PerHead && kind.read(PrefixPart::Retrieved);
    kinds.push_back(std::move(kind));
  };
  add(false, config.grouping.local_heads(layer, static_cast<int>(model.heads)), config.local_reads);
  add(true, config.grouping.long_heads(layer), config.long_reads);
  return kinds;
}

std::vector<int> carry_kv_heads(const SegmentConfig& config, const ModelConfig& model, int layer) {
  return distinct_kv_heads(readers_of(PrefixPart::Carry, config, model, layer), model);
}

std::int64_t carry_slots(const SegmentConfig& config, const ModelConfig& model) {
  return std::max(config.carry_length, model.window_layers.empty() ? 0 : model.window - 1);
}

std::vector<int> reader_heads(const SegmentConfig& config, const ModelConfig& model, int layer) {
  return readers_of(PrefixPart::Retrieved, config, model, layer);
}

std::vector<int> search_heads(const SegmentConfig& config, const ModelConfig& model, int layer) {
  if (config.search == SearchBy::PerHead) return reader_heads(config, model, layer);
  std::vector<int> heads;
  if (config.search == SearchBy::PerToken || !retrieves(config, model)) return heads;
  for (const HeadRef searcher : config.search_heads)
    if (searcher.layer == layer) heads.push_back(searcher.head);
  return heads;
}

std::vector<int> pool_kv_heads(const SegmentConfig& config, const ModelConfig& model, int layer) {
  std::vector<int> heads = reader_heads(config, model, layer);
  const std::vector<int> searchers = search_heads(config, model, layer);
  heads.insert(heads.end(), searchers.begin(), searchers.end());
  std::ranges::sort(heads);
  return distinct_kv_heads(heads, model);
}

bool is_paper_search(const SegmentConfig& config) {
  return config.search == SearchBy::PerHead && config.search_scores == SearchScores::Summaries &&
         config.retrieve == RetrieveBy::Anchors;
}

bool reads_pool(const SegmentConfig& config, const ModelConfig& model) {
  return any_kind(config, model, [](const HeadReads& kind) { return kind.read(PrefixPart::Retrieved); });
}

bool retrieves(const SegmentConfig& config, const ModelConfig& model) {
  return config.search != SearchBy::PerToken && reads_pool(config, model);
}

bool searches_per_token(const SegmentConfig& config, const ModelConfig& model) {
  return config.search == SearchBy::PerToken && reads_pool(config, model);
}

bool shared_search_skips_carry(const SegmentConfig& config, const ModelConfig& model) {
  return any_kind(config, model, [](const HeadReads& kind) {
    return kind.read(PrefixPart::Retrieved) && kind.read(PrefixPart::Carry);
  });
}

bool search_skips_carry(const SegmentConfig& config, const ModelConfig& model, const HeadReads& readers) {
  return config.search == SearchBy::Shared ? shared_search_skips_carry(config, model) : readers.read(PrefixPart::Carry);
}

std::int64_t longest_prefix(const SegmentConfig& config) {
  return std::max(length_of(config.local_reads, config), length_of(config.long_reads, config));
}

}  // namespace carryover
