// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/run_outline.h"
#include "engine/runs/values/segment_source.h"

namespace carryover {

/// A whole run, as it is written to a folder, read back from one, and exported.
struct RunContents {
  std::string directory;       ///< folder that holds it; empty: not saved yet
  RunDescription description;  ///< its request has all ids, and forced hits unless `missing_hits` says why not
  RunSummary summary;          ///< of the segments that are there; `cancelled` too where the run broke off
  std::shared_ptr<const SegmentSource> segments;  ///< loaded one by one from their file
  std::shared_ptr<RunOutline> outline;            ///< of the same segments, where it was read; else null
};

/// Returns the summary of a run that has no end: the sums and maxima of its segments, with `cancelled` set.
RunSummary sum_up(const RunOutline& outline);

/// Returns the contents of a run's config.json; ids are in another file. Throws EngineError{BadInput} naming `path`.
RunDescription read_description(const nlohmann::json& config, const std::string& path);

/// Returns true if the folder holds a run, without reading it.
bool is_run_folder(const std::string& directory);

/// Opens a run folder: reads its numbers now, and its hits and maps segment by segment on demand. It reads the part of
/// hits.jsonl that index.bin lacks, since other programs need not write index.bin. Any thread. Throws EngineError{Io,
/// BadInput} with the file, and the line where it has lines.
RunContents reopen_run(const std::string& directory);

}  // namespace carryover
