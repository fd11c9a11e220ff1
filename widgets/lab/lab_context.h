// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QUndoStack>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/segment_config.h"
#include "widgets/compare/state/run_comparison.h"
#include "widgets/lab/run_library.h"
#include "widgets/runs/state/alignment.h"
#include "widgets/runs/state/foil_token.h"
#include "widgets/runs/state/inspections.h"
#include "widgets/runs/state/open_document.h"
#include "widgets/runs/state/run_digests.h"
#include "widgets/runs/state/run_model.h"
#include "widgets/runs/state/segment_range.h"
#include "widgets/text/state/questions.h"
#include "widgets/training/state/training_runs.h"
#include "widgets/what_if/state/what_ifs.h"

namespace carryover {

class Notebook;
struct Bookmark;

/// The segment, head and token that are looked at. Each part may be unset (-1). A plain value.
struct Selection {
  int segment = -1;
  int layer = -1;
  int head = -1;            ///< query head
  std::int64_t token = -1;  ///< absolute position

  bool operator==(const Selection&) const = default;
};
/// Returns `from` with another segment; a token that lies elsewhere is dropped.
Selection with_segment(const Selection& from, int segment, const RunModel& run);
/// Returns `from` with another token and that token's segment.
Selection with_token(const Selection& from, std::int64_t token, const RunModel& run);
/// Returns `selection` without the parts that the run does not have: a bookmark may be of another run, or of any file.
/// Unchanged if there is no run.
Selection fitted(Selection selection, const RunModel& run);

/// The settings that a run needs beside its SegmentConfig. `dtype` and `device` take effect when the model is next
/// loaded. A plain value.
struct RunOptions {
  std::string policy = "segmented";
  DType dtype = DType::Auto;
  Device device = Device::Auto;
  std::int64_t token_limit = 0;  ///< tokens of the text to run; 0: all of it
  bool tokens_chosen = false;    ///< by somebody: another model that opens leaves them

  bool operator==(const RunOptions&) const = default;
};

/// The one state that every view observes (widgets/README in docs/architecture.md): the run, the pinned run that it
/// is compared with, the selection (hovered, selected, pinned) with back/forward history, the range of segments that
/// views are filtered to, and the configuration being edited with its undo stack. GUI thread.
class LabContext : public QObject {
  Q_OBJECT
 public:
  explicit LabContext(QObject* parent = nullptr);

  RunModel& run() { return run_; }
  /// Run B, as it was when it was pinned, or as it ended if it was in progress then; null where none is.
  const std::shared_ptr<const RunModel>& pinned_run() const { return pinned_run_; }
  void pin_run();  ///< the current one, as far as it has got, and the whole of it once it has ended
  void unpin_run();
  /// Returns the comparison of run() with pinned_run(); null if one of them is missing.
  const RunComparison* comparison() const { return comparison_.get(); }
  RunDigests& digests() { return digests_; }
  RunLibrary& library() { return library_; }
  TrainingRuns& training() { return training_; }
  Inspections& inspections() { return inspections_; }
  WhatIfs& what_ifs() { return what_ifs_; }
  FoilToken& foil() { return *foil_; }  ///< what logits are compared with, in every view
  Questions& questions() { return questions_; }
  OpenDocument& document() { return document_; }
  /// Returns the run that questions are about: that of the document whose state is open, or else the run on show.
  const RunModel& asked() const { return document_.is_open() ? document_.text() : run_; }
  QUndoStack& undo_stack() { return undo_stack_; }
  Notebook& notebook() { return *notebook_; }

  const Selection& selected() const { return selected_; }
  const Selection& hovered() const { return hovered_; }
  const Selection& pinned() const { return pinned_; }  ///< what others are held against: Δ is taken to its segment
  /// Pushes history. Taken as given: the token may lie outside the segment, as a hit's source does, seen from its
  /// reader.
  void select(const Selection& selection);
  void hover(const Selection& selection);
  void pin(const Selection& selection);
  void follow_segment(int segment);  ///< as select_segment, but leaves no trace in the history
  void select_segment(int segment);
  void select_head(int layer, int head);
  void select_token(std::int64_t position);  ///< selects its segment too
  bool can_go_back() const;
  bool can_go_forward() const;
  void go_back();
  void go_forward();

  const SegmentRange& range() const { return range_; }  ///< segments that every view is filtered to
  void set_range(const SegmentRange& range);            ///< not undoable by itself
  void brush(const SegmentRange& range);                ///< pushes an undo command

  /// The configuration for the next run, edited by the grid and the config form. `model` is the loaded one.
  const SegmentConfig& config() const { return config_; }
  const std::optional<ModelConfig>& model() const { return model_; }
  /// Clears the undo stack. What is selected in the run on show stays, unless layers or heads are other ones.
  void set_model(const ModelConfig& model, const SegmentConfig& config);
  /// Returns the dtype that the model is loaded in; Auto if it is not known.
  DType model_dtype() const { return model_dtype_; }
  void set_model_dtype(DType dtype);
  void set_config(const SegmentConfig& config);                        ///< not undoable by itself
  void edit_config(const SegmentConfig& config, const QString& what);  ///< pushes an undo command
  /// Sets both as one edit.
  void edit_settings(const SegmentConfig& config, const std::string& policy, const QString& what);
  void tell_weights_changed() { Q_EMIT weights_changed(); }  ///< for whoever trains the open model
  /// Returns the settings that the open model's weights were trained under, if they are known.
  const std::optional<TrainedUnder>& trained_under() const { return trained_under_; }
  void set_trained_under(const std::optional<TrainedUnder>& trained);
  /// A line for the log: what was opened, ran, or went wrong.
  void add_note(const QString& text, bool is_error = false);
  /// Selects its place, if the run that it is of is on show; else a note says so.
  void go_to(const Bookmark& bookmark);
  /// A file or folder that the user asked for is written: a line for the log, and a message that says where.
  void add_written(const QString& path);

  const RunOptions& run_options() const { return run_options_; }
  void set_run_options(const RunOptions& options);                        ///< not undoable by itself
  void edit_run_options(const RunOptions& options, const QString& what);  ///< pushes an undo command

  /// Returns what is wrong with the settings typed for the next run, which must not start then; empty if nothing is. A
  /// configuration that is set replaces the typed one.
  const QString& settings_problem() const { return settings_problem_; }
  void set_settings_problem(const QString& problem);
  void settle_settings() { Q_EMIT settings_wanted(); }  ///< what is typed becomes the configuration, if it is valid

 Q_SIGNALS:
  void selection_changed();
  void selected_again();  ///< what is selected already: views that have scrolled away show it
  void hover_changed();
  void pinned_changed();
  void range_changed();
  void pinned_run_changed();
  void config_changed();
  void run_options_changed();
  void settings_problem_changed();
  void settings_wanted();  ///< config() and run_options() are about to be used
  void model_changed();
  /// The open model was trained: it is the same one, but what was found with its weights is of those before.
  void weights_changed();
  void model_dtype_changed();
  void alignment_changed();  ///< what the model was trained under
  void history_changed();
  void noted(const QString& text, bool is_error);
  void written(const QString& path);

 private:
  void forget_run();
  void compare();
  void show_history_entry(std::size_t index);
  void push_edit(const SegmentConfig& config, const RunOptions& options, const QString& what);

  RunModel run_;
  std::shared_ptr<const RunModel> pinned_run_;
  bool pin_grows_ = false;  ///< it is of run(), which is still in progress
  std::unique_ptr<RunComparison> comparison_;
  RunDigests digests_;
  RunLibrary library_;
  TrainingRuns training_;
  Inspections inspections_;
  WhatIfs what_ifs_;
  Questions questions_;
  OpenDocument document_;
  QUndoStack undo_stack_;
  Notebook* notebook_;  ///< a child of this
  FoilToken* foil_;     ///< likewise
  Selection selected_, hovered_, pinned_;
  SegmentRange range_;
  std::vector<Selection> history_;
  std::size_t history_index_ = 0;
  SegmentConfig config_;
  RunOptions run_options_;
  QString settings_problem_;
  std::optional<ModelConfig> model_;
  DType model_dtype_ = DType::Auto;
  std::optional<TrainedUnder> trained_under_;
};

}  // namespace carryover
