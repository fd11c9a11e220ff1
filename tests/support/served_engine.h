// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <thread>

#include "engine/remote/engine_server.h"
#include "engine/remote/pipe_io.h"
#include "engine/remote/remote_engine.h"
#include "tests/support/fake_session.h"

namespace carryover::test {

/// An engine of FakeSessions on a thread of its own, behind two pipes. `to` and `from` are the window's ends.
class ServedEngine {
 public:
  ServedEngine() {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipes");
    to = in[1];
    from = out[0];
    set_non_blocking(to);
    set_non_blocking(from);
    thread_ = std::thread([this, input = in[0], output = out[1]] {
      try {
        serve_engine(input, output, [](const ModelRequest& request, const LoadProgress& progress) {
          if (request.path == "missing") throw EngineError(Fault::Io, "missing", "is not there", "Look elsewhere.");
          progress(0.5, "half of it");
          return std::make_unique<FakeSession>(request);
        });
      } catch (const EngineError& error) {
        problem_ = error;
      }
      ::close(input);
      ::close(output);
    });
  }
  ~ServedEngine() {
    hang_up();
    if (thread_.joinable()) thread_.join();
    ::close(from);
  }
  ServedEngine(const ServedEngine&) = delete;
  ServedEngine& operator=(const ServedEngine&) = delete;

  /// Ends the engine's input, as a window does that goes away.
  void hang_up() {
    if (to >= 0) ::close(to);
    to = -1;
  }
  /// Waits for its end, and gives what it ended of.
  std::optional<EngineError> end() {
    hang_up();
    thread_.join();
    return problem_;
  }

  int to = -1, from = -1;

 private:
  std::thread thread_;
  std::optional<EngineError> problem_;
};

}  // namespace carryover::test
