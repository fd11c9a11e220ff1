// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>

#include "engine/api/session.h"

namespace carryover {

using SessionOpener = std::function<std::unique_ptr<Session>(const ModelRequest&, const LoadProgress&)>;

/// Serves a window elsewhere over two descriptors until the input ends; then the current work is stopped as Ctrl-C
/// would (a training saves a checkpoint). Sessions live on the calling thread. Each error of a request is told to the
/// window and ends that request alone. Throws EngineError{BadInput, Unsupported}, after telling, where what comes is no
/// window of this version.
void serve_engine(int input, int output, const SessionOpener& open);

}  // namespace carryover
