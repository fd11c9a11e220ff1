// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/commands.h"

int main(int argc, char** argv) { return carryover::run_command_line(argc, argv); }
