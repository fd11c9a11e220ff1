// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/session.h"

namespace carryover {

/// Opens libcarryover_engine beside this library the first time (0.3 to 0.6 s: LibTorch) and loads a model with it.
/// Call on the engine thread. Throws EngineError{Io} where the library can't be opened, else as open_session().
std::unique_ptr<Session> load_session(const ModelRequest& request, const LoadProgress& progress);

}  // namespace carryover
