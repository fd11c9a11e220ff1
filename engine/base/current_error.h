// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/error.h"

namespace carryover {

/// Returns the exception that is being handled as an error to report; call it only in a catch block. Memory and threads
/// that the system refuses are OutOfMemory, a file system's error is Io, and any other exception is a bug of this
/// program. Any thread.
EngineError current_error();

}  // namespace carryover
