// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/train_options.h"
#include "app/cli/train_report.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/core/base/error.h"
#include "engine/data/corpus.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct TrainFlags {
  bool dry_run = false, json = false, quiet = false;
};

/// Shows each step, and keeps the last one. Nobody can resume a paused run from the command line: an alert that would
/// pause asks the engine to save and stop.
class Watch : public TrainObserver {
 public:
  Watch(const TrainingPlan& plan, ProgressLine& progress, RunControl& control)
      : plan_(plan), progress_(progress), control_(control) {}

  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override {
    last_ = snapshot->record;
    ++steps_here_;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::int64_t left = plan_.training.max_steps - last_->step;
    const double each = seconds / static_cast<double>(steps_here_);
    shown_ =
        step_text(*last_, plan_.training.max_steps) + ", " + human_duration(each * static_cast<double>(left)) + " left";
    progress_.status(shown_);
  }
  void progress(std::int64_t done, std::int64_t total) override {
    progress_.status((shown_.empty() ? "first step" : shown_) + "  (" + std::to_string(done) + " of " +
                     std::to_string(total) + " tokens)");
  }
  void validation_done(const ValidationRecord& record) override { progress_.note(validation_text(record)); }
  void checkpoint_saved(std::int64_t, const std::string& directory) override { progress_.note("saved " + directory); }
  void noted(const std::string& text) override { progress_.note(text); }
  void alerted(const TrainingAlert& alert) override {
    progress_.note("alert at step " + std::to_string(alert.step) + ": " + alert.text);
    if (plan_.training.on_alert == AlertPolicy::Skip) return;
    ended_ = true;
    control_.request_stop();
  }

  const std::optional<StepRecord>& last() const { return last_; }
  bool ended_by_alert() const { return ended_; }

 private:
  using Clock = std::chrono::steady_clock;
  const TrainingPlan& plan_;
  ProgressLine& progress_;
  RunControl& control_;
  Clock::time_point start_ = Clock::now();
  std::int64_t steps_here_ = 0;
  std::optional<StepRecord> last_;
  std::string shown_;
  bool ended_ = false;
};

std::shared_ptr<const Corpus> read_data(const TrainingPlan& plan, ProgressLine& progress, RunControl& control) {
  const CorpusRequest request{plan.data, plan.text_field, plan.training.validation_fraction, default_token_cache()};
  const auto tokenizer = Tokenizer::load(plan.model);
  const auto report = [&](double fraction, const std::string& what) {
    progress.status(what + "  " + fixed(100 * fraction, 0) + " %");
  };
  return std::make_shared<const Corpus>(read_corpus(request, *tokenizer, report, control));
}

int finish(const TrainingSummary& summary, const Watch& watch, bool as_json) {
  print(as_json ? json_text(training_summary_json(summary), 2) + "\n" : training_summary_text(summary));
  if (!summary.stopped) return kExitOk;
  return watch.ended_by_alert() ? kExitFailure : kExitStopped;
}

int train(const TrainFlags& flags, const TrainOptions& options) {
  const auto plan = std::make_shared<const TrainingPlan>(options.resolve());
  if (plan->output_dir.empty() && !flags.dry_run)
    throw EngineError(Fault::Usage, "train", "has no folder to write",
                      "Give --output DIR (or \"output_dir\" in --config's file), or --dry-run.");
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(flags.quiet);
  const auto corpus = read_data(*plan, progress, control);
  const auto session = load_session({plan->model, plan->dtype, plan->device, plan->threads, false, {}},
                                    [&](double fraction, const std::string& what) {
                                      control.checkpoint();
                                      progress.loading(fraction, what);
                                    });
  progress.clear();
  const std::string head = training_text(*plan, session->model(), corpus->train_tokens(), corpus->held_out_tokens());
  if (!flags.json) print(head);
  Watch watch(*plan, progress, control);
  const TrainingSummary summary = session->train({plan, corpus, options.resumes(), flags.dry_run}, watch, control);
  progress.clear();
  if (!flags.dry_run) return finish(summary, watch, flags.json);
  if (!watch.last()) return kExitStopped;
  const nlohmann::json report = dry_run_json(*plan, session->model(), *watch.last());
  print(flags.json ? report.dump(2) + "\n" : dry_run_text(report));
  return kExitOk;
}

}  // namespace

VerbAction add_train(CLI::App& app) {
  const auto flags = std::make_shared<TrainFlags>();
  const auto options = std::make_shared<TrainOptions>(app);
  app.add_flag("--dry-run", flags->dry_run,
               "two steps: the last one's memory beside the estimate, and its time; writes nothing");
  app.add_flag("--json", flags->json, "print the result as JSON");
  app.add_flag("--quiet", flags->quiet, "no progress on standard error");
  app.footer(
      R"(Trains with the same forward that runs the model: samples of K + 1 segments, with gradients through the carried
tail across K transitions. --config takes every field of the guide's section "Training"; flags win over it.
Ctrl-C saves a checkpoint and exits with 130; --resume continues from the newest one, to the same losses.

Examples:
  carryover train smollm2 --preset smollm2-cpu --data books/ --output aligned --dry-run
  carryover train --config run.json --max-steps 500
  carryover train --resume aligned
  carryover run smollm2 --adapter aligned/final book.txt)");
  return [flags, options] { return train(*flags, *options); };
}

}  // namespace carryover
