// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

/// Ends a text before the first of some stop texts, wherever the borders between the text's pieces lie: a possible
/// beginning of a stop text is held back. The stop text whose last byte comes first counts, of several the longest. One
/// thread.
class StopFilter {
 public:
  /// None of `stops` may be empty.
  explicit StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

  /// Adds a piece, and returns the text that certainly stands before a stop text and was not returned yet.
  std::string push(std::string_view piece);
  std::string finish();  ///< the text that is held back, where no more follows
  bool stopped() const { return stopped_; }

 private:
  std::size_t begun_length() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace carryover
