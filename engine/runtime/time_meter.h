// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>

#include <memory>

#include "engine/core/run/segment_time.h"

namespace carryover {

/// Divides the time that passes among a segment's parts: from each spend() to the next, it goes to that part. A GPU is
/// asked by events on its stream and never waited for before take(); its ranges carry the parts' names in NVTX.
/// Owner: a run. Thread: engine.
class TimeMeter {
 public:
  explicit TimeMeter(c10::Device device);
  ~TimeMeter();

  void spend(double SegmentTime::*part);  ///< from here on
  void restart();                         ///< what has passed goes to no part; a GPU is not waited for
  SegmentTime take();                     ///< what has passed since the last take(), by part; the last one continues

 private:
  struct Marks;
  std::unique_ptr<Marks> marks_;
};

}  // namespace carryover
