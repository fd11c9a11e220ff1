// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// Why a position is in a retrieved prefix (app:retrieval): it scored, it stands beside one that did, or it fills up.
/// Padding is not evidence.
enum class HitKind : std::uint8_t { Anchor, Expanded, Padding };
std::string_view hit_kind_name(HitKind kind);

/// Absolute positions [first, last).
struct TokenRange {
  std::int64_t first = 0, last = 0;
  bool contains(std::int64_t position) const { return position >= first && position < last; }
  bool operator==(const TokenRange&) const = default;
};

/// One slot of a retrieved prefix with its provenance.
struct Hit {
  std::int64_t position = 0;  ///< absolute token position
  HitKind kind = HitKind::Padding;
  float score = 0;           ///< raw dot product, or its window's mean score; an expanded slot has its anchor's
  std::int64_t anchor = -1;  ///< absolute position of the anchor it belongs to (itself for an anchor); -1 for padding
  int summary = -1;  ///< which query summary scored the anchor best; the last one is the tail mean; -1 where none did

  bool operator==(const Hit&) const = default;
};

/// R for one head: what `head` of `layer` reads while segment `segment` (zero-based) runs. hits ascend by position.
/// Shared: what all readers read; layer and head are the first searcher's.
struct HeadHits {
  std::int64_t segment = 0;
  int layer = 0;
  int head = 0;
  std::vector<Hit> hits;
  bool shared = false;

  bool operator==(const HeadHits&) const = default;
};

/// The lists that a segment reads, still empty: one for each reader, by layer and head, or the shared one.
std::vector<HeadHits> hit_lists(const SegmentConfig& config, const ModelConfig& model, std::int64_t segment);

/// Whether the search for a list leaves the carried positions out, because its readers read them anyway
/// (core/config/head_reads.h).
bool search_skips_carry(const SegmentConfig& config, const ModelConfig& model, const HeadHits& list);

/// Those of a head, else the shared ones, or null.
const HeadHits* find_hits(const std::vector<HeadHits>& hits, int layer, int head);

/// The line format of hits.jsonl: segment, layer, head, positions, kind, score (null for padding), anchor, summary.
void to_json(nlohmann::json& json, const HeadHits& head_hits);
/// `positions` is required; `kind`, `score`, `anchor`, `summary` may be absent (then slots count as anchors without
/// score). Throws EngineError{BadInput}: positions must ascend and be ≥ 0, arrays must have equal length. `shared` may
/// be absent: false.
HeadHits head_hits_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
