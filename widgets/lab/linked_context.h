// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "widgets/lab/lab_context.h"

namespace carryover {

/// The lab as one panel sees it. Linked, everything is the lab's. Unlinked, the panel keeps a selection of its own:
/// others don't move it, it doesn't move others, and hovering stays inside. All else remains shared. Owner: the panel.
/// GUI thread.
class LinkedContext {
 public:
  /// `changed` is called when the panel's own selection, or whether it has one, has changed.
  LinkedContext(LabContext& lab, std::function<void()> changed) : lab_(lab), changed_(std::move(changed)) {}
  LinkedContext(const LinkedContext&) = delete;

  LabContext& lab() { return lab_; }
  operator LabContext&() { return lab_; }  ///< for functions that need no selection

  bool linked() const { return linked_; }
  void set_linked(bool linked);  ///< unlinking keeps what is selected now
  void forget_run();  ///< another run: its segments and tokens are not this one's, nor layers of a larger model

  const Selection& selected() const { return linked_ ? lab_.selected() : own_; }
  const Selection& hovered() const { return linked_ ? lab_.hovered() : own_hover_; }
  const Selection& pinned() const { return lab_.pinned(); }
  const SegmentRange& range() const { return lab_.range(); }
  void select(const Selection& selection);
  void select_segment(int segment) { select(with_segment(selected(), segment, lab_.run())); }
  void select_head(int layer, int head);
  void select_token(std::int64_t position) { select(with_token(selected(), position, lab_.run())); }
  void hover(const Selection& selection);

  RunModel& run() { return lab_.run(); }
  const std::shared_ptr<const RunModel>& pinned_run() const { return lab_.pinned_run(); }
  const RunComparison* comparison() const { return lab_.comparison(); }
  RunDigests& digests() { return lab_.digests(); }
  RunLibrary& library() { return lab_.library(); }
  TrainingRuns& training() { return lab_.training(); }
  QUndoStack& undo_stack() { return lab_.undo_stack(); }
  Notebook& notebook() { return lab_.notebook(); }
  const SegmentConfig& config() const { return lab_.config(); }
  const std::optional<ModelConfig>& model() const { return lab_.model(); }
  const std::optional<TrainedUnder>& trained_under() const { return lab_.trained_under(); }
  const RunOptions& run_options() const { return lab_.run_options(); }
  void edit_config(const SegmentConfig& config, const QString& what) { lab_.edit_config(config, what); }
  void edit_run_options(const RunOptions& options, const QString& what) { lab_.edit_run_options(options, what); }
  void edit_settings(const SegmentConfig& config, const std::string& policy, const QString& what) {
    lab_.edit_settings(config, policy, what);
  }
  void set_settings_problem(const QString& problem) { lab_.set_settings_problem(problem); }
  void add_note(const QString& text, bool is_error = false) { lab_.add_note(text, is_error); }

 private:
  LabContext& lab_;
  std::function<void()> changed_;
  bool linked_ = true;
  Selection own_, own_hover_;
};

}  // namespace carryover
