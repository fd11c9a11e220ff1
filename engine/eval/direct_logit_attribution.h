// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run/inspection.h"
#include "engine/method/forward_map.h"
#include "engine/model/decoder.h"

namespace carryover {

/// [D] fp64: what the last residual row is multiplied with for a target's logit, but for the final norm's scale.
at::Tensor logit_direction(const Decoder& decoder, std::int32_t target);
/// That scale: 1/rms of the last residual row.
double final_norm_scale(const Decoder& decoder, const at::Tensor& row);

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
  at::Tensor direction_;
  double scale_ = 1;
};

}  // namespace carryover
