// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/memory_bytes.h"
#include "engine/runs/values/hits.h"
#include "engine/runs/values/map.h"
#include "engine/runs/values/segment_time.h"
#include "engine/runs/values/sinks.h"

namespace carryover {

/// The scalars of one closed segment, which are a line of segments.jsonl.
struct SegmentRecord {
  std::int64_t index = 0;        ///< zero-based
  std::int64_t first_token = 0;  ///< absolute position
  std::int64_t length = 0;       ///< m_i
  std::int64_t targets =
      0;  ///< predicted by this segment's outputs (eq:seg-loss with the boundary rule of docs/paper_map.md)
  double nll_sum = 0;             ///< nats over those targets
  double seconds = 0;             ///< without pauses
  std::int64_t pool_entries = 0;  ///< tokens held by the pool after this segment
  std::int64_t near_ties = 0;  ///< retrieval cuts made for the NEXT segment whose margin is under 1e-5·‖summary‖·‖key‖
  MemoryBytes memory;
  std::optional<SegmentTime> time = {};   ///< nothing in runs of versions that did not measure it
  std::optional<SinkSummary> sinks = {};  ///< nothing if they were not captured

  bool has_lost_sink() const { return sinks && sinks->lost; }
};
void to_json(nlohmann::json& json, const SegmentRecord& record);
void from_json(const nlohmann::json& json, SegmentRecord& record);
/// Reads the field "near_ties" of a segment or a summary, which earlier versions called "close_cuts".
void get_near_ties(const nlohmann::json& object, std::int64_t& near_ties);

/// The results of one segment, copied to the CPU and immutable. It is the only object of the engine that other threads
/// see. Maps are empty if they were not captured.
struct SegmentSnapshot {
  SegmentRecord record;
  std::vector<std::int32_t> ids;  ///< the segment's tokens, m_i
  std::vector<float> target_nll;  ///< nats; entry j is the loss of target first_token + j + 1; `record.targets` entries
  std::vector<HeadHits> hits;     ///< hits that this segment READ, by layer and head
  // [L, slots] of the carry this segment LEFT, up to carry_slots(). The last column is the segment's last token; NaN
  // where a layer carries nothing.
  Map carry_key_norm;  ///< ‖k‖, mean over the layer's KV heads
  Map carry_value_norm;
  Map carry_drift;  ///< ‖k − k'‖/‖k'‖ against the same slot of the previous segment's carry; empty for the first
  Map sinks;        ///< [L, kSinkColumns]
};

}  // namespace carryover
