// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "engine/api/session.h"
#include "engine/remote/remote_engine.h"

namespace carryover {

/// A session whose work an engine elsewhere does: the same values bit for bit, events as they happen there, controls
/// heard at the next layer. Paths are of the machine there. TrainRequest without a corpus: it is read there, from
/// plan.data. What is closed here is closed there.
std::unique_ptr<Session> open_remote_session(std::shared_ptr<RemoteEngine> engine, const ModelRequest& request,
                                             const LoadProgress& progress);

}  // namespace carryover
