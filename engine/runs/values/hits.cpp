// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/hits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/config/head_reads.h"

namespace carryover {
namespace {

constexpr std::array kinds = {HitKind::Anchor, HitKind::Expanded, HitKind::Padding};

[[noreturn]] void refuse_hits(const std::string& where, const std::string& problem, const std::string& advice) {
  throw EngineError(Fault::BadInput, where, problem, advice);
}

/// Returns a whole number in [low, high], or throws an error that names the field.
std::int64_t whole_number(const nlohmann::json& value, const std::string& field, std::int64_t low, std::int64_t high,
                          const std::string& where) {
  const auto number = find_integer(value);
  if (!number || *number < low || *number > high) {
    refuse_hits(where,
                "\"" + field + "\" is " + value.dump() + ", not a whole number from " + std::to_string(low) + " to " +
                    std::to_string(high),
                "Write it as `carryover run --out` does in hits.jsonl.");
  }
  return *number;
}

/// Returns the array `name`, which must have one value per position, or null if it is absent.
const nlohmann::json* column(const nlohmann::json& json, const char* name, std::size_t length,
                             const std::string& where) {
  const auto found = json.find(name);
  if (found == json.end()) return nullptr;
  if (!found->is_array())
    refuse_hits(where, std::string("\"") + name + "\" is not an array", "Give one value per position.");
  if (found->size() != length) {
    refuse_hits(where,
                std::string("\"") + name + "\" has " + std::to_string(found->size()) + " values for " +
                    std::to_string(length) + " positions",
                "Give one value per position.");
  }
  return &*found;
}

HitKind parse_kind(const nlohmann::json& value, const std::string& where) {
  for (const HitKind kind : kinds) {
    if (value.is_string() && value.get_ref<const std::string&>() == hit_kind_name(kind)) return kind;
  }
  refuse_hits(where, "unknown kind " + value.dump(), "Use \"anchor\", \"expanded\" or \"padding\".");
}

float parse_score(const nlohmann::json& value, const std::string& where) {
  if (value.is_null()) return 0;
  if (!value.is_number()) refuse_hits(where, "\"score\" holds " + value.dump(), "Use a number, or null for padding.");
  return value.get<float>();
}

std::vector<Hit> parse_positions(const nlohmann::json& json, const std::string& where) {
  const auto found = json.find("positions");
  if (found == json.end() || !found->is_array()) {
    refuse_hits(where, "\"positions\" is missing or not an array",
                "List the token positions that the head shall read.");
  }
  std::vector<Hit> hits;
  for (const auto& value : *found) {
    const auto position = whole_number(value, "positions", 0, std::numeric_limits<std::int64_t>::max(), where);
    if (!hits.empty() && position <= hits.back().position) {
      refuse_hits(where,
                  "\"positions\" has " + std::to_string(position) + " after " + std::to_string(hits.back().position),
                  "Positions must ascend, each once.");
    }
    hits.push_back({.position = position, .kind = HitKind::Anchor, .anchor = position});
  }
  return hits;
}

void read_provenance(const nlohmann::json& json, std::vector<Hit>& hits, const std::string& where) {
  const auto* kind = column(json, "kind", hits.size(), where);
  const auto* score = column(json, "score", hits.size(), where);
  const auto* anchor = column(json, "anchor", hits.size(), where);
  const auto* summary = column(json, "summary", hits.size(), where);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    Hit& hit = hits[i];
    if (kind) hit.kind = parse_kind((*kind)[i], where);
    if (hit.kind != HitKind::Anchor) hit.anchor = -1;
    if (score) hit.score = parse_score((*score)[i], where);
    if (anchor) {
      hit.anchor = whole_number((*anchor)[i], "anchor", -1, std::numeric_limits<std::int64_t>::max(), where);
    }
    if (summary) {
      hit.summary =
          static_cast<int>(whole_number((*summary)[i], "summary", -1, std::numeric_limits<int>::max(), where));
    }
  }
}

std::int64_t required(const nlohmann::json& json, const char* name, std::int64_t high, const std::string& where) {
  const auto found = json.find(name);
  if (found == json.end()) refuse_hits(where, std::string("\"") + name + "\" is missing", "Say whose hits these are.");
  return whole_number(*found, name, 0, high, where);
}

}  // namespace

std::string_view hit_kind_name(HitKind kind) {
  switch (kind) {
    case HitKind::Anchor:
      return "anchor";
    case HitKind::Expanded:
      return "expanded";
    case HitKind::Padding:
      return "padding";
  }
  return "unknown";
}

std::vector<HeadHits> hit_lists(const SegmentConfig& config, const ModelConfig& model, std::int64_t segment) {
  std::vector<HeadHits> lists;
  if (!retrieves(config, model)) return lists;
  if (config.search == SearchBy::Shared) {
    const HeadRef first = config.search_heads.front();
    lists.push_back({segment, first.layer, first.head, {}, true});
    return lists;
  }
  for (int layer = 0; layer < model.layers; ++layer)
    for (const int head : reader_heads(config, model, layer)) lists.push_back({segment, layer, head, {}});
  return lists;
}

void require_lists(const SegmentConfig& config, const ModelConfig& model, const std::string& where) {
  if (!searches_per_token(config, model)) return;
  throw EngineError(Fault::BadInput, where, "prescribes positions, and under search per-token each query finds its own",
                    "Set search to per-head or shared, or take the prefix away (off).");
}

bool search_skips_carry(const SegmentConfig& config, const ModelConfig& model, const HeadHits& list) {
  if (list.shared) return shared_search_skips_carry(config, model);
  return std::ranges::any_of(head_reads(config, model, list.layer), [&](const HeadReads& kind) {
    return std::ranges::count(kind.heads, list.head) > 0 && search_skips_carry(config, model, kind);
  });
}

const HeadHits* find_hits(const std::vector<HeadHits>& hits, int layer, int head) {
  const auto found = std::ranges::find_if(
      hits, [&](const HeadHits& candidate) { return candidate.layer == layer && candidate.head == head; });
  if (found != hits.end()) return &*found;
  return hits.size() == 1 && hits.front().shared ? &hits.front() : nullptr;
}

void to_json(nlohmann::json& json, const HeadHits& head_hits) {
  using Array = nlohmann::json::array_t;
  Array positions, kind, score, anchor, summary;
  for (const Hit& hit : head_hits.hits) {
    positions.push_back(hit.position);
    kind.push_back(hit_kind_name(hit.kind));
    score.push_back(hit.kind == HitKind::Padding ? nlohmann::json() : nlohmann::json(hit.score));
    anchor.push_back(hit.anchor);
    summary.push_back(hit.summary);
  }
  json = {{"segment", head_hits.segment},
          {"layer", head_hits.layer},
          {"head", head_hits.head},
          {"positions", positions},
          {"kind", kind},
          {"score", score},
          {"anchor", anchor},
          {"summary", summary}};
  if (head_hits.shared) json["shared"] = true;
}

HeadHits head_hits_from_json(const nlohmann::json& json, const std::string& where) {
  if (!json.is_object()) refuse_hits(where, "not a JSON object", "Give one object per line, as in hits.jsonl.");
  constexpr std::int64_t int_max = std::numeric_limits<int>::max();
  HeadHits head_hits;
  head_hits.segment = required(json, "segment", std::numeric_limits<std::int64_t>::max(), where);
  head_hits.layer = static_cast<int>(required(json, "layer", int_max, where));
  head_hits.head = static_cast<int>(required(json, "head", int_max, where));
  if (const auto shared = json.find("shared"); shared != json.end()) {
    if (!shared->is_boolean()) refuse_hits(where, "\"shared\" is neither true nor false", "Use true, or leave it out.");
    head_hits.shared = shared->get<bool>();
  }
  head_hits.hits = parse_positions(json, where);
  read_provenance(json, head_hits.hits, where);
  return head_hits;
}

}  // namespace carryover
