// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/terminal_text.h"

namespace carryover {

namespace {

void write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  const bool written = text.empty();
  if (!written && errno == EPIPE) {  // `… | head` has seen enough: end as if nobody had asked for the rest
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (!written) {
    throw EngineError(Fault::Io, "standard output", std::string("can't be written: ") + std::strerror(errno),
                      "Check where it is redirected to.");
  }
}

}  // namespace

void print(std::string_view text) {
  write_out(terminal_text(text));
}

void print_exactly(std::string_view text) {
  if (::isatty(STDOUT_FILENO) == 1) return print(text);
  write_out(text);
}

}  // namespace carryover
