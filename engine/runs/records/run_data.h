// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/runs/records/run_reader.h"

namespace carryover {

/// "hits", "nll", "segments", "carry_maps", "sinks": what write_run_data takes; docs/guide.md has the columns.
std::vector<std::string> run_data_kinds();

/// Writes one kind of a run's data: CSV with its provenance in lines that start with "# ", or .npy (records by the same
/// names; carry maps as one array [segments, 3, L, M], sinks as one [segments, L, kSinkColumns]) with provenance and
/// columns in a .json beside it. The path's suffix decides. Any thread. Throws EngineError{Usage} on another kind or
/// suffix, or where the run has none of it, and {Io} naming the file.
void write_run_data(const RunContents& run, const std::string& kind, const std::string& path);

}  // namespace carryover
