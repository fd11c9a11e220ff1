// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/decoder/decoder.h"

namespace carryover {

/// Gates that a training, or an audit, may change: copies of the decoder's, or new ones where a gated policy is trained
/// over a model that has none. The destructor puts the decoder's own gates back, because a session reads what training
/// wrote.
class TrainedGates {
 public:
  TrainedGates(Decoder& decoder, const std::string& policy);
  ~TrainedGates();
  TrainedGates(const TrainedGates&) = delete;
  TrainedGates& operator=(const TrainedGates&) = delete;

 private:
  Decoder& decoder_;
  std::vector<BranchGates> before_;  ///< [L]
};

}  // namespace carryover
