// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>

#include "app/cli/commands.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"

namespace carryover {

namespace {
/// One request may come twice: to a group of processes, and from a script among them that passes it on.
constexpr std::chrono::milliseconds kOneRequest{500};
}  // namespace

InterruptWatch::InterruptWatch(RunControl& control) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGINT);
  sigaddset(&mask, SIGTERM);
  sigaddset(&mask, SIGHUP);  // the terminal is gone: what is done is saved
  CARRYOVER_CHECK(pthread_sigmask(SIG_BLOCK, &mask, nullptr) == 0);
  signals_ = signalfd(-1, &mask, SFD_CLOEXEC);
  quit_ = eventfd(0, EFD_CLOEXEC);
  CARRYOVER_CHECK(signals_ >= 0 && quit_ >= 0);
  thread_ = std::thread([this, &control] { watch(control); });
}

InterruptWatch::~InterruptWatch() {
  const std::uint64_t one = 1;
  if (::write(quit_, &one, sizeof one) == sizeof one) thread_.join();
  ::close(signals_);
  ::close(quit_);
}

void InterruptWatch::watch(RunControl& control) const {
  pollfd sources[] = {{signals_, POLLIN, 0}, {quit_, POLLIN, 0}};
  std::chrono::steady_clock::time_point asked;
  while (true) {
    if (::poll(sources, 2, -1) < 0) continue;
    if (sources[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != sizeof info) continue;
    const auto now = std::chrono::steady_clock::now();
    if (control.stop_requested() && now - asked > kOneRequest) ::_exit(kExitStopped);
    if (!control.stop_requested()) asked = now;
    control.request_stop();
  }
}

}  // namespace carryover
