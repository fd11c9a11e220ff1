// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

namespace carryover {

/// Shows how far the work on an engine has got. Its owner's thread calls it.
class CampaignObserver {
 public:
  virtual ~CampaignObserver() = default;
  virtual void loading(double fraction, const std::string& what) = 0;
  /// The clock of tokens/s starts at the first call.
  virtual void tokens(std::int64_t done, std::int64_t total) = 0;
  /// Tells of a whole segment; `detail` is appended to the rate and the time left.
  virtual void segment(std::int64_t index, std::int64_t done, std::int64_t total, const std::string& detail) = 0;
  virtual void status(const std::string& text) = 0;  ///< shows a state until the next one
  virtual void note(const std::string& text) = 0;    ///< shows a line that stays
  virtual void clear() = 0;                          ///< takes a state that is shown away
  virtual void restart() = 0;                        ///< lets the clock of tokens/s start again with the next call
};

}  // namespace carryover
