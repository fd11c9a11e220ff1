// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/standard_streams.h"
#include "engine/api/engine_library.h"

int main(int argc, char** argv) {
  carryover::prepare_standard_streams();
  carryover::prepare_engine_environment(argv);
  return carryover::run_command_line(argc, argv);
}
