// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/training/train_options.h"
#include "app/cli/training/train_report.h"
#include "app/cli/training/training_watch.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/data/corpus.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

struct TrainFlags {
  bool dry_run = false, json = false, quiet = false;
  std::int64_t room_wait = kRoomWait.count();
};

int finish(const TrainingSummary& summary, TrainingWatch& watch, bool as_json) {
  print(as_json ? json_text(training_summary_json(summary), 2) + "\n" : training_summary_text(summary));
  watch.ended(summary);
  if (!summary.stopped) return kExitOk;
  return watch.ended_by_alert() ? kExitFailure : kExitStopped;
}

int train(const TrainFlags& flags, const TrainOptions& options) {
  const auto plan = std::make_shared<const TrainingPlan>(options.resolve(flags.quiet));
  if (plan->output_dir.empty() && !flags.dry_run)
    throw EngineError(Fault::Usage, "train", "has no folder to write",
                      "Give --output DIR (or \"output_dir\" in --config's file), or --dry-run.");
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(flags.quiet);
  const auto corpus = read_training_data(*plan, progress, control);
  const auto session =
      open_session({plan->model, plan->dtype, plan->device, plan->threads, false, {}}, progress, control);
  progress.clear();
  const std::string head = training_text(*plan, session->model(), corpus->train_tokens(), corpus->held_out_tokens());
  if (!flags.json) print(head);
  TrainingWatch watch(*plan, progress, control, std::chrono::seconds(flags.room_wait));
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
               "run two steps, and print the last one's time, and its memory with the estimate; writes nothing");
  app.add_flag("--json", flags->json, "print the result as JSON");
  app.add_flag("--quiet", flags->quiet, "no progress on standard error");
  app.add_option("--wait-for-disk", flags->room_wait,
                 "without a terminal: how long to wait for room on a full disk, in seconds (600)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 30))
      ->type_name("SECONDS");
  app.footer(
      R"(Trains with the same forward that runs the model: samples of K + 1 segments, with gradients through the carried
tail across K transitions. --config takes every field of the guide's section "Training"; flags override it.
Ctrl-C saves a checkpoint and exits with 130; --resume continues from the newest one, to the same losses. On a full disk
it waits with all of its steps in memory and tries again every 10 seconds, on Enter and on SIGCONT.

Examples:
  carryover train smollm2 --preset smollm2-cpu --data books/ --output aligned --dry-run
  carryover train --config run.json --max-steps 500
  carryover train --resume aligned
  carryover run smollm2 --adapter aligned/final book.txt)");
  return [flags, options] { return train(*flags, *options); };
}

}  // namespace carryover
