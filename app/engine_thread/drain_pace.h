// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>

namespace carryover {

/// Decides how often the window takes a run's reports: at most 30 times a second; where the engine works on the same
/// cores, more rarely the more time it takes to show them. GUI thread.
class DrainPace {
 public:
  void drained();                        ///< now
  int ms_left(bool shares_cores) const;  ///< until it is due again; 0: it is

 private:
  QElapsedTimer since_;
  double cpu_ms_ = 0;  ///< of this thread, when it was drained last
};

}  // namespace carryover
