// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/state/what_ifs.h"

#include <algorithm>

#include "engine/base/error.h"

namespace carryover {
namespace {

template <typename T>
bool add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) != list.end()) return false;
  list.push_back(value);
  return true;
}

}  // namespace

std::vector<std::pair<AblatedHit, SegmentEdit>> ablations(const std::vector<HeadHits>& hits) {
  std::vector<std::pair<AblatedHit, SegmentEdit>> all;
  for (const HeadHits& head : hits)
    for (const Hit& anchor : head.hits) {
      if (anchor.kind != HitKind::Anchor) continue;
      SegmentEdit edit;
      for (const Hit& hit : head.hits)
        if (hit.position == anchor.position || (hit.kind == HitKind::Expanded && hit.anchor == anchor.position))
          edit.dropped.push_back({head.layer, head.head, hit.position});
      const SlotRef slot{head.layer, head.head, anchor.position};
      all.push_back({{slot, anchor.score, static_cast<int>(edit.dropped.size()), false, {}}, edit});
    }
  return all;
}

void WhatIfs::set_draft(const SegmentEdit& draft) {
  draft_ = draft;
  Q_EMIT draft_changed();
}

void WhatIfs::drop(const SlotRef& slot) {
  if (add_once(draft_.dropped, slot)) Q_EMIT draft_changed();
}

void WhatIfs::add(const SlotRef& slot) {
  if (add_once(draft_.added, slot)) Q_EMIT draft_changed();
}

void WhatIfs::ban(const TokenRange& range) {
  if (range.first < range.last && add_once(draft_.banned, range)) Q_EMIT draft_changed();
}

const WhatIfResult* WhatIfs::shown_result() const {
  return shown_ < 0 ? nullptr : &results_[static_cast<std::size_t>(shown_)];
}

const WhatIfResult* WhatIfs::shown_in_run() const {
  return shown_ >= 0 && in_run(shown_) ? shown_result() : nullptr;
}

void WhatIfs::show(int index) {
  if (index < -1 || index >= static_cast<int>(results_.size()) || index == shown_) return;
  shown_ = index;
  Q_EMIT shown_changed();
}

void WhatIfs::rename(int index, const QString& name) {
  CARRYOVER_CHECK(index >= 0 && index < static_cast<int>(results_.size()));
  if (name.trimmed().isEmpty()) return;
  results_[static_cast<std::size_t>(index)].name = name.trimmed();
  Q_EMIT results_changed();
}

int WhatIfs::index_of(int id) const {
  const auto found = std::find(ids_.begin(), ids_.end(), id);
  return found == ids_.end() ? -1 : static_cast<int>(found - ids_.begin());
}

void WhatIfs::describe(int index, const QString& name, const QStringList& tags) {
  CARRYOVER_CHECK(index >= 0 && index < static_cast<int>(results_.size()));
  WhatIfResult& result = results_[static_cast<std::size_t>(index)];
  if (result.name == name && result.tags == tags) return;
  result.name = name;
  result.tags = tags;
  Q_EMIT results_changed();
}

RemovedWhatIf WhatIfs::take(int index) {
  CARRYOVER_CHECK(index >= 0 && index < static_cast<int>(results_.size()));
  const auto i = static_cast<std::size_t>(index);
  RemovedWhatIf removed{std::move(results_[i]), index, runs_[i], ids_[i]};
  results_.erase(results_.begin() + index);
  runs_.erase(runs_.begin() + index);
  ids_.erase(ids_.begin() + index);
  if (shown_ >= index) shown_ = std::min(shown_ - (shown_ > index ? 1 : 0), static_cast<int>(results_.size()) - 1);
  Q_EMIT results_changed();
  Q_EMIT shown_changed();
  return removed;
}

void WhatIfs::put_back(const RemovedWhatIf& removed) {
  const int index = std::min(removed.index, static_cast<int>(results_.size()));
  results_.insert(results_.begin() + index, removed.result);
  runs_.insert(runs_.begin() + index, removed.run);
  ids_.insert(ids_.begin() + index, removed.id);
  if (shown_ >= index) ++shown_;
  Q_EMIT results_changed();
  Q_EMIT shown_changed();
}

void WhatIfs::ask_sweep(int segment, const std::vector<HeadHits>& hits) {
  WhatIfPlan plan{segment, {}};
  ablated_.clear();
  ablated_segment_ = segment;
  for (auto& [row, edit] : ablations(hits)) {
    ablated_.push_back(row);
    plan.edits.push_back(std::move(edit));
  }
  Q_EMIT ablation_reset();
  if (!plan.edits.empty()) Q_EMIT sweep_wanted(plan);
}

void WhatIfs::set_price(const std::optional<WhatIfPrice>& price) {
  price_ = price;
  Q_EMIT price_changed();
}

void WhatIfs::set_unavailable(const QString& why) {
  if (unavailable_ == why) return;
  unavailable_ = why;
  Q_EMIT state_changed();
}

void WhatIfs::begin(bool sweep) {
  running_ = true;
  sweep_ = sweep;
  progress_ = sweep ? 0 : -1;
  Q_EMIT state_changed();
}

void WhatIfs::set_progress(double share) {
  progress_ = share;
  Q_EMIT state_changed();
}

void WhatIfs::append(WhatIfResult result) {
  results_.push_back(std::move(result));
  runs_.push_back(run_);
  ids_.push_back(next_id_++);
  shown_ = static_cast<int>(results_.size()) - 1;
  Q_EMIT results_changed();
  Q_EMIT shown_changed();
  Q_EMIT appended();
}

void WhatIfs::set_ablation(std::size_t index, const MeanInterval& change) {
  if (index >= ablated_.size()) return;
  ablated_[index].done = true;
  ablated_[index].change = change;
  Q_EMIT ablation_changed(static_cast<int>(index));
}

void WhatIfs::end() {
  running_ = false;
  Q_EMIT state_changed();
}

void WhatIfs::reset() {
  draft_ = {};
  ++run_;
  ablated_.clear();
  ablated_segment_ = -1;
  price_.reset();
  Q_EMIT draft_changed();
  Q_EMIT shown_changed();
  Q_EMIT ablation_reset();
  Q_EMIT price_changed();
}

void WhatIfs::link(const QString& provenance, int segments) {
  bool linked = false;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].provenance != provenance || results_[i].segment >= segments || runs_[i] == run_) continue;
    runs_[i] = run_;
    linked = true;
  }
  if (!linked) return;
  Q_EMIT results_changed();
  Q_EMIT shown_changed();
}

void WhatIfs::restore(std::vector<WhatIfResult> results, const std::vector<bool>& in_run, int shown) {
  CARRYOVER_CHECK(results.size() == in_run.size());
  results_ = std::move(results);
  runs_.clear();
  ids_.clear();
  for (const bool of_this_run : in_run) {
    runs_.push_back(of_this_run ? run_ : -1);
    ids_.push_back(next_id_++);
  }
  shown_ = shown >= 0 && shown < static_cast<int>(results_.size()) ? shown : -1;
  Q_EMIT results_changed();
  Q_EMIT shown_changed();
}

}  // namespace carryover
