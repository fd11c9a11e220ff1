// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/stop_filter.h"

#include <algorithm>
#include <utility>

namespace carryover {

std::string StopFilter::push(std::string_view piece) {
  if (stopped_) return {};
  held_ += piece;
  std::size_t start = std::string::npos, end = std::string::npos;
  for (const std::string& stop : stops_) {
    const std::size_t at = held_.find(stop);
    if (at == std::string::npos) continue;
    if (std::pair(at + stop.size(), at) >= std::pair(end, start)) continue;
    start = at;
    end = at + stop.size();
  }
  stopped_ = start != std::string::npos;
  if (stopped_) return std::exchange(held_, {}).substr(0, start);
  const std::size_t certain = held_.size() - begun_length();
  std::string text = held_.substr(0, certain);
  held_.erase(0, certain);
  return text;
}

std::string StopFilter::finish() {
  return std::exchange(held_, {});
}

/// Bytes at the end that a stop text begins with.
std::size_t StopFilter::begun_length() const {
  std::size_t longest = 0;
  for (const std::string& stop : stops_)
    for (std::size_t length = std::min(stop.size() - 1, held_.size()); length > longest; --length)
      if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, length))) longest = length;
  return longest;
}

}  // namespace carryover
