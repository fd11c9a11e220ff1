// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractEventDispatcher>
#include <QCoreApplication>

namespace carryover::test {

/// Queued refreshes, layouts and replots are done: events are processed until none is left. What waits for time or for
/// another thread is not: QTRY_VERIFY waits for that.
inline void settle() {
  constexpr int quiet_rounds = 3, most_rounds = 100'000;
  QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance();
  for (int round = 0, quiet = 0; quiet < quiet_rounds && round < most_rounds; ++round) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    quiet = dispatcher->processEvents(QEventLoop::AllEvents) ? 0 : quiet + 1;
  }
}

}  // namespace carryover::test
