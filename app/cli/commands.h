// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

#include "app/cli/figure_request.h"
#include "engine/base/error.h"

namespace carryover {

/// Exit codes of the program, as --help and the man page list them.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,  ///< a bug of this program, or something that no other code fits
  kExitUsage = 2,
  kExitBadInput = 3,
  kExitUnsupported = 4,
  kExitIo = 5,  ///< a file can't be read or written, a full disk
  kExitOutOfMemory = 6,
  kExitNoGpu = 77,     ///< `bench --gpu` on a machine without one
  kExitStopped = 130,  ///< Ctrl-C: what was done is written
};

int exit_code(Fault fault);

/// Returns true if argv[1] asks for the command line (`run`, `--help`, …) instead of the window.
bool is_command_verb(std::string_view argument);

/// Runs the whole command line, without Qt or a display. Call it in main before any other thread exists, because it
/// blocks SIGINT for all of them. Returns the exit code; every error is on stderr by then. `make_figure`: the function
/// that `export RUN --figure` calls.
int run_command_line(int argc, char** argv, FigureMaker make_figure = {});

}  // namespace carryover
