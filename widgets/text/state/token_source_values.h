// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/runs/values/inspection.h"

namespace carryover {

/// The weight by which the sources of a token are shown.
enum class SourceValue { MeanAttention, LargestAttention, HeadAttention, Logit };

/// The sources of one token under one weight, for colours and words. A plain value.
class TokenSourceValues {
 public:
  TokenSourceValues() = default;
  /// `head`: row of the attention, for HeadAttention. The first `sinks` positions of the text, one at least, do not
  /// count for the scale: an attention sink would leave nothing else visible.
  TokenSourceValues(const TokenSources& sources, SourceValue value, std::int64_t head, std::int64_t sinks);

  float at(std::int64_t position) const;  ///< attention, 0 to 1, or logit; NaN: no head sees the position
  float strength(
      std::int64_t position) const;     ///< −1 to 1, of the strongest one; attention by its square root. NaN likewise
  float full() const { return full_; }  ///< the value whose strength is 1
  bool is_signed() const { return value_ == SourceValue::Logit; }

 private:
  std::vector<std::int64_t> positions_;
  std::vector<float> values_;
  float full_ = 0;
  SourceValue value_ = SourceValue::MeanAttention;
};

}  // namespace carryover
