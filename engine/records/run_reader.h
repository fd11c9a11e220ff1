// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/core/run/run_outline.h"
#include "engine/core/run/segment_source.h"
#include "engine/records/run_folder.h"

namespace carryover {

/// All of a run: what is written as a folder, read back from one, and exported.
struct RunContents {
  std::string directory;       ///< where it is kept; empty: nowhere yet
  RunDescription description;  ///< its request has all ids, and forced hits unless `missing_hits` says why not
  RunSummary summary;          ///< of the segments that are there; `cancelled` too where the run broke off
  std::shared_ptr<const SegmentSource> segments;  ///< they come one by one, from where they are
  std::shared_ptr<RunOutline> outline;            ///< of the same segments, where it was read; else null
};

/// What stands of a run whose end is not known: the sums and maxima of its segments. `cancelled` is set.
RunSummary sum_up(const RunOutline& outline);

/// What a run's config.json says; ids are elsewhere. `path` is for what is wrong with it. Throws EngineError{BadInput}.
RunDescription read_description(const nlohmann::json& config, const std::string& path);

/// Whether the folder holds a run, without reading it.
bool is_run_folder(const std::string& directory);

/// Opens a run folder: its numbers are read, its hits and maps come by segment as they are asked for. hits.jsonl is
/// read as far as index.bin, which other programs need not write, lacks it. Any thread. Throws EngineError{Io,
/// BadInput} with the file, and the line where it has lines.
RunContents reopen_run(const std::string& directory);

}  // namespace carryover
