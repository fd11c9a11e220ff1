// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "widgets/runs/state/hit_distances.h"

namespace carryover {

/// The part of a run that stays when the next run has taken its place: a few kilobytes, however long its text was. A
/// plain value.
struct RunDigest {
  QString name;     ///< text · policy · lengths
  QString model;    ///< model_label()
  QString details;  ///< model, weights and the whole configuration: two runs of the same details and text are the same
  std::int64_t tokens = 0;
  std::optional<double> ppl;
  std::vector<HeadDistances> heads;
  bool ticked = true;  ///< taken into comparisons over runs
};

/// The runs of this session, and what they retrieved. GUI thread.
class RunDigests : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// Adds a run that has ended; one that was run before takes its own place again. Runs that retrieved nothing, such as
  /// those of `full`, have nothing to show here and are left out.
  void add(const RunModel& run);
  void remove(int index);
  void set_ticked(int index, bool ticked);
  int count() const { return static_cast<int>(runs_.size()); }
  const RunDigest& run(int index) const { return runs_[static_cast<std::size_t>(index)]; }
  /// Returns the name that views use: the run's name, with what tells it from others of that name.
  const QString& name(int index) const { return names_[static_cast<std::size_t>(index)]; }

  /// Returns how alike the distances of a head are over the ticked runs; nothing with fewer than two of them.
  std::optional<double> head_consistency(int layer, int head) const;

 Q_SIGNALS:
  void about_to_add(int index);
  void added(int index);
  void about_to_remove(int index);
  void removed(int index);
  void run_changed(int index);
  void names_changed();  ///< of others, when one was added or removed

 private:
  void name_all();

  std::vector<RunDigest> runs_;
  std::vector<QString> names_;  ///< beside runs_
};

/// Returns the name of a run where several stand side by side: its text, policy and lengths.
QString run_name(const RunModel& run);

}  // namespace carryover
