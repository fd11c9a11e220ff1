// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/api/session.h"
#include "engine/core/cost/machine_limits.h"

namespace carryover {

/// Call first in main(), before any thread starts. LibTorch's worker threads (libgomp) spin for milliseconds between
/// two loops by default, and take the cores from the window and from other processes; and memory comes in pages of 4
/// KiB. Both settings are read at the start of a process, so the program sets them and restarts itself. What the user
/// has set stays.
void prepare_engine_environment(char** arguments);

/// Where this program's own libraries lie: lib/ of a build, lib/carryover of an installation. Any thread.
std::string library_folder();

/// Opens libcarryover_engine beside this library the first time (0.3 to 0.6 s: LibTorch) and loads a model with it.
/// Call on the engine thread. Throws EngineError{Io} where the library can't be opened, else as open_session().
std::unique_ptr<Session> load_session(const ModelRequest& request, const LoadProgress& progress);

/// Sustained throughput of the machine in the dtype, on the device and with the threads of a session that is open:
/// matmuls of the model's own shapes with `rows` rows, and the memory bandwidth of a triad. Takes about 2 s; call on
/// the engine thread. Throws EngineError{Io, OutOfMemory}.
MachineLimits measure_limits(const ModelInfo& model, std::int64_t rows);

/// Gives all memory that is allocated but not used back to the system, so that what comes next pays for what it takes.
/// Any thread. Throws EngineError{Io}.
void give_back_memory();

}  // namespace carryover
