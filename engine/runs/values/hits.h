// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// The reason why a position is in a retrieved prefix (app:retrieval): its score, its distance from a position with
/// such a score, or padding. Padding is not evidence.
enum class HitKind : std::uint8_t { Anchor, Expanded, Padding };
std::string_view hit_kind_name(HitKind kind);

/// The absolute positions [first, last).
struct TokenRange {
  std::int64_t first = 0, last = 0;
  bool contains(std::int64_t position) const { return position >= first && position < last; }
  bool operator==(const TokenRange&) const = default;
};

/// One slot of a retrieved prefix, with where it came from.
struct Hit {
  std::int64_t position = 0;  ///< absolute token position
  HitKind kind = HitKind::Padding;
  float score = 0;           ///< dot product, or its window's mean score; an expanded slot has its anchor's
  std::int64_t anchor = -1;  ///< absolute position of the anchor it belongs to (itself for an anchor); -1 for padding
  int summary = -1;  ///< query summary that scored the anchor best; the last one is the tail mean; -1 if none did

  bool operator==(const Hit&) const = default;
};

/// R for one head: what `head` of `layer` reads while segment `segment` (zero-based) runs. hits ascend by position. A
/// shared list is read by all readers; its layer and head are those of the first searcher.
struct HeadHits {
  std::int64_t segment = 0;
  int layer = 0;
  int head = 0;
  std::vector<Hit> hits;
  bool shared = false;

  bool operator==(const HeadHits&) const = default;
};

/// Returns the lists that a segment reads, still empty: one for each reader, by layer and head, or the shared one.
std::vector<HeadHits> hit_lists(const SegmentConfig& config, const ModelConfig& model, std::int64_t segment);

/// Throws EngineError{BadInput} if each query searches for itself, so that positions can't be prescribed to a segment.
void require_lists(const SegmentConfig& config, const ModelConfig& model, const std::string& where);

/// Returns true if the search for a list skips the carried positions, because its readers read them anyway
/// (config/head_reads.h).
bool search_skips_carry(const SegmentConfig& config, const ModelConfig& model, const HeadHits& list);

/// Returns the list of a head, or else the shared list, or null.
const HeadHits* find_hits(const std::vector<HeadHits>& hits, int layer, int head);

/// Writes a line of hits.jsonl: segment, layer, head, positions, kind, score (null for padding), anchor, summary.
void to_json(nlohmann::json& json, const HeadHits& head_hits);
/// Reads such a line. `positions` is required; `kind`, `score`, `anchor`, `summary` may be absent (then slots count as
/// anchors without score), and `shared`, which then is false. Throws EngineError{BadInput}: positions must ascend and
/// be ≥ 0, and arrays must have equal length.
HeadHits head_hits_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
