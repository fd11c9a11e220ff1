// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <vector>

#include "widgets/lab/listed_run.h"

namespace carryover {

/// The runs, trainings, what-ifs, experiments, evaluations, prompt sets and questions of a session, whatever is on
/// show: filled by the LibraryController (app/controllers). A removed entry can be taken back until it is forgotten;
/// until then its file stays. GUI thread.
class RunLibrary : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  int count() const { return static_cast<int>(runs_.size()); }
  const ListedRun& run(int index) const { return runs_[static_cast<std::size_t>(index)]; }
  int index_of(const QString& place) const;  ///< -1 where it isn't listed
  bool keeps(const QString& place) const;    ///< listed, or removed and not forgotten
  std::vector<int> ticked_runs() const;      ///< of kind Run, in the order of the ticks
  std::int64_t disk_bytes() const;           ///< of journals, those of removed runs included

  /// Adds an entry, or brings it up to date; one that had been removed is listed again. What the user gave it stays:
  /// name, tags and tick.
  void put(ListedRun run);
  void update(const ListedRun& run);          ///< as put(), but nothing where it isn't listed
  void drop(const QString& place);            ///< what it stands for is gone
  void restore(std::vector<ListedRun> runs);  ///< in place of all, removed ones included
  void set_bytes(const QString& place, std::int64_t bytes, bool is_there);
  void set_losses(const QString& place, std::shared_ptr<const LossCurve> losses);
  void set_saved_in(const QString& place, const QString& folder);

  void rename(int index, const QString& name);  ///< unless that is empty
  void set_tags(int index, const QStringList& tags);
  void set_ticked(int index, bool ticked);

  void remove(int index);
  const std::vector<ListedRun>& removed() const { return removed_; }  ///< the last one last
  void take_back();                                                   ///< the one removed last
  bool take_back(const QString& place);                               ///< false where it is not among the removed
  void forget_removed();                                              ///< for good

  std::int64_t limit() const { return limit_; }  ///< bytes on disk that are wanted at most; 0: any number
  void set_limit(std::int64_t bytes);
  std::int64_t bytes_over_limit() const;
  /// The oldest journals without a tag, as many as it takes to get below the limit, or all there are.
  std::vector<int> removal_candidates() const;

  static constexpr std::int64_t default_limit = 10'000'000'000;

 Q_SIGNALS:
  void about_to_add(int index);
  void added(int index);
  void about_to_remove(int index);
  void removed_from(int index);  ///< the list; also where it is dropped
  void about_to_reset();
  void reset();
  void run_changed(int index);
  void ticked_changed(int index);
  void removed_changed();  ///< what can be taken back
  void limit_changed();
  void forgotten(const QStringList& places);  ///< nothing keeps them any more

 private:
  ListedRun& at(int index) { return runs_[static_cast<std::size_t>(index)]; }
  int last_tick() const;
  void insert(ListedRun run);
  void erase(int index);

  std::vector<ListedRun> runs_, removed_;
  std::int64_t limit_ = default_limit;
};

}  // namespace carryover
