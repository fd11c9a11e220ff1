// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/run_outline.h"
#include "engine/runs/values/segment_source.h"

namespace carryover {

/// The advice of errors about a folder that holds no run.
inline constexpr const char* kRunFolderAdvice = "Use a folder that `carryover run --out` or the window wrote.";

/// The segments of a run folder: the outline stays in memory, and the rest is read when it is asked for.
struct FolderRun {
  std::shared_ptr<RunOutline> outline;
  std::shared_ptr<const SegmentSource> segments;
};

/// Opens the segments of a run folder. `run` has no hits yet; `description` has the run's model and request with all
/// ids. Reads index.bin, and the part of hits.jsonl that index.bin lacks. Throws EngineError{Io, BadInput} with the
/// file, and the line of hits.jsonl.
FolderRun open_folder_segments(const StoredRun& run, const RunDescription& description);

}  // namespace carryover
