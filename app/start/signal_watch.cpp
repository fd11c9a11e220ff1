// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/signal_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "engine/base/error.h"

namespace carryover {

namespace {

constexpr int kWatched[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t write_end = -1;

/// Only write(2) is allowed here: the event loop does the rest.
void note_signal(int number) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(number);
  const ssize_t written = ::write(write_end, &byte, 1);
  static_cast<void>(written);
  errno = error;
}

void set_action(int number, void (*handler)(int), int flags) {
  struct sigaction now {};
  if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(number, &action, nullptr);
}

int made_pipe(int* ends) {
  CARRYOVER_CHECK(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  return ends[0];
}

}  // namespace

SignalWatch::SignalWatch(QObject* parent) : QObject(parent), notifier_(made_pipe(pipe_), QSocketNotifier::Read, this) {
  connect(&notifier_, &QSocketNotifier::activated, this, &SignalWatch::read_number);
  write_end = pipe_[1];
  for (const int number : kWatched) set_action(number, note_signal, static_cast<int>(SA_RESTART | SA_RESETHAND));
}

SignalWatch::~SignalWatch() {
  for (const int number : kWatched) set_action(number, SIG_DFL, 0);
  write_end = -1;
  for (const int end : pipe_) ::close(end);
}

void SignalWatch::read_number() {
  unsigned char number = 0;
  if (::read(pipe_[0], &number, 1) != 1) return;
  for (const int watched : kWatched) set_action(watched, SIG_DFL, 0);
  Q_EMIT ended(number);
}

}  // namespace carryover
