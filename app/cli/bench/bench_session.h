// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "app/cli/bench/bench_values.h"
#include "engine/api/session.h"

namespace carryover {

/// A policy of ours, by the same calls of the session that everything else uses. Both must outlive it.
std::unique_ptr<BenchSubject> session_subject(Session& session, const BenchInput& input, const std::string& policy);

}  // namespace carryover
