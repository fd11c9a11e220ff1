// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/policies/prepared_run.h"
#include "engine/session.h"

namespace carryover {

/// Throws EngineError{BadInput, OutOfMemory} where ids, configuration or memory won't do.
void check_request(const Decoder& decoder, const RunRequest& request);

/// Reads a text in segments: losses, hits, maps and memory of each (the contract of Session::run).
RunSummary run_text(const Decoder& decoder, const RunRequest& request, RunObserver& observer, RunControl& control);

/// The contract of Session::logits.
std::vector<float> logits_at(const Decoder& decoder, const RunRequest& request,
                             const std::vector<std::int64_t>& positions, RunControl& control);

}  // namespace carryover
