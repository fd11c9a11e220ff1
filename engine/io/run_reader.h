// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/core/run_outline.h"
#include "engine/core/segment_source.h"
#include "engine/io/run_folder.h"

namespace carryover {

/// All of a run: what is written as a folder, read back from one, and exported.
struct RunContents {
  std::string directory;       ///< where it is kept; empty: nowhere yet
  RunDescription description;  ///< its request has all ids, and no forced hits: those are in the segments
  RunSummary summary;          ///< of the segments that are there; `cancelled` too where the run broke off
  std::shared_ptr<const SegmentSource> segments;
};

/// A run folder that has been opened: its numbers are read, its hits and maps come by segment as they are asked for.
struct OpenedRun {
  RunContents contents;
  std::shared_ptr<RunOutline> outline;  ///< of its segments
};

/// Whether the folder holds a run, without reading it.
bool is_run_folder(const std::string& directory);

/// Opens a run folder. hits.jsonl is read as far as index.bin, which other programs need not write, lacks it. Any
/// thread. Throws EngineError{Io, BadInput} with the file, and the line where it has lines.
OpenedRun open_run_folder(const std::string& directory);

}  // namespace carryover
