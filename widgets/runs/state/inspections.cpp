// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/inspections.h"

#include <algorithm>
#include <utility>

namespace carryover {
namespace {

template <typename T>
bool holds(const std::optional<T>& have, const std::optional<T>& want) {
  return !want || have == want;
}

template <typename T>
bool agree(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || a == b;
}

bool shows_logits(const InspectionParts& parts) {
  return parts.attribution || parts.sources || parts.lens || parts.ablations;
}

/// Returns true for what takes longer than the segment itself: work on every head, or the segment several times.
bool is_slow(const InspectionQuery& query) {
  return query.parts.masses || query.parts.recall || query.parts.ablations || !query.parts.pairs.empty();
}

bool same_size(const InspectionParts& a, const InspectionParts& b) {
  return a.map_rows == b.map_rows && a.map_columns == b.map_columns;
}

}  // namespace

bool covers(const InspectionQuery& have, const InspectionQuery& want) {
  const InspectionParts &a = have.parts, &b = want.parts;
  return have.segment == want.segment && holds(a.attention, b.attention) && (!b.attention || same_size(a, b)) &&
         (a.masses || !b.masses) && holds(a.search, b.search) && (a.recall || !b.recall) &&
         holds(a.attribution, b.attribution) && a.neurons >= b.neurons && holds(a.sources, b.sources) &&
         holds(a.lens, b.lens) && holds(a.ablations, b.ablations) && a.top >= b.top &&
         (!shows_logits(b) || a.foil == b.foil) && (b.pairs.empty() || a.pairs == b.pairs) &&
         (b.points.empty() || a.points == b.points);
}

std::optional<InspectionQuery> merged(const InspectionQuery& a, const InspectionQuery& b) {
  const InspectionParts &x = a.parts, &y = b.parts;
  if (a.segment != b.segment || x.pairs != y.pairs || !agree(x.attention, y.attention) || !agree(x.search, y.search) ||
      !agree(x.attribution, y.attribution) || !agree(x.sources, y.sources) || !agree(x.lens, y.lens) ||
      !agree(x.ablations, y.ablations) || (shows_logits(x) && shows_logits(y) && x.foil != y.foil) ||
      (x.attention && y.attention && !same_size(x, y)) ||
      (!x.points.empty() && !y.points.empty() && x.points != y.points))
    return {};
  InspectionQuery both = x.attention ? a : b;
  both.parts.masses = x.masses || y.masses;
  both.parts.recall = x.recall || y.recall;
  both.parts.search = x.search ? x.search : y.search;
  both.parts.attribution = x.attribution ? x.attribution : y.attribution;
  both.parts.neurons = std::max(x.neurons, y.neurons);
  both.parts.sources = x.sources ? x.sources : y.sources;
  both.parts.lens = x.lens ? x.lens : y.lens;
  both.parts.ablations = x.ablations ? x.ablations : y.ablations;
  both.parts.top = std::max(x.top, y.top);
  both.parts.foil = shows_logits(x) ? x.foil : y.foil;
  both.parts.points = x.points.empty() ? y.points : x.points;
  return both;
}

void Inspections::want(const QString& view, const InspectionQuery& query) {
  Wish& wish = wishes_[view];
  if (wish.age != 0 && covers(wish.query, query) && covers(query, wish.query)) return;
  wish = {query, ++clock_, nullptr, {}};
  const auto known =
      std::find_if(kept_.rbegin(), kept_.rend(), [&](const Answer& answer) { return covers(answer.query, query); });
  if (known != kept_.rend()) wish.answer = known->inspection;
  Q_EMIT wanted();
}

void Inspections::forget(const QString& view) {
  if (wishes_.erase(view) > 0) Q_EMIT wanted();
}

std::shared_ptr<const Inspection> Inspections::answer(const QString& view) const {
  const auto found = wishes_.find(view);
  return found == wishes_.end() ? nullptr : found->second.answer;
}

QString Inspections::problem(const QString& view) const {
  const auto found = wishes_.find(view);
  return found == wishes_.end() ? QString() : found->second.problem;
}

std::optional<InspectionQuery> Inspections::next() const {
  std::vector<const Wish*> waiting;
  for (const auto& [view, wish] : wishes_)
    if (wish.waits()) waiting.push_back(&wish);
  if (waiting.empty()) return {};
  // A click waits for its own answer only: what is slow comes after what is not.
  const auto order = [](const Wish* wish) { return std::pair(!is_slow(wish->query), wish->age); };
  std::ranges::sort(waiting, std::greater(), order);
  InspectionQuery query = waiting.front()->query;
  for (const Wish* wish : waiting)
    if (is_slow(wish->query) == is_slow(query))
      if (const auto both = merged(query, wish->query)) query = *both;
  return query;
}

bool Inspections::is_wanted(const InspectionQuery& query) const {
  return std::any_of(wishes_.begin(), wishes_.end(),
                     [&](const auto& entry) { return entry.second.waits() && covers(query, entry.second.query); });
}

void Inspections::deliver(const InspectionQuery& query, std::shared_ptr<const Inspection> inspection) {
  for (auto& [view, wish] : wishes_)
    if (wish.waits() && covers(query, wish.query)) wish.answer = inspection;
  kept_.push_back({query, std::move(inspection)});
  if (kept_.size() > answers_kept) kept_.pop_front();
  Q_EMIT changed();
}

void Inspections::fail(const InspectionQuery& query, const QString& problem) {
  for (auto& [view, wish] : wishes_)
    if (wish.waits() && covers(query, wish.query)) wish.problem = problem;
  Q_EMIT changed();
}

void Inspections::forget_problems() {
  bool any = false;
  for (auto& [view, wish] : wishes_) any = !std::exchange(wish.problem, {}).isEmpty() || any;
  if (any) Q_EMIT wanted();
}

void Inspections::set_waiting_for(const QString& what) {
  if (waiting_for_ == what) return;
  waiting_for_ = what;
  Q_EMIT changed();
}

void Inspections::reset() {
  wishes_.clear();
  kept_.clear();
  Q_EMIT changed();
}

}  // namespace carryover
