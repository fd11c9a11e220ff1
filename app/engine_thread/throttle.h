// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>

namespace carryover {

/// Lets a worker's news of its progress pass at most 30 times a second. Owner: the worker; its thread.
class Throttle {
 public:
  /// Returns true if news may pass now; if so, the next ones wait.
  bool passes() {
    constexpr int interval_ms = 34;
    if (since_.isValid() && since_.elapsed() < interval_ms) return false;
    since_.start();
    return true;
  }

 private:
  QElapsedTimer since_;
};

}  // namespace carryover
