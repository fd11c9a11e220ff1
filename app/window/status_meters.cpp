// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_meters.h"

#include <QFontMetrics>
#include <QProgressBar>
#include <algorithm>

#include "app/window/lab_toolbar.h"
#include "engine/base/system_file.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr int progress_width = 240, least_progress_width = 140, memory_width = 118;

/// Returns the memory, in bytes, of the machine that the engine is on.
std::int64_t engine_memory(const std::optional<EngineElsewhere>& elsewhere) {
  if (elsewhere) return elsewhere->place.memory_bytes;
  return machine_memory();
}

/// Shows the first text that the bar has room for, in one line, or the last text, cut. The tooltip has all of it.
void show_text(QProgressBar& bar, const QStringList& texts) {
  constexpr int sides = 12;
  const QFontMetrics metrics = bar.fontMetrics();
  const int room = bar.minimumWidth() - sides;
  const auto fitting = std::find_if(texts.begin(), texts.end(),
                                    [&](const QString& text) { return metrics.horizontalAdvance(text) <= room; });
  bar.setFormat(fitting != texts.end() ? *fitting : metrics.elidedText(texts.back(), Qt::ElideRight, room));
  bar.setToolTip(texts.front());
}

QString dotted(const QString& first, const QString& second) {
  return QStringLiteral("%1 · %2").arg(first, second);
}

QString seconds_left(double seconds) {
  if (seconds < 90) return StatusMeters::tr("%1 s left").arg(seconds, 0, 'f', 0);
  return StatusMeters::tr("%1 min left").arg(seconds / 60, 0, 'f', 0);
}

}  // namespace

StatusMeters::StatusMeters(Lab& lab, LabToolbar& bar) : lab_(lab) {
  auto* gap = new QWidget(&bar);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar.addWidget(gap);
  progress_ = add_bar(bar, progress_width, tr("Progress"));
  auto* space = new QWidget(&bar);
  space->setFixedWidth(6);
  QAction* before_memory = bar.addWidget(space);
  memory_ = add_bar(bar, memory_width, tr("Memory"));
  give_room(bar, {before_memory, bar.QWidget::actions().constLast()});
  memory_->setToolTip(
      tr("Peak memory of the run (of the weights, if there is no run), and memory of the engine's machine"));
  connect(&lab.engine, &EngineConnection::changed, this, &StatusMeters::show_state);
  connect(&lab.loader, &ModelLoader::progressed, this, &StatusMeters::show_fetching);
  connect(&lab.documents, &DocumentController::progressed, this, &StatusMeters::show_fetching);
  connect(&lab.loader, &ModelLoader::model_changed, this, &StatusMeters::show_state);
  connect(&lab.loader, &ModelLoader::text_opened, this, &StatusMeters::show_state);
  connect(&lab.runs, &RunController::state_changed, this, &StatusMeters::show_state);
  connect(&lab.training, &TrainController::state_changed, this, &StatusMeters::show_state);
  for (const auto signal : {&RunModel::progressed, &RunModel::ended})
    connect(&lab.context.run(), signal, this, &StatusMeters::show_state);
  connect(&lab.context.run(), &RunModel::segments_appended, this, &StatusMeters::show_state);
  show_state();
}

QProgressBar* StatusMeters::add_bar(LabToolbar& bar, int width, const QString& name) {
  auto* meter = new QProgressBar(&bar);
  meter->setRange(0, 1000);
  meter->setFixedWidth(width);
  meter->setAccessibleName(name);
  bar.addWidget(meter);
  return meter;
}

void StatusMeters::give_room(LabToolbar& bar, const QList<QAction*>& memory) {
  bar.room().add([memory](bool give) {
    for (QAction* action : memory) action->setVisible(!give);
  });
  bar.room().add([this](bool give) {
    progress_->setFixedWidth(give ? least_progress_width : progress_width);
    show_text(*progress_, texts_);
  });
}

void StatusMeters::say(const QStringList& texts) {
  texts_ = texts;
  show_text(*progress_, texts);
}

void StatusMeters::show_fetching(double fraction, const QString& what) {
  if (lab_.runs.state() != RunController::State::Idle) return;
  progress_->setValue(static_cast<int>(fraction * 1000));
  say({what});
}

void StatusMeters::show_state() {
  const RunModel& run = lab_.context.run();
  if (lab_.training.active()) {
    show_training();
  } else if (!run.is_empty() && run.token_count() > 0) {
    show_run();
  } else if (!lab_.loader.loading()) {
    progress_->setValue(0);
    say({QString()});
  }
  show_memory();
}

void StatusMeters::show_run() {
  const RunModel& run = lab_.context.run();
  const double done = static_cast<double>(run.tokens_done()), total = static_cast<double>(run.token_count());
  progress_->setValue(static_cast<int>(1000 * done / total));
  say(run_texts(total - done));
}

/// The whole first; the others say less, in a bar that has no room for it.
QStringList StatusMeters::run_texts(double tokens_left) const {
  const RunModel& run = lab_.context.run();
  const QString count = filled(QStringLiteral("%1/%2"), run.segment_count(), run.expected_segments());
  const QString segments = tr("%1 segments").arg(count);
  if (run.finished() && run.summary().cancelled)
    return {tr("%1 · stopped").arg(segments), tr("%1 · stopped").arg(count)};
  if (run.finished()) {
    const double seconds = run.summary().seconds;
    const QString speed =
        tr("%L1 tokens/s").arg(seconds > 0 ? static_cast<double>(run.summary().tokens) / seconds : 0, 0, 'f', 0);
    return {dotted(segments, speed), dotted(count, speed)};
  }
  if (lab_.runs.state() == RunController::State::Paused)
    return {tr("%1 · paused").arg(segments), tr("%1 · paused").arg(count)};
  const double rate = lab_.runs.tokens_per_second();
  if (rate <= 0) return {segments, count};
  const QString left = seconds_left(tokens_left / rate), speed = dotted(tr("%L1 tok/s").arg(rate, 0, 'f', 0), left);
  return {dotted(segments, speed), dotted(count, speed), dotted(count, left)};
}

void StatusMeters::show_training() {
  const TrainingModel* run = lab_.training.training();
  if (run == nullptr) return say({tr("dry run")});
  if (run->step_count() == 0) {
    progress_->setValue(static_cast<int>(1000 * run->progress()));
    return say({run->progress_text()});
  }
  const double step = run->column(TrainingColumn::Step).back();
  const auto all = static_cast<double>(run->plan().training.max_steps);
  progress_->setValue(static_cast<int>(1000 * (step + run->progress()) / all));
  say({run->state() == TrainingState::Running
           ? filled(tr("step %L1/%L2 · %L3 tok/s"), decimal_text(step, 0), decimal_text(all, 0),
                    decimal_text(run->column(TrainingColumn::TokensPerSecond).back(), 0))
           : filled(tr("step %L1/%L2 · %3"), decimal_text(step, 0), decimal_text(all, 0),
                    training_state_name(run->state()))});
}

void StatusMeters::show_memory() {
  const RunModel& run = lab_.context.run();
  const auto& model = lab_.loader.model();
  std::int64_t used = model ? model->info.weight_bytes : 0;
  if (run.segment_count() > 0) used = run.record(run.segment_count() - 1).memory.device_peak;
  const auto needed = static_cast<double>(used), all = static_cast<double>(engine_memory(lab_.engine.elsewhere()));
  const bool on_gpu = model && model->info.device == Device::Cuda;
  memory_->setValue(on_gpu ? 0 : static_cast<int>(std::min(1000.0, 1000 * needed / all)));
  memory_->setFormat(on_gpu ? tr("%1 on GPU").arg(bytes_text(used))
                            : tr("%1 of %2 GB").arg(bytes_text(used), decimal_text(all / 1e9, 0)));
}

}  // namespace carryover
