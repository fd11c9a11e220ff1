// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/training/training_chart.h"

class QComboBox;
class QDoubleSpinBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace carryover {

class WrappingBar;

/// The current training run, live: loss per step (raw under smoothed) with validations and alerts, that of the answers
/// where it has recall samples, loss per segment,
/// learning rate, gradient norm, throughput and memory by kind, over steps, tokens or time. A click selects a step.
class TrainingPanel : public Panel {
  Q_OBJECT
 public:
  explicit TrainingPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override;

 Q_SIGNALS:
  void pause_wanted();
  void resume_wanted();
  void stop_wanted();  ///< with a checkpoint

 protected:
  void refresh() override;
  QString source_folder() override { return context().training().current_folder(); }

 private:
  enum Kind { Loss, Recall, Segments, Rate, GradientNorm, Throughput, Memory, KindCount };
  struct View {
    std::unique_ptr<TrainingChart> chart;
    QToolButton* shown;
  };
  PlotView* make_plot(const char* id, const QString& title, const QString& y_label);
  void build_bar(WrappingBar* bar);
  QWidget* build_room_line();
  void build_views(WrappingBar* bar, QHBoxLayout* row);
  void add_loss_lines(Kind kind, TrainingColumn column);
  void add_memory_lines();
  void add_marks();
  void update_header();
  void offer_recall(const TrainingModel* run);
  void draw_segments(const TrainingModel& run);
  void draw_marks(const TrainingModel& run);
  void draw_cursor(const TrainingModel& run);
  void step(int steps);

  std::vector<View> views_;
  QLabel *header_, *room_text_;
  QWidget* room_line_;  ///< shown while the training waits for room on the disk
  QToolButton *pause_, *stop_, *newest_;
  QComboBox* axis_;
  QDoubleSpinBox* smoothing_;
  int alerts_ = 0, first_validation_ = 0, validation_lines_ = 0, smoothed_ = 0;
  bool new_run_ = true;
};

}  // namespace carryover
