// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "engine/campaigns/kernel/campaign_observer.h"

namespace carryover {

/// Progress on standard error: one live line on a terminal, plain lines (at most one a second) elsewhere, nothing when
/// quiet. One thread.
class ProgressLine final : public CampaignObserver {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() override;  ///< clears a live line

  void loading(double fraction, const std::string& what) override;
  void tokens(std::int64_t done, std::int64_t total) override;
  /// A line that stays, where there is no live one.
  void segment(std::int64_t index, std::int64_t done, std::int64_t total, const std::string& detail) override;
  /// Any state: a live line, or one at most once a second elsewhere.
  void status(const std::string& text) override;
  void note(const std::string& text) override;
  void clear() override;
  void restart() override { started_ = false; }

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& text);
  bool due(double seconds);
  std::string rate(std::int64_t done, std::int64_t total) const;

  bool quiet_, terminal_;
  bool shown_ = false, started_ = false, loading_shown_ = false;
  Clock::time_point start_{}, last_{};
};

}  // namespace carryover
