// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// Lives while the QApplication is made. Where Qt can't start its platform (a plug-in is missing, no display answers),
/// Qt would abort: this says why and what to install, and ends the process with `exit_code`. What Qt said of a platform
/// that it could do without is passed on afterwards. GUI thread, one at a time.
class PlatformWatch {
 public:
  explicit PlatformWatch(int exit_code);
  ~PlatformWatch();
  PlatformWatch(const PlatformWatch&) = delete;
  PlatformWatch& operator=(const PlatformWatch&) = delete;
};

}  // namespace carryover
