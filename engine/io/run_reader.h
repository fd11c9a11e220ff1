// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/io/run_folder.h"

namespace carryover {

/// All of a run: what is written as a folder, read back from one, and exported.
struct RunContents {
  std::string directory;       ///< where it is kept; empty: nowhere yet
  RunDescription description;  ///< its request has all ids, and no forced hits: those are in the segments
  RunSummary summary;          ///< of the segments that are there; `cancelled` too where the run broke off
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
};

/// What stands of a run whose end is not known: the sums and maxima of its segments. `cancelled` is set.
RunSummary sum_up(const std::vector<std::shared_ptr<const SegmentSnapshot>>& segments);

/// What a run's config.json says; ids are elsewhere. `path` is for what is wrong with it. Throws EngineError{BadInput}.
RunDescription read_description(const nlohmann::json& config, const std::string& path);

/// Whether the folder holds a run, without reading it.
bool is_run_folder(const std::string& directory);

/// Reads all of a run folder, carry maps too. Any thread.
/// Throws EngineError{Io, BadInput} with the file, and the line where it has lines.
RunContents reopen_run(const std::string& directory);

}  // namespace carryover
