// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>

#include <memory>

#include "engine/runs/values/segment_time.h"

namespace carryover {

/// Divides the time that passes among a segment's parts: the time from each spend() to the next belongs to that part.
/// On a GPU, events on its stream measure it, and nothing waits for the GPU before take(); its ranges have the parts'
/// names in NVTX. Owner: a run. Thread: engine.
class TimeMeter {
 public:
  explicit TimeMeter(c10::Device device);
  ~TimeMeter();

  void spend(double SegmentTime::*part);  ///< time belongs to `part` from now on
  void restart();                         ///< drops the time so far; does not wait for a GPU
  SegmentTime take();                     ///< the time since the last take(), by part; the last part continues

 private:
  struct Marks;
  std::unique_ptr<Marks> marks_;
};

}  // namespace carryover
