// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/what_if/state/what_if_result.h"

namespace carryover {

/// The what-if to run: one segment of the run under one edit or, for a sweep, under several.
struct WhatIfPlan {
  int segment = -1;
  std::vector<SegmentEdit> edits;
};
struct WhatIfPrice {
  std::int64_t segments = 0;  ///< to be run
  double seconds = 0;         ///< at the run's speed; 0: not known
};

/// A what-if that was taken out of the list, with its place in it.
struct RemovedWhatIf {
  WhatIfResult result;
  int index = 0, run = 0, id = 0;
};

/// The weight of one hit, found by leaving it out: an anchor together with the slots that were expanded from it.
struct AblatedHit {
  SlotRef anchor;
  float score = 0;
  int left_out = 1;  ///< slots
  bool done = false;
  MeanInterval change;  ///< of the loss without it, nats
};

/// The what-ifs of a run: the edit being made, what is under way, the list of those that were run, and the sweep over a
/// segment's hits. Views fill in the draft and ask; whoever has an engine answers
/// (app/controllers/what_if_controller.h). GUI thread.
class WhatIfs : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const SegmentEdit& draft() const { return draft_; }
  void set_draft(const SegmentEdit& draft);
  void drop(const SlotRef& slot);  ///< in the draft; once
  void add(const SlotRef& slot);
  void ban(const TokenRange& range);

  const std::vector<WhatIfResult>& results() const { return results_; }
  int shown() const { return shown_; }  ///< index into results(), or −1: the one that views draw
  const WhatIfResult* shown_result() const;
  const WhatIfResult* shown_in_run() const;  ///< the same, but null where it is of an earlier run
  bool in_run(int index) const { return runs_[static_cast<std::size_t>(index)] == run_; }  ///< the one on show
  void show(int index);
  int id(int index) const { return ids_[static_cast<std::size_t>(index)]; }  ///< its own, as long as the window is open
  int index_of(int id) const;                                                ///< -1 where there is none
  void rename(int index, const QString& name);
  void describe(int index, const QString& name, const QStringList& tags);
  void remove(int index) { take(index); }
  RemovedWhatIf take(int index);
  void put_back(const RemovedWhatIf& removed);

  const std::vector<AblatedHit>& ablated() const { return ablated_; }
  int ablated_segment() const { return ablated_segment_; }

  const std::optional<WhatIfPrice>& price() const { return price_; }
  bool running() const { return running_; }
  bool sweeping() const { return running_ && sweep_; }
  double progress() const { return progress_; }         ///< 0 to 1; below 0: not known
  QString unavailable() const { return unavailable_; }  ///< why nothing can be run now, or empty

  // Wishes.
  void ask_price(const WhatIfPlan& plan) { Q_EMIT price_wanted(plan); }
  void ask_run(const WhatIfPlan& plan, const QString& name) { Q_EMIT run_wanted(plan, name); }
  /// Leaves out each anchor of `hits`, which the segment read, in turn.
  void ask_sweep(int segment, const std::vector<HeadHits>& hits);
  void ask_cancel() { Q_EMIT cancel_wanted(); }

  // For whoever serves.
  void set_price(const std::optional<WhatIfPrice>& price);
  void set_unavailable(const QString& why);
  void begin(bool sweep);
  void set_progress(double share);
  void append(WhatIfResult result);  ///< and shows it
  void set_ablation(std::size_t index, const MeanInterval& change);
  void end();
  void reset();  ///< another run: what was run stays in the list
  /// Shows the run of this provenance: what-ifs made of it, in segments that it has, are in_run() again.
  void link(const QString& provenance, int segments);
  /// Replaces this list by one that was kept; `in_run` says of each result if it belongs to the run on show.
  void restore(std::vector<WhatIfResult> results, const std::vector<bool>& in_run, int shown);

 Q_SIGNALS:
  void draft_changed();
  void results_changed();  ///< the list, or a name in it
  void appended();         ///< a result came in, and is shown
  void shown_changed();
  void ablation_reset();
  void ablation_changed(int index);
  void price_changed();
  void state_changed();  ///< running, progress, unavailable

  void price_wanted(const carryover::WhatIfPlan& plan);
  void run_wanted(const carryover::WhatIfPlan& plan, const QString& name);
  void sweep_wanted(const carryover::WhatIfPlan& plan);
  void cancel_wanted();

 private:
  SegmentEdit draft_;
  std::vector<WhatIfResult> results_;
  std::vector<int> runs_;  ///< beside results_: which run each belongs to
  std::vector<int> ids_;   ///< likewise
  int run_ = 0, shown_ = -1, next_id_ = 0;
  std::vector<AblatedHit> ablated_;
  int ablated_segment_ = -1;
  std::optional<WhatIfPrice> price_;
  bool running_ = false, sweep_ = false;
  double progress_ = 0;
  QString unavailable_;
};

/// An edit for each anchor of `hits` that leaves it and what was expanded from it out, with the row that it fills.
std::vector<std::pair<AblatedHit, SegmentEdit>> ablations(const std::vector<HeadHits>& hits);

}  // namespace carryover
