// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/base/memory_bytes.h"
#include "engine/core/config/segment_config.h"
#include "engine/core/run/hits.h"
#include "engine/core/run/segment_time.h"
#include "engine/core/run/snapshot.h"

namespace carryover {

/// How much a run copies out for looking at.
struct CaptureOptions {
  bool hits = true;
  bool target_nll = true;
  bool carry_maps = true;
  bool states = false;  ///< keep what each segment started from, for what_if() and inspect(), within a budget
  bool sinks = true;    ///< core/run/sinks.h; scores of kSinkQueries queries a head, and 4·8·L bytes a segment

  static CaptureOptions nothing() { return {false, false, false, false, false}; }
};

struct RunSummary {
  std::int64_t tokens = 0, targets = 0, segments = 0;
  double nll_sum = 0;
  double seconds = 0;  ///< from beginning to end, what lies between segments too; pauses left out
  std::int64_t near_ties = 0;
  std::optional<std::int64_t> sinks_lost = {};  ///< segments; nothing where sinks were not captured
  std::int64_t peak_memory_bytes = 0;  ///< the most that the run held at once: weights and all that it allocated
  bool cancelled = false;
  MemoryBytes memory;  ///< maxima over segments
  SegmentTime time;    ///< sums over the segments whose time was measured

  /// A segment's counts, losses and times. Memory and the run's own time are no sums of segments.
  void add(const SegmentRecord& record);

  std::optional<double> nll_mean() const;  ///< none without targets
  std::optional<double> ppl() const;
  std::optional<double> sinks_lost_share() const;  ///< of all segments; nothing where sinks were not captured
};

/// Where a run continues that was stopped: after segments that it has given already. A plain value.
struct RunResume {
  std::int64_t segment = 0;                     ///< the first that is still to be run
  std::optional<SinkSummary> first_sinks = {};  ///< of segment 0, which the others are held against
  RunSummary before = {};                       ///< of the segments before
  void add(const SegmentRecord& record);        ///< the next one that there is
};

struct RunRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the whole text, BOS included where asked for
  std::string policy = "segmented";                      ///< a name of core/cost/policy_table.h
  SegmentConfig config;
  std::vector<HeadHits> forced_hits;  ///< replayed instead of searched, where given (by segment, layer and head)
  CaptureOptions capture;
  bool loss = true;                 ///< off: prefill alone; logits of the very last token only, and no targets
  RunResume resume = {};            ///< its segments are not reported again
  std::int64_t latch_segment = -1;  ///< tests: pause by itself in the middle of this segment
};

/// Called on the engine thread; must return quickly and never wait for another thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) = 0;
  /// Layer by layer inside a segment: tokens done so far, fractional progress counted in layers.
  virtual void progress(std::int64_t /*tokens_done*/, std::int64_t /*tokens_total*/) {}
};

}  // namespace carryover
