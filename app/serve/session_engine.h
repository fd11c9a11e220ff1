// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>

#include "app/serve/serving_engine.h"
#include "engine/api/session.h"

namespace carryover {

/// Serves a session that it owns.
std::unique_ptr<ServingEngine> serve_session(std::unique_ptr<Session> session);

}  // namespace carryover
