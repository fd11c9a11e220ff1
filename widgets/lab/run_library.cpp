// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/run_library.h"

#include <algorithm>

#include "engine/base/error.h"

namespace carryover {
namespace {

template <typename List>
auto find_place(List& list, const QString& place) {
  return std::find_if(list.begin(), list.end(), [&](const ListedRun& run) { return run.place == place; });
}

/// Copies to `run` what the user said of the entry before, and what the newer entry does not know.
void keep_own(ListedRun& run, const ListedRun& before) {
  if (before.renamed) {
    run.name = before.name;
    run.renamed = true;
  }
  run.tags = before.tags;
  run.tick = before.tick;
  run.made_ms = before.made_ms;
  if (run.bytes == 0) run.bytes = before.bytes;
  if (run.saved_in.isEmpty()) run.saved_in = before.saved_in;
  if (!run.losses) run.losses = before.losses;
}

}  // namespace

int RunLibrary::index_of(const QString& place) const {
  const auto found = find_place(runs_, place);
  return found == runs_.end() ? -1 : static_cast<int>(found - runs_.begin());
}

bool RunLibrary::keeps(const QString& place) const {
  return index_of(place) >= 0 || find_place(removed_, place) != removed_.end();
}

std::vector<int> RunLibrary::ticked_runs() const {
  std::vector<int> ticked;
  for (int index = 0; index < count(); ++index)
    if (run(index).kind == ListedKind::Run && run(index).ticked()) ticked.push_back(index);
  std::ranges::stable_sort(ticked, {}, [this](int index) { return run(index).tick; });
  return ticked;
}

/// Includes removed runs, because they can be taken back.
int RunLibrary::last_tick() const {
  int last = 0;
  for (const auto* list : {&runs_, &removed_})
    for (const ListedRun& run : *list) last = std::max(last, run.tick);
  return last;
}

std::int64_t RunLibrary::disk_bytes() const {
  std::int64_t bytes = 0;
  for (const auto* list : {&runs_, &removed_})
    for (const ListedRun& run : *list)
      if (is_journal(run)) bytes += run.bytes;
  return bytes;
}

void RunLibrary::insert(ListedRun run) {
  const int index = count();
  Q_EMIT about_to_add(index);
  runs_.push_back(std::move(run));
  Q_EMIT added(index);
}

void RunLibrary::erase(int index) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  Q_EMIT about_to_remove(index);
  runs_.erase(runs_.begin() + index);
  Q_EMIT removed_from(index);
}

void RunLibrary::put(ListedRun run) {
  CARRYOVER_CHECK(!run.place.isEmpty());
  if (index_of(run.place) >= 0) return update(run);
  const auto before = find_place(removed_, run.place);
  const bool was_removed = before != removed_.end();
  if (was_removed) {
    keep_own(run, *before);
    removed_.erase(before);
  }
  insert(std::move(run));
  if (was_removed) Q_EMIT removed_changed();
}

void RunLibrary::update(const ListedRun& run) {
  const int index = index_of(run.place);
  if (index < 0) return;
  ListedRun now = run;
  keep_own(now, at(index));
  at(index) = std::move(now);
  Q_EMIT run_changed(index);
}

void RunLibrary::drop(const QString& place) {
  if (const int index = index_of(place); index >= 0) erase(index);
}

void RunLibrary::restore(std::vector<ListedRun> runs) {
  Q_EMIT about_to_reset();
  runs_ = std::move(runs);
  removed_.clear();
  std::vector<ListedRun*> ticked;  // from 1 on again, so that the numbers don't grow from session to session
  for (ListedRun& run : runs_)
    if (run.ticked()) ticked.push_back(&run);
  std::ranges::stable_sort(ticked, {}, [](const ListedRun* run) { return run->tick; });
  for (std::size_t i = 0; i < ticked.size(); ++i) ticked[i]->tick = static_cast<int>(i) + 1;
  Q_EMIT reset();
  Q_EMIT removed_changed();
}

void RunLibrary::set_bytes(const QString& place, std::int64_t bytes, bool is_there) {
  const int index = index_of(place);
  if (index < 0) return;
  ListedRun& run = at(index);
  const bool was_there = run.standing != Standing::Missing;
  if (run.bytes == bytes && is_there == was_there) return;
  run.bytes = bytes;
  if (!is_there) run.standing = Standing::Missing;
  if (is_there && !was_there) run.standing = run.tokens < run.expected_tokens ? Standing::Partial : Standing::Whole;
  Q_EMIT run_changed(index);
}

void RunLibrary::set_losses(const QString& place, std::shared_ptr<const LossCurve> losses) {
  const int index = index_of(place);
  if (index < 0) return;
  at(index).losses = std::move(losses);
  Q_EMIT run_changed(index);
}

void RunLibrary::set_saved_in(const QString& place, const QString& folder) {
  const int index = index_of(place);
  if (index < 0 || folder == place) return;
  at(index).saved_in = folder;
  Q_EMIT run_changed(index);
}

void RunLibrary::rename(int index, const QString& name) {
  ListedRun& run = at(index);
  const QString wanted = name.simplified();
  if (wanted.isEmpty() || wanted == run.name) return;
  run.renamed = true;
  run.name = wanted;
  Q_EMIT run_changed(index);
}

void RunLibrary::set_tags(int index, const QStringList& tags) {
  QStringList wanted;
  for (const QString& tag : tags)
    if (const QString word = tag.simplified(); !word.isEmpty()) wanted += word;
  wanted.removeDuplicates();
  if (at(index).tags == wanted) return;
  at(index).tags = wanted;
  Q_EMIT run_changed(index);
}

void RunLibrary::set_ticked(int index, bool ticked) {
  ListedRun& run = at(index);
  if (run.ticked() == ticked) return;
  run.tick = ticked ? last_tick() + 1 : 0;
  Q_EMIT run_changed(index);
  Q_EMIT ticked_changed(index);
}

void RunLibrary::remove(int index) {
  CARRYOVER_CHECK(index >= 0 && index < count());
  removed_.push_back(run(index));
  erase(index);
  Q_EMIT removed_changed();
}

void RunLibrary::take_back() {
  if (!removed_.empty()) take_back(QString(removed_.back().place));
}

bool RunLibrary::take_back(const QString& place) {
  const auto found = find_place(removed_, place);
  if (found == removed_.end()) return false;
  ListedRun run = std::move(*found);
  removed_.erase(found);
  insert(std::move(run));
  Q_EMIT removed_changed();
  return true;
}

void RunLibrary::forget_removed() {
  QStringList places;
  for (const ListedRun& run : std::exchange(removed_, {})) places += run.place;
  if (places.isEmpty()) return;
  Q_EMIT removed_changed();
  Q_EMIT forgotten(places);
}

void RunLibrary::set_limit(std::int64_t bytes) {
  if (bytes == limit_) return;
  limit_ = bytes;
  Q_EMIT limit_changed();
}

std::int64_t RunLibrary::bytes_over_limit() const {
  return limit_ == 0 ? 0 : std::max<std::int64_t>(0, disk_bytes() - limit_);
}

std::vector<int> RunLibrary::removal_candidates() const {
  std::vector<int> all, candidates;
  for (int i = 0; i < count(); ++i)
    if (is_journal(run(i)) && run(i).tags.isEmpty() && run(i).standing != Standing::UnderWay) all.push_back(i);
  std::ranges::stable_sort(all, {}, [this](int i) { return run(i).made_ms; });
  std::int64_t over = bytes_over_limit();
  for (const ListedRun& run : removed_)  // those go anyway
    if (is_journal(run)) over -= run.bytes;
  for (const int index : all) {
    if (over <= 0) break;
    candidates.push_back(index);
    over -= run(index).bytes;
  }
  return candidates;
}

}  // namespace carryover
