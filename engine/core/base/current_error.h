// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/base/error.h"

namespace carryover {

/// The exception that is being handled, as an error to report: call it in a catch block only. Memory and threads that
/// the system refuses are OutOfMemory, a file system's error is Io, every other one a bug of ours. Any thread.
EngineError current_error();

}  // namespace carryover
