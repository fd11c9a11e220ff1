// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/duration_text.h"

#include <cmath>
#include <cstdint>

#include "engine/base/text_parts.h"

namespace carryover {

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "unknown";
  if (seconds < 60) return fixed_text(seconds, seconds < 10 ? 1 : 0) + " s";
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string forecast_duration(double seconds) {
  return seconds < 3600 ? human_duration(seconds) : fixed_text(seconds / 3600, 1) + " h";
}

}  // namespace carryover
