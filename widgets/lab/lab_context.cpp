// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/lab_context.h"

#include <QUndoCommand>
#include <algorithm>

#include "widgets/lab/notebook.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

constexpr std::size_t history_limit = 200;

/// Only what it changes goes back and forth: a model that opens, or a story, sets the rest without an entry.
class SettingsEdit : public QUndoCommand {
 public:
  struct Settings {
    SegmentConfig config;
    RunOptions options;
  };
  SettingsEdit(LabContext& context, Settings after, const QString& what)
      : QUndoCommand(what),
        context_(context),
        before_{context.config(), context.run_options()},
        after_(std::move(after)) {}
  void undo() override { change(after_, before_); }
  void redo() override { change(before_, after_); }

 private:
  void change(const Settings& from, const Settings& to) {
    if (!(from.config == to.config)) context_.set_config(to.config);
    RunOptions options = context_.run_options();
    const auto take = [&](auto RunOptions::*option) {
      if (from.options.*option != to.options.*option) options.*option = to.options.*option;
    };
    take(&RunOptions::policy);
    take(&RunOptions::dtype);
    take(&RunOptions::device);
    take(&RunOptions::token_limit);
    take(&RunOptions::tokens_chosen);
    context_.set_run_options(options);
  }

  LabContext& context_;
  Settings before_, after_;
};

/// No range where the run does not have its end.
SegmentRange fitted_range(const SegmentRange& range, const RunModel& run) {
  return range.last < std::max(run.expected_segments(), run.segment_count()) ? range : SegmentRange{};
}

/// Stays on the stack when another run begins, which may have fewer segments.
class RangeEdit : public QUndoCommand {
 public:
  RangeEdit(LabContext& context, const SegmentRange& after)
      : QUndoCommand(after.is_set() ? filled(LabContext::tr("only segments %1 to %2"), after.first, after.last)
                                    : LabContext::tr("all segments")),
        context_(context),
        before_(context.range()),
        after_(after) {}
  void undo() override { context_.set_range(fitted_range(before_, context_.run())); }
  void redo() override { context_.set_range(fitted_range(after_, context_.run())); }

 private:
  LabContext& context_;
  SegmentRange before_, after_;
};

}  // namespace

Selection with_segment(const Selection& from, int segment, const RunModel& run) {
  Selection next = from;
  next.segment = segment;
  if (next.token >= 0 && run.segment_of_token(next.token) != segment) next.token = -1;
  return next;
}

Selection with_token(const Selection& from, std::int64_t token, const RunModel& run) {
  Selection next = from;
  next.token = token;
  if (token >= 0) next.segment = run.segment_of_token(token);
  return next;
}

Selection fitted(Selection selection, const RunModel& run) {
  if (run.is_empty()) return selection;
  const ModelConfig& model = run.model().config;
  if (selection.layer >= model.layers) selection.layer = -1;
  if (selection.head >= model.heads) selection.head = -1;
  if (selection.segment >= run.expected_segments()) selection.segment = -1;
  if (selection.token >= run.token_count()) selection.token = -1;
  return selection;
}

LabContext::LabContext(QObject* parent)
    : QObject(parent),
      notebook_(new Notebook(undo_stack_, this)),
      foil_(new FoilToken(run_, this)),
      history_{Selection{}} {
  connect(&run_, &RunModel::reset, this, &LabContext::forget_run);
  connect(&run_, &RunModel::ended, this, [this] {
    if (pin_grows_) pin_run();
  });
}

void LabContext::forget_run() {
  pin_grows_ = false;
  compare();
  selected_ = fitted({-1, selected_.layer, selected_.head, -1}, run_);
  hovered_ = {};
  history_ = {selected_};
  history_index_ = 0;
  pin({-1, pinned_.layer, pinned_.head, -1});
  set_range(fitted_range(range_, run_));
  inspections_.reset();
  what_ifs_.reset();
  Q_EMIT selection_changed();
  Q_EMIT hover_changed();
  Q_EMIT history_changed();
}

void LabContext::select(const Selection& wanted) {
  const Selection selection = fitted(wanted, run_);
  if (selection == selected_) {
    Q_EMIT selected_again();
    return;
  }
  selected_ = selection;
  history_.resize(history_index_ + 1);
  history_.push_back(selection);
  if (history_.size() > history_limit) history_.erase(history_.begin());
  history_index_ = history_.size() - 1;
  Q_EMIT selection_changed();
  Q_EMIT history_changed();
}

void LabContext::hover(const Selection& selection) {
  if (selection == hovered_) return;
  hovered_ = selection;
  Q_EMIT hover_changed();
}

void LabContext::pin(const Selection& wanted) {
  const Selection selection = fitted(wanted, run_);
  if (selection == pinned_) return;
  pinned_ = selection;
  Q_EMIT pinned_changed();
}

void LabContext::pin_run() {
  if (run_.segment_count() == 0) return;
  comparison_.reset();
  pinned_run_ = run_.kept();
  pin_grows_ = !run_.finished();
  compare();
  Q_EMIT pinned_run_changed();
}

void LabContext::unpin_run() {
  pin_grows_ = false;
  if (!pinned_run_) return;
  comparison_.reset();
  pinned_run_.reset();
  Q_EMIT pinned_run_changed();
}

void LabContext::compare() {
  const bool both = pinned_run_ && !run_.is_empty();
  comparison_ = both ? std::make_unique<RunComparison>(run_, *pinned_run_) : nullptr;
}

void LabContext::set_range(const SegmentRange& range) {
  if (range == range_) return;
  range_ = range;
  Q_EMIT range_changed();
}

void LabContext::brush(const SegmentRange& range) {
  if (range == range_) return;
  undo_stack_.push(new RangeEdit(*this, range));
}

void LabContext::follow_segment(int segment) {
  if (selected_.segment == segment) return;
  selected_.segment = segment;
  selected_.token = -1;
  history_[history_index_] = selected_;
  Q_EMIT selection_changed();
}

void LabContext::select_segment(int segment) {
  select(with_segment(selected_, segment, run_));
}

void LabContext::select_head(int layer, int head) {
  Selection next = selected_;
  next.layer = layer;
  next.head = head;
  select(next);
}

void LabContext::select_token(std::int64_t position) {
  select(with_token(selected_, position, run_));
}

bool LabContext::can_go_back() const {
  return history_index_ > 0;
}
bool LabContext::can_go_forward() const {
  return history_index_ + 1 < history_.size();
}

void LabContext::go_back() {
  if (can_go_back()) show_history_entry(history_index_ - 1);
}

void LabContext::go_forward() {
  if (can_go_forward()) show_history_entry(history_index_ + 1);
}

void LabContext::show_history_entry(std::size_t index) {
  history_index_ = index;
  selected_ = history_[index];
  Q_EMIT selection_changed();
  Q_EMIT history_changed();
}

void LabContext::set_model(const ModelConfig& model, const SegmentConfig& config) {
  undo_stack_.clear();
  const bool same_shape = model_ && model_->layers == model.layers && model_->heads == model.heads;
  model_ = model;
  config_ = config;
  if (!same_shape) {
    selected_ = {};
    history_ = {selected_};
    history_index_ = 0;
    pin({});
  }
  set_settings_problem({});
  Q_EMIT model_changed();
  Q_EMIT config_changed();
  Q_EMIT selection_changed();
  Q_EMIT history_changed();
}

void LabContext::set_model_dtype(DType dtype) {
  if (dtype == model_dtype_) return;
  model_dtype_ = dtype;
  Q_EMIT model_dtype_changed();
}

void LabContext::set_config(const SegmentConfig& config) {
  if (config == config_) return;
  config_ = config;
  set_settings_problem({});
  Q_EMIT config_changed();
}

void LabContext::set_settings_problem(const QString& problem) {
  if (problem == settings_problem_) return;
  settings_problem_ = problem;
  Q_EMIT settings_problem_changed();
}

void LabContext::edit_config(const SegmentConfig& config, const QString& what) {
  push_edit(config, run_options_, what);
}

void LabContext::edit_run_options(const RunOptions& options, const QString& what) {
  push_edit(config_, options, what);
}

void LabContext::edit_settings(const SegmentConfig& config, const std::string& policy, const QString& what) {
  RunOptions options = run_options_;
  options.policy = policy;
  push_edit(config, options, what);
}

void LabContext::push_edit(const SegmentConfig& config, const RunOptions& options, const QString& what) {
  if (config == config_ && options == run_options_) return;
  undo_stack_.push(new SettingsEdit(*this, {config, options}, what));
}

void LabContext::set_trained_under(const std::optional<TrainedUnder>& trained) {
  trained_under_ = trained;
  Q_EMIT alignment_changed();
}

void LabContext::go_to(const Bookmark& bookmark) {
  const QString shown = QString::fromStdString(run().origin().id);
  if (!bookmark.run.isEmpty() && bookmark.run != shown)
    return add_note(tr("The bookmark “%1” belongs to %2: open that run first").arg(bookmark.name, bookmark.run), true);
  select(bookmark.place);
}

void LabContext::add_note(const QString& text, bool is_error) {
  Q_EMIT noted(text, is_error);
}

void LabContext::add_written(const QString& path) {
  add_note(tr("Written: %1").arg(path));
  Q_EMIT written(path);
}

void LabContext::set_run_options(const RunOptions& options) {
  if (options == run_options_) return;
  run_options_ = options;
  Q_EMIT run_options_changed();
}

}  // namespace carryover
