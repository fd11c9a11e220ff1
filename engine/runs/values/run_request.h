// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/memory_bytes.h"
#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"
#include "engine/runs/values/segment_time.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {

/// Selects what a run copies for inspection.
struct CaptureOptions {
  bool hits = true;
  bool target_nll = true;
  bool carry_maps = true;
  bool states = false;  ///< keep the state at the start of each segment for what_if() and inspect(), within a budget
  bool sinks = true;    ///< runs/values/sinks.h: scores of kSinkQueries queries per head, and 4·8·L bytes per segment

  static CaptureOptions nothing() { return {false, false, false, false, false}; }
};

struct RunSummary {
  std::int64_t tokens = 0, targets = 0, segments = 0;
  double nll_sum = 0;
  double seconds = 0;  ///< from beginning to end, with the time between segments; without pauses
  std::int64_t near_ties = 0;
  std::optional<std::int64_t> sinks_lost = {};  ///< number of segments; nothing if sinks were not captured
  std::int64_t peak_memory_bytes = 0;  ///< the most that the run held at once: weights and all that it allocated
  bool cancelled = false;
  MemoryBytes memory;  ///< maxima over segments
  SegmentTime time;    ///< sums over the segments whose time was measured

  /// Adds a segment's counts, losses and times. Memory and the run's own time are not sums over segments.
  void add(const SegmentRecord& record);

  std::optional<double> nll_mean() const;  ///< nothing without targets
  std::optional<double> ppl() const;
  std::optional<double> sinks_lost_share() const;  ///< share of all segments; nothing if sinks were not captured
};

/// The place where a stopped run continues: after the segments that it has reported already. A plain value.
struct RunResume {
  std::int64_t segment = 0;                     ///< the first segment that is still to be run
  std::optional<SinkSummary> first_sinks = {};  ///< sinks of segment 0, with which the others are compared
  RunSummary before = {};                       ///< summary of the segments before
  void add(const SegmentRecord& record);        ///< adds the next of these segments
};

struct RunRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;  ///< the whole text, with BOS if asked for
  std::string policy = "segmented";                      ///< a name in cost/policy_table.h
  SegmentConfig config;
  std::vector<HeadHits> forced_hits;  ///< replayed instead of searched, where given (by segment, layer and head)
  CaptureOptions capture;
  bool loss = true;                 ///< false: prefill only, with the logits of the very last token and no targets
  RunResume resume = {};            ///< its segments are not reported again
  std::int64_t latch_segment = -1;  ///< tests: pause by itself in the middle of this segment
};

/// Called on the engine thread; must return quickly and never wait for another thread.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) = 0;
  /// Called for each layer inside a segment: tokens done so far, with fractional progress counted in layers.
  virtual void progress(std::int64_t /*tokens_done*/, std::int64_t /*tokens_total*/) {}
};

}  // namespace carryover
