// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QUndoStack>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core/segment_config.h"
#include "widgets/alignment.h"
#include "widgets/run_model.h"
#include "widgets/training_runs.h"

namespace carryover {

class Notebook;

/// What is looked at. Each part may be unset (-1). A plain value.
struct Selection {
  int segment = -1;
  int layer = -1;
  int head = -1;            ///< query head
  std::int64_t token = -1;  ///< absolute position

  bool operator==(const Selection&) const = default;
};

/// What a run needs beside its SegmentConfig. `dtype` and `device` take effect when the model is next loaded. A plain
/// value.
struct RunOptions {
  std::string policy = "segmented";
  DType dtype = DType::Auto;
  Device device = Device::Auto;
  std::int64_t token_limit = 0;  ///< tokens of the text to run; 0: all of it

  bool operator==(const RunOptions&) const = default;
};

/// The one state that every view observes (widgets/README in docs/architecture.md): the run, the selection (selected
/// and hovered) with back/forward history, and the configuration being edited with its undo stack. GUI thread.
class LabContext : public QObject {
  Q_OBJECT
 public:
  explicit LabContext(QObject* parent = nullptr);

  RunModel& run() { return run_; }
  TrainingRuns& training() { return training_; }
  QUndoStack& undo_stack() { return undo_stack_; }
  Notebook& notebook() { return *notebook_; }

  const Selection& selected() const { return selected_; }
  const Selection& hovered() const { return hovered_; }
  /// Pushes history. Taken as given: the token may lie outside the segment, as a hit's source does, seen from its
  /// reader.
  void select(const Selection& selection);
  void hover(const Selection& selection);
  void follow_segment(int segment);  ///< as select_segment, but leaves no trace in the history
  void select_segment(int segment);
  void select_head(int layer, int head);
  void select_token(std::int64_t position);  ///< selects its segment too
  bool can_go_back() const;
  bool can_go_forward() const;
  void go_back();
  void go_forward();

  /// The configuration for the next run, edited by the grid and the config form. `model` is the loaded one.
  const SegmentConfig& config() const { return config_; }
  const std::optional<ModelConfig>& model() const { return model_; }
  void set_model(const ModelConfig& model, const SegmentConfig& config);  ///< clears the undo stack
  void set_config(const SegmentConfig& config);                           ///< not undoable by itself
  void edit_config(const SegmentConfig& config, const QString& what);     ///< pushes an undo command
  /// What the open model's weights were trained under, where that is known.
  const std::optional<TrainedUnder>& trained_under() const { return trained_under_; }
  void set_trained_under(const std::optional<TrainedUnder>& trained);
  /// A line for the log: what was opened, ran, or went wrong.
  void add_note(const QString& text, bool is_error = false);

  const RunOptions& run_options() const { return run_options_; }
  void set_run_options(const RunOptions& options);

 Q_SIGNALS:
  void selection_changed();
  void hover_changed();
  void config_changed();
  void run_options_changed();
  void model_changed();
  void alignment_changed();  ///< what the model was trained under
  void history_changed();
  void noted(const QString& text, bool is_error);

 private:
  void forget_run();
  void show_history_entry(std::size_t index);

  RunModel run_;
  TrainingRuns training_;
  QUndoStack undo_stack_;
  Notebook* notebook_;  ///< a child of this
  Selection selected_, hovered_;
  std::vector<Selection> history_;
  std::size_t history_index_ = 0;
  SegmentConfig config_;
  RunOptions run_options_;
  std::optional<ModelConfig> model_;
  std::optional<TrainedUnder> trained_under_;
};

}  // namespace carryover
