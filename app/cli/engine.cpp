// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/remote/engine_server.h"
#include "engine/remote/protocol.h"
#include "engine/remote/protocol_description.h"

namespace carryover {

namespace {

/// Standard output is the line to the window: whatever a library prints there goes to standard error instead.
int take_output() {
  const int line = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  CARRYOVER_CHECK(line >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
  return line;
}

int serve() {
  if (::isatty(STDIN_FILENO) != 0) {
    throw EngineError(Fault::Usage, "engine", "speaks to a window and not to a terminal",
                      "Start the window with: carryover --engine \"ssh HOST carryover-cli engine\"");
  }
  serve_engine(STDIN_FILENO, take_output(), load_session);
  return kExitOk;
}

/// Prints the protocol's description, which another program needs before it can use this engine.
int print_description() {
  nlohmann::json description = describe_protocol();
  description["greeting"] = greeting();
  print(description.dump() + "\n");
  return kExitOk;
}

}  // namespace

VerbAction add_engine(CLI::App& app) {
  const auto describes = std::make_shared<bool>(false);
  app.add_flag("--describe", *describes,
               "print the protocol as JSON (messages and their fields), for programs other than the window");
  app.footer(
      R"(Runs the engine for a window on another machine, over standard input and output; it listens on no port and ends
when its input ends. The window starts it by a command such as
  ssh gpu-machine carryover-cli engine
Python programs start it with the package in the folder python of the sources.)");
  return [describes] { return *describes ? print_description() : serve(); };
}

}  // namespace carryover
