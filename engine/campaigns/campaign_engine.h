// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "engine/campaigns/kernel/campaign_observer.h"
#include "engine/cost/machine_limits.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/records/run_settings.h"

namespace carryover {

/// Loads a model, and shows how far that is. Throws as load_session() does, and EngineError{Cancelled} if `control` is
/// asked to stop.
std::unique_ptr<Session> open_session(const ModelRequest& request, CampaignObserver& observer, RunControl& control);

/// Measures what the machine reaches with such a model, which takes two seconds. Call it on the engine thread. Throws
/// EngineError{Io, OutOfMemory}.
MachineLimits measured_limits(const ModelConfig& model, DType dtype, Device device, int threads);

/// Returns a run of `ids` under `settings`: its request, with the hits that its settings force, and what its record
/// says of it. `text` names where the ids are from. What is captured and the open model are the caller's to fill in.
/// Throws EngineError{BadInput, Io}.
RunDescription describe_run(const RunSettings& settings, std::vector<std::int32_t> ids, const std::string& text,
                            const ModelConfig& model);

/// Runs it, writes each segment into `folder`, which may be null, and shows progress. RunFolder::finish() is the
/// caller's to call. Throws what writing throws, which ends the run, and as Session::run() does.
RunSummary run_recorded(Session& session, const RunDescription& description, RunFolder* folder,
                        CampaignObserver& observer, RunControl& control);

}  // namespace carryover
