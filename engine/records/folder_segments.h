// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/core/run/run_outline.h"
#include "engine/core/run/segment_source.h"
#include "engine/records/run_folder.h"

namespace carryover {

/// Where what is given as a run is none.
inline constexpr const char* kRunFolderAdvice = "Use a folder that `carryover run --out` or the window wrote.";

/// The segments of a run folder: what stays in memory of them, and the rest as it is asked for.
struct FolderRun {
  std::shared_ptr<RunOutline> outline;
  std::shared_ptr<const SegmentSource> segments;
};

/// `run` lacks its hits; `description` has the run's model and request with all ids. Reads index.bin, and of hits.jsonl
/// what that lacks. Throws EngineError{Io, BadInput} with the file, and the line of hits.jsonl.
FolderRun open_folder_segments(const StoredRun& run, const RunDescription& description);

}  // namespace carryover
