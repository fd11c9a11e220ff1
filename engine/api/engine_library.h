// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/api/session.h"
#include "engine/cost/machine_limits.h"

namespace carryover {

/// Sets two defaults of the process's environment and restarts the program. Call it first in main(), before any thread
/// starts. By default, LibTorch's worker threads (libgomp) spin for milliseconds between two loops and so take cores
/// from the window and from other processes, and memory comes in pages of 4 KiB. Both settings are read only when a
/// process starts. Settings that the user made stay.
void prepare_engine_environment(char** arguments);

/// Returns the folder of this program's own libraries: lib/ of a build, lib/carryover of an installation. Any thread.
std::string library_folder();

/// Loads a model with libcarryover_engine. The first call opens that library, which lies beside this one (0.3 to 0.6 s,
/// for LibTorch). Call on the engine thread. Throws EngineError{Io} if the library can't be opened, and otherwise as
/// open_session() does.
std::unique_ptr<Session> load_session(const ModelRequest& request, const LoadProgress& progress);

/// Measures the sustained throughput of the machine in the dtype, on the device and with the threads of the open
/// session: matmuls of the model's own shapes with `rows` rows, and the memory bandwidth of a triad. Takes about 2 s.
/// Call on the engine thread. Throws EngineError{Io, OutOfMemory}.
MachineLimits measure_limits(const ModelInfo& model, std::int64_t rows);

/// Gives all memory that is allocated but not used back to the system, so that the time to obtain memory counts for the
/// work that needs it. Any thread. Throws EngineError{Io}.
void give_back_memory();

}  // namespace carryover
