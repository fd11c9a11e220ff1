// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/hub/hub_client.h"

namespace carryover {

class RunControl;

/// How far a fetch has come. A plain value.
struct FetchProgress {
  std::string file;                  ///< its path in the repository
  std::int64_t done = 0, total = 0;  ///< bytes of all files that are fetched, with those that were here
};

/// Get what a fetch reports, in its own thread; each may be called some thousand times a second.
struct FetchEvents {
  std::function<void(const FetchProgress& progress)> progress;
  std::function<void(const std::string& line)> note;  ///< why it waits
};

/// The files of a model to fetch. A plain value.
struct FetchPlan {
  HubModel model;              ///< its name, commit and all files
  std::vector<HubFile> files;  ///< those that were chosen
  std::int64_t bytes = 0;      ///< their size
  std::int64_t to_come = 0;    ///< of it, what is not in the cache yet
};

/// Asks the hub for a model's files and chooses among them (choose_files()). Throws EngineError as HubClient does, and
/// {Usage} if the user is offline by choice.
FetchPlan plan_fetch(const HubName& name, const std::vector<std::string>& patterns, const HubSettings& settings,
                     const FetchEvents& events, RunControl& control);

/// Fetches what is not in the cache, after looking whether the disk has room for it, checks each file's hash, and only
/// then links all of them into the snapshot. Returns the path to open: the snapshot's folder or its first GGUF. What
/// has come of a file stays, and the next fetch continues it: after a cut, a stop, a full disk or the end of the
/// process. Throws EngineError{Io, BadInput, Cancelled}, and {Usage} while another process fetches the same file. Any
/// one thread.
std::string run_fetch(const FetchPlan& plan, const HubSettings& settings, const FetchEvents& events,
                      RunControl& control);

}  // namespace carryover
