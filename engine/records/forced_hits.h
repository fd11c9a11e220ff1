// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/config/segment_config.h"
#include "engine/core/run/hits.h"

namespace carryover {

/// 16 hex digits of a text's token ids: config.json's `text_hash`. Pure; any thread.
std::string text_hash(std::span<const std::int32_t> ids);

/// hits.jsonl of an earlier run, to be replayed on `ids`. Hits are positions, which mean something in the text that
/// they were found in only: in a run folder, `ids` has to be the text of its ids.npy, or the beginning of it. A file
/// without a run's folder around it cannot be checked. Hits of segments that `ids` does not reach are left out. Throws
/// EngineError{BadInput} that names both texts by hash, {Io}.
/// Throws EngineError{BadInput} also where the record lacks a head that the run reads hits for: searching in its place
/// would be another run.
std::vector<HeadHits> read_forced_hits(const std::string& path, std::span<const std::int32_t> ids,
                                       const SegmentConfig& config, const ModelConfig& model);

}  // namespace carryover
