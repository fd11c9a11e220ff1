// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/hit_index.h"
#include "engine/runs/values/snapshot.h"

/// Checks of values that come from a file or from an engine on another machine, before anything indexes with them. Any
/// thread.
namespace carryover {

inline constexpr std::int64_t kMostLayersOrHeads = 1 << 16;  ///< limit for any model

/// The limits of a run's values. 0 layers, heads or vocabulary means that the number is not known, so that only a
/// general limit holds.
struct SnapshotLimits {
  std::int64_t tokens = 0;  ///< tokens of the run
  std::int64_t layers = 0, heads = 0, vocabulary = 0;
  std::int64_t segment_length = 0, carry_slots = 0;
};
SnapshotLimits snapshot_limits(const ModelConfig& model, const SegmentConfig& config, std::int64_t tokens);

/// The place where a segment must be: the index and the first token that follow the segment before it.
struct SegmentPlace {
  std::int64_t index = 0, first_token = 0;
  SegmentPlace after(const SegmentRecord& record) const { return {index + 1, first_token + record.length}; }
};

/// Throws EngineError{BadInput} with `where` if an id is outside [0, vocabulary).
void check_ids(std::span<const std::int32_t> ids, std::int64_t vocabulary, const std::string& where);

/// Checks that the record is at `place` and inside the run, and that its counts and sizes are possible. Throws
/// EngineError{BadInput}.
void check_record(const SegmentRecord& record, SegmentPlace place, const SnapshotLimits& limits,
                  const std::string& where);

/// Checks the hits of one segment that starts at `place`: each head of the model occurs at most once, and positions
/// ascend and are before the segment. Throws EngineError{BadInput}.
void check_hits(const std::vector<HeadHits>& hits, SegmentPlace place, const SnapshotLimits& limits,
                const std::string& where);

/// Returns true if such hits in brief are possible.
bool are_possible(std::span<const BriefHead> heads, SegmentPlace place, const SnapshotLimits& limits);

/// Checks that the map has rows × columns values, with `rows` rows and at most `most_columns` columns; an empty map is
/// allowed. Throws EngineError{BadInput}, which names `what`.
void check_map(const Map& map, std::int64_t rows, std::int64_t most_columns, const std::string& what,
               const std::string& where);

/// Checks that the map is [layers, kSinkColumns] of finite norms and of shares of attention, or empty. Throws
/// EngineError{BadInput}.
void check_sinks(const Map& sinks, const SnapshotLimits& limits, const std::string& where);

/// Checks all of a snapshot: record, number of ids and losses, hits, maps. Losses and values of the carry's maps may be
/// anything, even NaN. Throws EngineError{BadInput} with `where`.
void check_snapshot(const SegmentSnapshot& snapshot, SegmentPlace place, const SnapshotLimits& limits,
                    const std::string& where);

}  // namespace carryover
