// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/core/config/segment_config.h"
#include "engine/core/run/hit_index.h"
#include "engine/core/run/snapshot.h"

/// Checks of what comes from a file or from an engine on another machine, before anything indexes with it. Any thread.
namespace carryover {

inline constexpr std::int64_t kMostLayersOrHeads = 1 << 16;  ///< of any model

/// What the values of a run may be. 0 layers, heads or vocabulary: not known, so that only a general bound holds.
struct SnapshotLimits {
  std::int64_t tokens = 0;  ///< of the run
  std::int64_t layers = 0, heads = 0, vocabulary = 0;
  std::int64_t segment_length = 0, carry_length = 0;
};
SnapshotLimits snapshot_limits(const ModelConfig& model, const SegmentConfig& config, std::int64_t tokens);

/// Where a segment must lie: the index and the first token that follow the segment before it.
struct SegmentPlace {
  std::int64_t index = 0, first_token = 0;
  SegmentPlace after(const SegmentRecord& record) const { return {index + 1, first_token + record.length}; }
};

/// Throws EngineError{BadInput} with `where` for an id outside [0, vocabulary).
void check_ids(std::span<const std::int32_t> ids, std::int64_t vocabulary, const std::string& where);

/// The record lies at `place` and inside the run, its counts and sizes are possible. Throws EngineError{BadInput}.
void check_record(const SegmentRecord& record, SegmentPlace place, const SnapshotLimits& limits,
                  const std::string& where);

/// Hits of one segment that starts at `place`: each head of the model at most once, positions ascending before the
/// segment. Throws EngineError{BadInput}.
void check_hits(const std::vector<HeadHits>& hits, SegmentPlace place, const SnapshotLimits& limits,
                const std::string& where);

/// The same question about hits in brief.
bool are_possible(std::span<const BriefHead> heads, SegmentPlace place, const SnapshotLimits& limits);

/// rows × columns is the number of values, at most [rows, columns] as given; an empty map is allowed. Throws
/// EngineError{BadInput} naming `what`.
void check_map(const Map& map, std::int64_t rows, std::int64_t most_columns, const std::string& what,
               const std::string& where);

/// [layers, kSinkColumns] of finite norms and of shares of attention, or empty. Throws EngineError{BadInput}.
void check_sinks(const Map& sinks, const SnapshotLimits& limits, const std::string& where);

/// All of a snapshot: record, number of ids and losses, hits, maps. Values of losses and of the carry's maps may be
/// anything, NaN too. Throws EngineError{BadInput} with `where`.
void check_snapshot(const SegmentSnapshot& snapshot, SegmentPlace place, const SnapshotLimits& limits,
                    const std::string& where);

}  // namespace carryover
