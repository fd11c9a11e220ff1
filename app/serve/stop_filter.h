// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// Ends a text before the first of some stop texts, wherever the borders between its pieces lie: what may be the
/// beginning of one is held back. The one whose last byte comes first counts, of several the longest. One thread.
class StopFilter {
 public:
  /// None of them empty.
  explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  /// What of the text so far is certain to be before a stop text, and was not given yet.
  std::string push(std::string_view piece);
  std::string finish();  ///< what is held back, where nothing more comes
  bool stopped() const { return stopped_; }

 private:
  std::size_t begun_length() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace carryover
