// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/decoder/decoder.h"
#include "engine/method/forward_map.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Returns the head's row of a target, or its difference from a foil's: [D] fp64.
at::Tensor asked_row(const Decoder& decoder, std::int32_t target, const std::optional<std::int32_t>& foil);

/// Splits one logit by its sources while its segment runs. The final norm's scale is held at its actual value, so that
/// what each head and layer wrote into the residual stream adds up to the logit. Borrows the decoder.
class DirectLogitAttribution {
 public:
  /// `first_token`: where the segment begins; `target`: the id that the question's token predicts; `neurons`: number of
  /// neurons to list.
  DirectLogitAttribution(const Decoder& decoder, const PredictionQuestion& question, std::int64_t first_token,
                         std::int32_t target, std::int64_t neurons = 0);

  void see(const LayerSight& sight);
  LogitAttribution result(const at::Tensor& hidden) const;  ///< once the segment is whole; hidden: as of predict()

 private:
  double along(const at::Tensor& row) const;
  void add_neurons(const LayerSight& sight);

  const Decoder& decoder_;
  PredictionQuestion question_;
  std::int64_t first_token_;
  std::int32_t target_;
  std::int64_t most_neurons_;
  LogitAttribution split_;
  at::Tensor row_, direction_;
  double scale_ = 1;
};

}  // namespace carryover
