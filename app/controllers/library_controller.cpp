// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/library_controller.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QUndoCommand>
#include <algorithm>

#include "app/engine_thread/post.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

constexpr int update_interval_ms = 1000;

/// Gives the number that WhatIfs or Questions have for the one at this place; -1 where it is none.
int own_id(const QString& place) {
  bool ok = false;
  const int id = place.section(u':', 1).toInt(&ok);
  return ok ? id : -1;
}

}  // namespace

LibraryController::LibraryController(LabContext& context, RunController& runs, TrainController& training,
                                     ExperimentController& experiments, EvaluationController& evaluations,
                                     PromptsController& prompts, QObject* parent)
    : QObject(parent),
      context_(context),
      library_(context.library()),
      runs_(runs),
      training_(training),
      experiments_(experiments),
      evaluations_(evaluations),
      prompts_(prompts) {
  update_timer_.setSingleShot(true);
  update_timer_.setInterval(update_interval_ms);
  connect(&update_timer_, &QTimer::timeout, this, &LibraryController::update_now);
  connect_runs();
  connect_trainings();
  connect_what_ifs();
  connect_questions();
  connect_folders();
  connect_files();
}

void LibraryController::put(ListedRun run) {
  const QString place = run.place;
  if (!has_files(run.kind)) return library_.put(std::move(run));  // it knows when it was made
  const QDateTime changed = QFileInfo(place).lastModified();
  run.made_ms = (changed.isValid() ? changed : QDateTime::currentDateTime()).toMSecsSinceEpoch();
  library_.put(std::move(run));
  measure(place);
}

void LibraryController::measure(const QString& place) {
  post(files_.get(), [place](RunFiles& files) { files.measure(place); });
}

void LibraryController::connect_runs() {
  const RunModel* run = &context_.run();
  connect(&runs_, &RunController::run_kept, this, [this, run] { put(listed(*run, runs_.place())); });
  connect(&runs_, &RunController::run_shown, this, [this, run] {
    const QString place = runs_.place();
    if (place.isEmpty()) return;
    put(listed(*run, place));
    if (const int index = library_.index_of(place); run->origin().folder.empty()) {
      RunOrigin origin = run->origin();
      origin.folder = library_.run(index).saved_in.toStdString();
      context_.run().set_origin(origin);
    }
    link_what_ifs();
    select_what_if(context_.what_ifs().index_of(own_id(std::exchange(opened_what_if_, {}))));
    if (std::exchange(continued_, {}) == place)  // once all others know of it
      QMetaObject::invokeMethod(&runs_, &RunController::continue_run, Qt::QueuedConnection);
  });
  connect(&runs_, &RunController::failed, this, [this] {
    continued_.clear();
    opened_what_if_.clear();
  });
  connect(run, &RunModel::segments_appended, this, &LibraryController::update_later);
  connect(&runs_, &RunController::run_ended, this, [this, run] {
    if (runs_.place().isEmpty()) return;
    library_.update(listed(*run, runs_.place()));
    measure(runs_.place());
  });
  connect(&runs_, &RunController::saved, this, [this, run](const QString& directory) {
    if (run->origin().folder == directory.toStdString()) library_.set_saved_in(runs_.place(), directory);
  });
}

/// Lists a run that grows once a second, and its end at once.
void LibraryController::update_later() {
  if (!update_timer_.isActive()) update_timer_.start();
}

void LibraryController::update_now() {
  if (!runs_.place().isEmpty() && runs_.state() != RunController::State::Idle) {
    library_.update(listed(context_.run(), runs_.place()));
    measure(runs_.place());
  }
  const TrainingRuns& trainings = context_.training();
  for (int i = 0; i < trainings.count(); ++i) library_.update(listed(trainings.run(i)));
}

void LibraryController::connect_trainings() {
  TrainingRuns* trainings = &context_.training();
  connect(trainings, &TrainingRuns::added, this, [this, trainings](int index) {
    ListedRun run = listed(trainings->run(index));
    const QString place = run.place;
    put(std::move(run));
    library_.set_ticked(library_.index_of(place), trainings->ticked(index));
  });
  connect(trainings, &TrainingRuns::run_changed, this, [this, trainings](int index) {
    const TrainingModel& model = trainings->run(index);
    if (model.active() || model.state() == TrainingState::Attached) return update_later();
    const ListedRun run = listed(model);
    library_.update(run);
    measure(run.place);
  });
  connect(trainings, &TrainingRuns::ticked_changed, this, [this, trainings](int index) {
    const int row = library_.index_of(QDir(trainings->run(index).directory()).absolutePath());
    if (row >= 0) library_.set_ticked(row, trainings->ticked(index));
  });
  connect(&library_, &RunLibrary::ticked_changed, this, [this, trainings](int row) {
    if (library_.run(row).kind != ListedKind::Training) return;
    const int index = trainings->index_of(library_.run(row).place);
    if (index >= 0) trainings->set_ticked(index, library_.run(row).ticked());
  });
}

void LibraryController::connect_what_ifs() {
  connect(&context_.what_ifs(), &WhatIfs::results_changed, this, &LibraryController::list_what_ifs);
  connect(&library_, &RunLibrary::run_changed, this, [this](int row) {
    const ListedRun& run = library_.run(row);
    WhatIfs& what_ifs = context_.what_ifs();
    const int index = run.kind == ListedKind::WhatIf ? what_ifs.index_of(own_id(run.place)) : -1;
    if (index >= 0) what_ifs.describe(index, run.name, run.tags);
  });
  connect(&library_, &RunLibrary::forgotten, this, [this](const QStringList& places) {
    for (const QString& place : places) {
      removed_what_ifs_.erase(place);
      removed_questions_.erase(place);
    }
  });
}

/// Updates the entries of what-ifs from their own list, which decides which there are.
void LibraryController::list_what_ifs() {
  const WhatIfs& what_ifs = context_.what_ifs();
  QStringList gone;
  for (int row = 0; row < library_.count(); ++row)
    if (library_.run(row).kind == ListedKind::WhatIf) gone += library_.run(row).place;
  for (int i = 0; i < static_cast<int>(what_ifs.results().size()); ++i) {
    ListedRun run = listed(what_ifs.results()[static_cast<std::size_t>(i)], what_ifs.id(i));
    if (const int row = row_of_run(run); row >= 0) run.model = library_.run(row).model;  // which knows it whole
    gone.removeAll(run.place);
    if (const int row = library_.index_of(run.place); row >= 0) {
      library_.rename(row, run.name);
      library_.set_tags(row, run.tags);
    } else {
      put(std::move(run));
    }
  }
  for (const QString& place : gone) library_.drop(place);
}

/// Questions have a list of their own too.
void LibraryController::connect_questions() {
  Questions& questions = context_.questions();
  connect(&questions, &Questions::list_changed, this, &LibraryController::list_questions);
  connect(&library_, &RunLibrary::run_changed, this, [this, &questions](int row) {
    const ListedRun& run = library_.run(row);
    const int index = run.kind == ListedKind::Question ? questions.index_of(own_id(run.place)) : -1;
    if (index >= 0) questions.describe(index, run.name, run.tags);
  });
}

void LibraryController::list_questions() {
  QStringList gone;
  for (int row = 0; row < library_.count(); ++row)
    if (library_.run(row).kind == ListedKind::Question) gone += library_.run(row).place;
  const std::vector<Question> questions = context_.questions().all();  // a copy: names go from list to list
  for (const Question& question : questions) {
    ListedRun run = listed(question);
    gone.removeAll(run.place);
    put(std::move(run));
  }
  for (const QString& place : gone) library_.drop(place);
}

/// Links the what-ifs that were made from the run on show, when that run is on show again.
void LibraryController::link_what_ifs() {
  context_.what_ifs().link(run_provenance(context_.run()), context_.run().segment_count());
}

void LibraryController::connect_folders() {
  const auto list = [this](const FolderController& controller, const auto& model) {
    connect(&controller, &FolderController::opened, this, [this, &model] { put(listed(model)); });
    connect(&model, &FolderModel::changed, this, [this, &model] { library_.update(listed(model)); });
  };
  list(experiments_, experiments_.model());
  list(evaluations_, evaluations_.model());
  connect(&prompts_, &PromptsController::opened, this,
          [this](const QString& folder) { put(listed_prompts(folder, nullptr, prompts_.process().running())); });
  connect(&prompts_, &PromptsController::reported, this, &LibraryController::list_prompts);
  connect(&prompts_, &PromptsController::progressed, this, &LibraryController::list_prompts);
}

void LibraryController::list_prompts() {
  library_.update(listed_prompts(prompts_.folder(), prompts_.report(), prompts_.process().running()));
}

void LibraryController::connect_files() {
  connect(files_.get(), &RunFiles::failed, this, &LibraryController::failed);
  connect(files_.get(), &RunFiles::losses_read, &library_, &RunLibrary::set_losses);
  connect(files_.get(), &RunFiles::measured, this, [this](const QString& place, qint64 bytes, bool is_there) {
    // The folder of a training may be of another machine.
    library_.set_bytes(place, bytes, is_there || context_.training().index_of(place) >= 0);
    tell_of_limit();
  });
  connect(&library_, &RunLibrary::limit_changed, this, &LibraryController::tell_of_limit);
  connect(&library_, &RunLibrary::reset, this, &LibraryController::look_at_files);
  connect(&library_, &RunLibrary::ticked_changed, this, [this](int row) {
    const ListedRun& run = library_.run(row);
    if (run.kind == ListedKind::Run && run.ticked() && !run.losses)
      post(files_.get(), [place = run.place](RunFiles& files) { files.read_losses(place); });
  });
}

/// Measures the files of all entries, as a session restored them.
void LibraryController::look_at_files() {
  for (int row = 0; row < library_.count(); ++row) {
    const ListedRun& run = library_.run(row);
    if (!has_files(run.kind)) continue;
    measure(run.place);
    if (run.kind == ListedKind::Run && run.ticked())
      post(files_.get(), [place = run.place](RunFiles& files) { files.read_losses(place); });
  }
}

/// Reports once each time that the runs begin to take more than the limit; nothing is deleted without the user's
/// request.
void LibraryController::tell_of_limit() {
  const bool over = library_.bytes_over_limit() > 0;
  if (over && !over_limit_)
    context_.add_note(
        tr("Runs use %1 of disk space, more than the limit of %2: delete some in Runs, or raise the limit")
            .arg(bytes_text(library_.disk_bytes()), bytes_text(library_.limit())),
        true);
  over_limit_ = over;
}

/// Opening a run would stop the one under way.
bool LibraryController::refuse_when_busy(const QString& name) {
  const auto refused = runs_.refusal(name, RunController::Needs::IdleEngine);
  if (refused) Q_EMIT failed(*refused);
  return refused.has_value();
}

bool LibraryController::in_progress(const ListedRun& run) const {
  switch (run.kind) {
    case ListedKind::Run:
      return run.place == runs_.place() && runs_.state() != RunController::State::Idle;
    case ListedKind::Training:
      return training_.training() != nullptr &&
             context_.training().index_of(run.place) == context_.training().index_of(training_.training()->directory());
    case ListedKind::WhatIf:
      return false;
    case ListedKind::Question:
      return context_.questions().running() && own_id(run.place) == context_.questions().all().back().id;
    case ListedKind::Experiment:
      return run.place == experiments_.model().folder() && experiments_.process().running();
    case ListedKind::Evaluation:
      return run.place == evaluations_.model().folder() && evaluations_.process().running();
    case ListedKind::PromptSet:
      return run.place == prompts_.folder() && prompts_.process().running();
  }
  return false;
}

void LibraryController::open(const QString& place) {
  const int row = library_.index_of(place);
  if (row < 0) return;
  const ListedRun run = library_.run(row);
  switch (run.kind) {
    case ListedKind::Run:
      if (run.place == runs_.place()) return;
      if (!refuse_when_busy(run.name)) runs_.open_run(place);
      return;
    case ListedKind::Training:
      if (const int index = context_.training().index_of(place); index >= 0)
        context_.training().set_current(index);
      else
        training_.open_folder(place);
      return Q_EMIT panel_wanted(QStringLiteral("training"));
    case ListedKind::WhatIf:
      return open_what_if(run);
    case ListedKind::Question:
      Q_EMIT panel_wanted(QStringLiteral("ask"));
      return context_.questions().show(own_id(place));
    case ListedKind::Experiment:
      if (experiments_.model().folder() != place) experiments_.open(place);
      return Q_EMIT panel_wanted(QStringLiteral("experiments"));
    case ListedKind::Evaluation:
      if (evaluations_.model().folder() != place) evaluations_.open(place);
      return Q_EMIT panel_wanted(QStringLiteral("evaluations"));
    case ListedKind::PromptSet:
      if (prompts_.folder() != place) prompts_.open(place);
      return Q_EMIT panel_wanted(QStringLiteral("prompts"));
  }
}

/// Returns the row of the run that a what-if was made from; -1 where that isn't listed.
int LibraryController::row_of_run(const ListedRun& what_if) const {
  for (int row = 0; row < library_.count(); ++row)
    if (library_.run(row).kind == ListedKind::Run && library_.run(row).details == what_if.details) return row;
  return -1;
}

/// Opens a what-if with the run that it was made from, where that is listed.
void LibraryController::open_what_if(const ListedRun& what_if) {
  WhatIfs& what_ifs = context_.what_ifs();
  const int index = what_ifs.index_of(own_id(what_if.place));
  if (index < 0) return;
  what_ifs.show(index);
  Q_EMIT panel_wanted(QStringLiteral("what_if"));
  if (what_ifs.in_run(index)) return select_what_if(index);
  const int row = row_of_run(what_if);
  if (row < 0) return;
  const ListedRun run = library_.run(row);
  if (run.place == runs_.place() || refuse_when_busy(run.name)) return;
  opened_what_if_ = what_if.place;
  runs_.open_run(run.place);
}

/// Its segment, where its run is on show.
void LibraryController::select_what_if(int index) {
  const WhatIfs& what_ifs = context_.what_ifs();
  if (index < 0 || !what_ifs.in_run(index)) return;
  context_.select_segment(what_ifs.results()[static_cast<std::size_t>(index)].segment);
}

void LibraryController::compare(const QString& a, const QString& b) {
  if (!refuse_when_busy(tr("comparison"))) runs_.open_pair(a, b);
}

void LibraryController::resume(const QString& place) {
  const int row = library_.index_of(place);
  if (row < 0 || !library_.run(row).resumable) return;
  if (library_.run(row).kind == ListedKind::Training) return training_.resume_run(place);
  if (library_.run(row).kind == ListedKind::Run) return continue_run(place);
  if (experiments_.model().folder() == place) experiments_.go_on();
  if (evaluations_.model().folder() == place) evaluations_.go_on();
}

void LibraryController::continue_run(const QString& place) {
  if (runs_.place() == place) return runs_.continue_run();
  if (refuse_when_busy(library_.run(library_.index_of(place)).name)) return;
  continued_ = place;
  runs_.open_run(place);
}

/// Takes entries off the list or puts them back, and undoes that. What has been deleted for good does not come back.
class LibraryController::Removal : public QUndoCommand {
 public:
  Removal(LibraryController& library, QStringList places, bool removes, const QString& what)
      : QUndoCommand(what), library_(library), places_(std::move(places)), removes_(removes) {}
  void redo() override { apply(removes_); }
  void undo() override { apply(!removes_); }
  bool removed_just(const QString& place) const { return removes_ && places_ == QStringList{place}; }

 private:
  void apply(bool remove) {
    for (const QString& place : places_) remove ? library_.take_off(place) : library_.put_back(place);
    std::ranges::reverse(places_);  // the last one that went comes back first
  }

  LibraryController& library_;
  QStringList places_;
  bool removes_;
};

void LibraryController::remove(const QStringList& places) {
  QStringList removed;
  QString name;
  for (const QString& place : places) {
    const int row = library_.index_of(place);
    if (row < 0) continue;
    const ListedRun& run = library_.run(row);
    if (in_progress(run)) {
      Q_EMIT failed({Fault::Usage, run.name, tr("is running"), tr("Stop it first, or wait for its end.")});
      continue;
    }
    removed += place;
    name = run.name;
  }
  if (removed.isEmpty()) return;
  const QString what = removed.size() == 1 ? tr("delete %1").arg(name)
                                           : tr("delete %L1 runs").arg(static_cast<qlonglong>(removed.size()));
  context_.undo_stack().push(new Removal(*this, removed, true, what));
}

void LibraryController::take_off(const QString& place) {
  const int row = library_.index_of(place);
  if (row < 0 || in_progress(library_.run(row))) return;
  const ListedKind kind = library_.run(row).kind;
  library_.remove(row);
  if (kind == ListedKind::Training) {
    if (const int index = context_.training().index_of(place); index >= 0) context_.training().remove(index);
  } else if (kind == ListedKind::WhatIf) {
    const int index = context_.what_ifs().index_of(own_id(place));
    if (index >= 0) removed_what_ifs_.emplace(place, context_.what_ifs().take(index));
  } else if (kind == ListedKind::Question) {
    const int index = context_.questions().index_of(own_id(place));
    if (index >= 0) removed_questions_.emplace(place, context_.questions().take(index));
  }
}

void LibraryController::take_back() {
  if (library_.removed().empty()) return;
  const ListedRun run = library_.removed().back();
  QUndoStack& undo = context_.undo_stack();
  const auto* last = undo.canUndo() ? dynamic_cast<const Removal*>(undo.command(undo.index() - 1)) : nullptr;
  if (last != nullptr && last->removed_just(run.place)) return undo.undo();
  undo.push(new Removal(*this, {run.place}, false, tr("take back %1").arg(run.name)));
}

void LibraryController::put_back(const QString& place) {
  const auto& removed = library_.removed();
  const auto found = std::ranges::find(removed, place, &ListedRun::place);
  if (found == removed.end()) return;
  const ListedRun run = *found;
  library_.take_back(place);
  if (run.kind == ListedKind::Training) return training_.open_folder(run.place);
  if (auto what_if = removed_what_ifs_.extract(place)) context_.what_ifs().put_back(what_if.mapped());
  if (auto question = removed_questions_.extract(place)) context_.questions().put_back(question.mapped());
}

}  // namespace carryover
