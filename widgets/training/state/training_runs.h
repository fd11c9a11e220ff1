// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <vector>

#include "widgets/training/state/training_model.h"

namespace carryover {

/// The training runs that the window knows: started here, opened from a folder, or followed while another process
/// writes them. One is current (the panels show it) and has a selected step; ticked ones are compared. GUI thread.
class TrainingRuns : public QObject {
  Q_OBJECT
 public:
  explicit TrainingRuns(QObject* parent = nullptr);
  ~TrainingRuns() override;

  int count() const { return static_cast<int>(runs_.size()); }
  TrainingModel& run(int index) const;
  TrainingModel* current() const;  ///< null where there is none
  QString current_folder() const;  ///< of the current run; empty where there is none
  int current_index() const { return current_; }
  int index_of(const QString& directory) const;  ///< -1 where no run is of this folder
  bool ticked(int index) const;
  /// Returns the selected step of the current run, else its newest; -1 if there is no step.
  qsizetype shown_step() const;
  bool step_selected() const { return selected_step_ >= 0; }

  /// Adds a run, which becomes the current one and takes the place of a run of the same folder.
  TrainingModel& add(const QString& directory, std::shared_ptr<const TrainingPlan> plan);
  void remove(int index);  ///< from the list; its folder stays
  void set_current(int index);
  void set_ticked(int index, bool ticked);
  void select_step(qsizetype index);  ///< of the current run; -1: follow the newest

 Q_SIGNALS:
  void about_to_add(int index);
  void added(int index);
  void about_to_remove(int index);
  void removed(int index);
  void current_changed();
  void ticked_changed(int index);
  void step_changed();
  void run_changed(int index);  ///< state, steps, anything

 private:
  struct Entry {
    std::unique_ptr<TrainingModel> model;
    bool ticked = true;
  };
  void watch(TrainingModel& model);

  std::vector<Entry> runs_;
  int current_ = -1;
  qsizetype selected_step_ = -1;
};

}  // namespace carryover
