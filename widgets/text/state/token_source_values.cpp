// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/token_source_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carryover {
namespace {

std::vector<float> values_of(const TokenSources& sources, SourceValue value, std::int64_t head) {
  if (value == SourceValue::Logit) return sources.logit;
  const Map& attention = sources.attention;
  std::vector<float> values(sources.positions.size());
  for (std::int64_t row = 0; row < attention.rows; ++row) {
    if (value == SourceValue::HeadAttention && row != head) continue;
    for (std::int64_t i = 0; i < attention.columns; ++i) {
      float& into = values[static_cast<std::size_t>(i)];
      into =
          value == SourceValue::LargestAttention ? std::max(into, attention.at(row, i)) : into + attention.at(row, i);
    }
  }
  if (value == SourceValue::MeanAttention && attention.rows > 0)
    for (float& each : values) each /= static_cast<float>(attention.rows);
  return values;
}

}  // namespace

TokenSourceValues::TokenSourceValues(const TokenSources& sources, SourceValue value, std::int64_t head,
                                     std::int64_t sinks)
    : positions_(sources.positions), values_(values_of(sources, value, head)), value_(value) {
  for (std::size_t i = 0; i < positions_.size(); ++i)
    if (positions_[i] >= std::max<std::int64_t>(1, sinks)) full_ = std::max(full_, std::abs(values_[i]));
}

float TokenSourceValues::at(std::int64_t position) const {
  const auto found = std::ranges::lower_bound(positions_, position);
  if (found == positions_.end() || *found != position) return std::numeric_limits<float>::quiet_NaN();
  return values_[static_cast<std::size_t>(found - positions_.begin())];
}

float TokenSourceValues::strength(std::int64_t position) const {
  const float value = at(position);
  if (std::isnan(value) || full_ == 0) return std::numeric_limits<float>::quiet_NaN();
  const float share = std::clamp(value / full_, -1.0F, 1.0F);
  return is_signed() ? share : std::sqrt(share);
}

}  // namespace carryover
