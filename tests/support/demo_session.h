// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "engine/api/session.h"
#include "engine/checkpoints/model_source.h"
#include "engine/data/corpus.h"
#include "engine/data/text_source.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/records/training_plan.h"

/// Sessions of the demo model: short runs and trainings of its text.
namespace carryover::test::demo {

inline const std::string kDemo = std::string(CARRYOVER_SOURCE_DIR) + "/resources/demo";

struct Losses final : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { segments.push_back(snapshot); }
};

struct Watch final : TrainObserver {
  std::function<void(std::int64_t step)> after_step;
  std::function<void(double fraction)> while_preparing;
  std::vector<std::string> notes, checkpoints, alerts;
  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override {
    if (after_step) after_step(snapshot->record.step);
  }
  void noted(const std::string& text) override { notes.push_back(text); }
  void preparing(double fraction, const std::string&) override {
    if (while_preparing) while_preparing(fraction);
  }
  void checkpoint_saved(std::int64_t, const std::string& folder) override { checkpoints.push_back(folder); }
  void alerted(const TrainingAlert& alert) override { alerts.push_back(alert.text); }
};

inline std::unique_ptr<Session> open(DType dtype, const std::string& path = kDemo, const std::string& adapter = {}) {
  ModelRequest request;
  request.path = path;
  request.dtype = dtype;
  request.device = Device::Cpu;
  request.threads = 1;
  request.adapter = adapter;
  return open_session(request, {});
}

inline const std::vector<std::int32_t>& demo_ids() {
  static const std::vector<std::int32_t> ids = Tokenizer::load(kDemo)->encode(read_text(kDemo + "/text.txt"));
  return ids;
}

inline RunRequest request(std::int64_t tokens = 300) {
  const auto& text = demo_ids();
  RunRequest run;
  run.ids = std::make_shared<const std::vector<std::int32_t>>(text.begin(), text.begin() + tokens);
  run.capture.states = true;  // which are another model's after a training
  run.config.segment_length = 64;
  run.config.carry_length = 16;
  run.config.retrieval_length = 16;
  run.config.grouping = SegmentConfig::defaults_for(ModelSource::open(kDemo)->config()).grouping;
  return run;
}

inline std::vector<std::shared_ptr<const SegmentSnapshot>> run(Session& session, const RunRequest& request) {
  Losses losses;
  RunControl control;
  session.run(request, losses, control);
  return losses.segments;
}

inline TrainRequest training(const std::string& output, std::int64_t steps, std::int64_t lora_rank) {
  const auto& text = demo_ids();
  auto plan = std::make_shared<TrainingPlan>();
  plan->model = kDemo;
  plan->output_dir = output;
  plan->config = request().config;
  plan->training.max_steps = steps;
  plan->training.gradient_accumulation_steps = 1;
  plan->training.learning_rate = 1e-2;
  plan->training.warmup_steps = 0;
  plan->training.on_alert = AlertPolicy::Skip;
  plan->training.lora.rank = lora_rank;
  auto corpus = std::make_shared<Corpus>();
  corpus->train.push_back({"text", std::vector<std::int32_t>(text.begin(), text.begin() + 2000)});
  corpus->hash = "of the test";
  return {plan, corpus, false, false};
}

inline TrainingSummary train(Session& session, const TrainRequest& request, std::int64_t stop_after = 0) {
  Watch watch;
  RunControl control;
  watch.after_step = [&](std::int64_t step) {
    if (step == stop_after) control.request_stop();
  };
  return session.train(request, watch, control);
}

}  // namespace carryover::test::demo
