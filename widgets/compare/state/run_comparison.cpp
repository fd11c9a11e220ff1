// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/state/run_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {
namespace {

bool starts_with_bos(const RunModel& run) {
  if (!run.request().config.bos || !run.tokenizer() || run.token_count() == 0) return false;
  const auto bos = run.tokenizer()->bos();
  return bos && run.request().ids->front() == *bos;
}

/// Says if an id means the same bytes to both runs. The bytes of each id that occurs are compared once.
class SameIds {
 public:
  SameIds(const Tokenizer* a, const Tokenizer* b) : a_(a), b_(b) {}

  bool same(std::int32_t id) {
    if (a_ == b_ || !a_ || !b_) return true;
    const auto index = static_cast<std::size_t>(id);
    if (index >= known_.size()) known_.resize(index + 1, Unknown);
    if (known_[index] == Unknown) known_[index] = a_->bytes(id) == b_->bytes(id) ? Same : Different;
    return known_[index] == Same;
  }

 private:
  enum State : char { Unknown, Same, Different };
  const Tokenizer* a_;
  const Tokenizer* b_;
  std::vector<State> known_;
};

bool reads_hits(const RunModel& run, int layer, int head) {
  const auto list = run.list_of(layer, head);
  const HitIndex::Column* column = list ? run.hit_index().find(list->layer, list->head) : nullptr;
  return column != nullptr && !column->hits.empty();
}

}  // namespace

void Overlap::add(const Overlap& other) {
  both += other.both;
  either += other.either;
}

std::optional<double> Overlap::jaccard() const {
  if (either == 0) return {};
  return static_cast<double>(both) / static_cast<double>(either);
}

void LossChange::add(const LossChange& other) {
  targets += other.targets;
  a += other.a;
  b += other.b;
}

std::optional<double> LossChange::mean() const {
  if (targets == 0) return {};
  return (a - b) / static_cast<double>(targets);
}

RunComparison::RunComparison(const RunModel& a, const RunModel& b)
    : a_(a), b_(b), shift_((starts_with_bos(b) ? 1 : 0) - (starts_with_bos(a) ? 1 : 0)) {
  same_vocabulary_ = a.model().config.vocabulary == b.model().config.vocabulary;
  find_common_tokens();
}

void RunComparison::find_common_tokens() {
  common_at_.assign(static_cast<std::size_t>(a_.token_count()), false);
  if (!same_vocabulary_ || a_.token_count() == 0 || b_.token_count() == 0) return;
  const auto &ids_a = *a_.request().ids, &ids_b = *b_.request().ids;
  SameIds ids(a_.tokenizer(), b_.tokenizer());
  for (std::int64_t position = 0; position < a_.token_count(); ++position) {
    const std::int64_t other = position + shift_;
    if (other < 0 || other >= b_.token_count()) continue;
    const std::int32_t id = ids_a[static_cast<std::size_t>(position)];
    const bool common = id == ids_b[static_cast<std::size_t>(other)] && ids.same(id);
    common_at_[static_cast<std::size_t>(position)] = common;
    common_ += common;
    if (!common && first_difference_ < 0) first_difference_ = position;
  }
}

bool RunComparison::is_common(std::int64_t position) const {
  return position >= 0 && position < static_cast<std::int64_t>(common_at_.size()) &&
         common_at_[static_cast<std::size_t>(position)];
}

float RunComparison::loss_change(std::int64_t position) const {
  if (!is_common(position)) return std::numeric_limits<float>::quiet_NaN();
  return a_.nll_of_token(position) - b_.nll_of_token(position + shift_);
}

const LossChange& RunComparison::segment_loss_change(int segment) const {
  while (static_cast<int>(loss_changes_.size()) <= segment)
    loss_changes_.push_back(find_loss_change(static_cast<int>(loss_changes_.size())));
  return loss_changes_[static_cast<std::size_t>(segment)];
}

LossChange RunComparison::find_loss_change(int segment) const {
  LossChange change;
  const SegmentRecord& record = a_.record(segment);
  for (std::int64_t i = 0; i < record.targets; ++i) {
    const std::int64_t position = record.first_token + 1 + i;
    if (std::isnan(loss_change(position))) continue;
    change.add(
        {1, static_cast<double>(a_.nll_of_token(position)), static_cast<double>(b_.nll_of_token(position + shift_))});
  }
  return change;
}

LossChange RunComparison::total_loss_change(const SegmentRange& range) const {
  LossChange change;
  for (int segment = 0; segment < a_.segment_count(); ++segment)
    if (range.contains(segment)) change.add(segment_loss_change(segment));
  return change;
}

int RunComparison::paired_segment(int segment) const {
  if (!same_vocabulary_ || segment < 0 || segment >= a_.segment_count()) return -1;
  // If only one run has a BOS, every boundary lies one token apart. That still counts as the same place.
  const std::int64_t first = a_.record(segment).first_token;
  for (const std::int64_t start : {first, first + shift_}) {
    const int other = b_.segment_of_token(start);
    if (other >= 0 && other < b_.segment_count() && b_.record(other).first_token == start) return other;
  }
  return -1;
}

BriefHits RunComparison::hits_of_b(int segment, int layer, int head) const {
  return b_.brief_hits(paired_segment(segment), layer, head);
}

std::vector<BriefHit> RunComparison::aligned_hits(int segment, int layer, int head) const {
  std::vector<BriefHit> moved;
  for (const BriefHit hit : hits_of_b(segment, layer, head))
    if (hit.position() >= shift_) moved.emplace_back(hit.position() - shift_, hit.kind());  // a BOS has no place in A
  return moved;
}

Overlap RunComparison::overlap(int segment, int layer, int head) const {
  const BriefHits in_a = a_.brief_hits(segment, layer, head), in_b = hits_of_b(segment, layer, head);
  if (in_a.empty() || in_b.empty()) return {};
  Overlap overlap;
  auto other = in_b.begin();
  for (const BriefHit hit : in_a) {
    if (!hit.is_evidence()) continue;
    ++overlap.either;
    while (other != in_b.end() && other->position() < hit.position() + shift_) ++other;
    const bool found = other != in_b.end() && other->position() == hit.position() + shift_ && other->is_evidence() &&
                       is_common(hit.position());
    overlap.both += found;
  }
  overlap.either +=
      std::count_if(in_b.begin(), in_b.end(), [](BriefHit hit) { return hit.is_evidence(); }) - overlap.both;
  return overlap;
}

const Overlap& RunComparison::segment_overlap(int segment) const {
  while (static_cast<int>(overlaps_.size()) <= segment)
    overlaps_.push_back(find_overlap(static_cast<int>(overlaps_.size())));
  return overlaps_[static_cast<std::size_t>(segment)];
}

bool RunComparison::retrieve_alike() const {
  return a_.request().config.search == b_.request().config.search;
}

bool RunComparison::both_retrieve(int layer, int head) const {
  return reads_hits(a_, layer, head) && reads_hits(b_, layer, head);
}

/// Takes the heads from the lists of both: a list that all heads of a run share is compared with each of the other's.
const std::vector<HeadRef>& RunComparison::heads_of_both() const {
  const auto filled = std::ranges::count_if(a_.hit_index().columns(),
                                            [](const HitIndex::Column& column) { return !column.hits.empty(); });
  if (std::exchange(lists_seen_, filled) == filled) return heads_;
  std::set<HeadRef> heads;
  for (const RunModel* run : {&a_, &b_})
    for (const HitIndex::Column& column : run->hit_index().columns())
      if (both_retrieve(column.layer, column.head)) heads.insert({column.layer, column.head});
  heads_.assign(heads.begin(), heads.end());
  return heads_;
}

Overlap RunComparison::find_overlap(int segment) const {
  Overlap sum;
  for (const HeadRef& head : heads_of_both()) sum.add(overlap(segment, head.layer, head.head));
  return sum;
}

Overlap RunComparison::total_overlap(const SegmentRange& range) const {
  Overlap sum;
  for (int segment = 0; segment < a_.segment_count(); ++segment)
    if (range.contains(segment)) sum.add(segment_overlap(segment));
  return sum;
}

HitGrid hit_difference(const std::vector<BriefHits>& a, const std::vector<BriefHits>& b, const HitWindow& window) {
  HitWindow evidence = window;
  evidence.padding = false;
  HitGrid grid = bin_hits(a, evidence, HitValue::Count);
  const HitGrid other = bin_hits(b, evidence, HitValue::Count);
  for (std::size_t i = 0; i < grid.map.values.size(); ++i) {
    float &mine = grid.map.values[i], theirs = other.map.values[i];
    if (std::isnan(mine) && std::isnan(theirs)) continue;
    mine = (std::isnan(mine) ? 0.F : mine) - (std::isnan(theirs) ? 0.F : theirs);
  }
  return grid;
}

}  // namespace carryover
