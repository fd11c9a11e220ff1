// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run/inspection.h"
#include "engine/method/forward_map.h"
#include "engine/model/decoder.h"

namespace carryover {

/// Splits one logit by where it came from, while its segment runs: the final norm's scale is taken as it turned out, so
/// that what each head and layer wrote into the residual stream adds up to the logit. Borrows the decoder.
class DirectLogitAttribution {
 public:
  /// `token`: row of the segment; `target`: the id whose logit it predicts.
  DirectLogitAttribution(const Decoder& decoder, std::int64_t token, std::int32_t target);

  void see(const LayerSight& sight);
  LogitAttribution result() const;  ///< once the segment is whole

 private:
  double along(const at::Tensor& row) const;

  const Decoder& decoder_;
  LogitAttribution split_;
  at::Tensor direction_;  ///< [D] fp64: the final norm's weights times the target's row of the head
  double scale_ = 1;      ///< 1/rms of the last residual row
};

}  // namespace carryover
