// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"

namespace carryover {

struct RunDescription;
struct RunRequest;
struct SegmentSnapshot;

/// Returns config.json's `text_hash`: 16 hex digits of a text's token ids. Pure; any thread.
std::string text_hash(std::span<const std::int32_t> ids);

/// Reads the hits.jsonl of an earlier run, to be replayed on `ids`. Hits are positions, which are valid only in the
/// text that they were found in: in a run folder, `ids` has to be the text of its ids.npy, or the beginning of it. A
/// file outside of a run folder can't be checked. Hits of segments that `ids` does not reach are left out. Throws
/// EngineError{BadInput} that names both texts by hash, {Io}; {BadInput} also where the record lacks a list that the
/// run reads, a head's or the shared one, because searching in its place would be another run.
std::vector<HeadHits> read_forced_hits(const std::string& path, std::span<const std::int32_t> ids,
                                       const SegmentConfig& config, const ModelConfig& model);

/// Returns RunRequest::forced_hits of a run by its `prefix` and `seed`, or by its `force_hits`; none where it searches
/// or reads nothing. `run` must have its ids. Throws as read_forced_hits(), and EngineError{BadInput} for a prefix that
/// no run has.
std::vector<HeadHits> forced_hits_of(const RunDescription& run, const ModelConfig& model);

/// Does the same for a run that was read back: sets its request's forced hits, or writes to `missing_hits` why it
/// can't, for example because the file is gone.
void restore_forced_hits(RunDescription& run);

/// Checks that a segment after which a run continues did read its forced hits: a file of hits may have changed since.
/// Throws EngineError{BadInput}.
void check_forced_hits(const RunRequest& run, const SegmentSnapshot& given);

}  // namespace carryover
