// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/decoder/decoder.h"
#include "engine/method/forward_map.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// The logit lens of one token's prediction, while its segment runs: of the residual stream, and of what attention has
/// read from the carry and written into it. Borrows the decoder. Thread: engine.
class LogitLensOfToken {
 public:
  /// `first_token`: where the segment begins; `target`: the id that the question's token predicts.
  LogitLensOfToken(const Decoder& decoder, const PredictionQuestion& question, std::int64_t first_token,
                   std::int32_t target);

  void see(const LayerSight& sight);
  LogitLens result() const { return lens_; }  ///< once the segment is whole

 private:
  LensReading read(const at::Tensor& row) const;  ///< row: [1, D], as it would leave the last layer

  const Decoder& decoder_;
  PredictionQuestion question_;
  std::int64_t first_token_;
  LogitLens lens_;
  at::Tensor carry_;  ///< [1, D]: the sum of what was read from the carry and written; undefined: nothing yet
};

}  // namespace carryover
