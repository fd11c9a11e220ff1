// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/training/training_watch.h"

#include "app/cli/progress_line.h"
#include "app/cli/training/train_report.h"
#include "engine/base/duration_text.h"
#include "engine/base/text_parts.h"
#include "engine/data/corpus.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

void TrainingWatch::step_done(std::shared_ptr<const StepSnapshot> snapshot) {
  room_.found_room();
  last_ = snapshot->record;
  ++steps_here_;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::int64_t left = plan_.training.max_steps - last_->step;
  const double each = seconds / static_cast<double>(steps_here_);
  shown_ =
      step_text(*last_, plan_.training.max_steps) + ", " + human_duration(each * static_cast<double>(left)) + " left";
  progress_.status(shown_);
}

void TrainingWatch::progress(std::int64_t done, std::int64_t total) {
  progress_.status((shown_.empty() ? "first step" : shown_) + "  (" + std::to_string(done) + " of " +
                   std::to_string(total) + " tokens)");
}

void TrainingWatch::validation_done(const ValidationRecord& record) {
  room_.found_room();
  progress_.note(validation_text(record));
}

void TrainingWatch::checkpoint_saved(std::int64_t, const std::string& directory) {
  room_.found_room();
  progress_.note("saved " + directory);
}

void TrainingWatch::noted(const std::string& text) {
  progress_.note(text);
}

/// Restarts the clock: work before the first step is no part of a step's time.
void TrainingWatch::preparing(double fraction, const std::string& what) {
  room_.found_room();
  start_ = Clock::now();
  progress_.status(what + "  " + fixed_text(100 * fraction, 0) + " %");
}

/// Excludes the time of waiting from the step's time.
void TrainingWatch::wait_for_room(const TrainingAlert& alert) {
  progress_.clear();
  const Clock::time_point before = Clock::now();
  const bool again = room_.until_next_try(alert.text, control_);
  start_ += Clock::now() - before;
  gave_up_ = !again;
  again ? control_.resume() : control_.request_stop();
}

void TrainingWatch::ended(const TrainingSummary& summary) {
  if (!summary.stopped) return room_.found_room();
  if (!gave_up_) return;
  throw EngineError(Fault::Io, plan_.output_dir,
                    room_.waits() ? "the disk is full; the steps after the newest checkpoint are lost"
                                  : "the disk was full; a checkpoint has all steps",
                    "Free some space, and go on from there: carryover train --resume " + plan_.output_dir + ".");
}

void TrainingWatch::alerted(const TrainingAlert& alert) {
  if (alert.waits_for_room) return wait_for_room(alert);
  alert_ = "step " + std::to_string(alert.step) + ": " + alert.text;
  progress_.note("alert at " + alert_);
  if (plan_.training.on_alert == AlertPolicy::Skip) return;
  ended_ = true;
  control_.request_stop();
}

std::shared_ptr<const Corpus> read_training_data(const TrainingPlan& plan, ProgressLine& progress,
                                                 RunControl& control) {
  const CorpusRequest request{plan.data, plan.text_field, plan.training.validation_fraction, default_token_cache()};
  const auto tokenizer = Tokenizer::load(plan.model);
  const auto report = [&](double fraction, const std::string& what) {
    progress.status(what + "  " + fixed_text(100 * fraction, 0) + " %");
  };
  return std::make_shared<const Corpus>(read_corpus(request, *tokenizer, report, control));
}

}  // namespace carryover
