// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

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
  float score = 0;           ///< raw dot product; an expanded slot has its anchor's; meaningless for padding
  std::int64_t anchor = -1;  ///< absolute position of the anchor it belongs to (itself for an anchor); -1 for padding
  int summary = -1;  ///< which query summary scored the anchor best; the last one is the tail mean; -1 for padding

  bool operator==(const Hit&) const = default;
};

/// R for one head: what `head` of `layer` reads while segment `segment` (zero-based) runs. hits ascend by position.
struct HeadHits {
  std::int64_t segment = 0;
  int layer = 0;
  int head = 0;
  std::vector<Hit> hits;

  bool operator==(const HeadHits&) const = default;
};

/// Those of a head, or null.
const HeadHits* find_hits(const std::vector<HeadHits>& hits, int layer, int head);

/// The line format of hits.jsonl: segment, layer, head, positions, kind, score (null for padding), anchor, summary.
void to_json(nlohmann::json& json, const HeadHits& head_hits);
/// `positions` is required; `kind`, `score`, `anchor`, `summary` may be absent (then slots count as anchors without
/// score). Throws EngineError{BadInput}: positions must ascend and be ≥ 0, arrays must have equal length.
HeadHits head_hits_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace carryover
