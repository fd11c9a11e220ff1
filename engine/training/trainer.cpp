// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/cost/real.h"
#include "engine/cost/training_cost.h"
#include "engine/data/corpus.h"
#include "engine/data/recall_samples.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/output_file.h"
#include "engine/formats/whole_folder.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/partition.h"
#include "engine/training/checkpoint.h"
#include "engine/training/recall_gradient.h"
#include "engine/training/records/training_folder.h"
#include "engine/training/sample_gradient.h"
#include "engine/training/teacher.h"
#include "engine/training/trained_gates.h"
#include "engine/training/validation.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kSmoothing = 0.9;         ///< smoothing of the loss that a spike is compared with
constexpr std::int64_t kDrySteps = 2;      ///< the first step allocates memory, which all others reuse
constexpr std::int64_t kSpikeWarmUp = 10;  ///< first steps, in which no spike is reported

/// Sums over the samples of one step.
struct StepSums {
  std::int64_t targets = 0, tokens = 0, samples = 0, recall_targets = 0;
  double nll = 0, soft_loss = 0, recall_nll = 0;
  std::vector<double> segment_nll;
  std::vector<std::int64_t> segment_targets;
  std::map<std::pair<std::int64_t, std::int64_t>, GradientReach> reach;
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  MemoryBytes memory;

  void add(SampleGradient sample) {
    ++samples;
    targets += sample.targets;
    nll += sample.nll_sum;
    soft_loss += sample.soft_loss_sum;
    const std::size_t n = std::max(segment_nll.size(), sample.segment_nll.size());
    segment_nll.resize(n);
    segment_targets.resize(n);
    for (std::size_t i = 0; i < sample.segment_nll.size(); ++i) {
      segment_nll[i] += sample.segment_nll[i];
      segment_targets[i] += sample.segment_targets[i];
    }
    for (const GradientReach& one : sample.reach) {
      GradientReach& sum = reach[{one.transition, one.age}];
      const double norm = sum.norm + one.norm;
      sum = one;
      sum.norm = norm;
    }
    memory.raise_to(sample.memory);
    segments = std::move(sample.segments);
  }

  void add(const RecallGradient& sample) {
    tokens += sample.tokens;
    recall_targets += sample.targets;
    recall_nll += sample.nll_sum;
    memory.raise_to(sample.memory);
  }

  /// Returns the divisor of the sum of gradients: the number of targets, with those of recall samples weighted.
  double weight(const TrainingConfig& training) const {
    return static_cast<double>(targets) + training.recall_weight * static_cast<double>(recall_targets);
  }

  /// Returns the problem, in words, where the loss or its gradient is not finite.
  std::string not_finite() const {
    if (!std::isfinite(recall_nll)) return "The loss of a recall sample's answers is not a number";
    for (std::size_t i = 0; i < segment_nll.size(); ++i)
      if (!std::isfinite(segment_nll[i])) return "The loss of segment " + std::to_string(i) + " is not a number";
    return "The gradient of the loss is not a number";
  }
};

class Trainer {
 public:
  Trainer(Decoder& decoder, const ModelInfo& info, const TrainRequest& request, TrainObserver& observer,
          RunControl& control, TrainingResult& result)
      : decoder_(decoder),
        info_(info),
        plan_(*request.plan),
        corpus_(*request.corpus),
        dry_run_(request.dry_run),
        observer_(observer),
        control_(control),
        result_(result),
        meter_(decoder.options().device()),
        order_(corpus_.train, plan_.tokens_per_sample(), plan_.training.seed),
        parameters_(decoder),
        optimizer_(parameters_, plan_.training) {
    position_.corpus_hash = corpus_.hash;
    if (plan_.training.recall_samples > 0) {
      tokenizer_ = Tokenizer::load(plan_.model);
      recall_.emplace(corpus_.train, *tokenizer_, plan_.training, plan_.config);
    }
    if (lora()) position_.base_hash = info_.weights_hash;
    if (request.resume)
      resume();
    else if (!dry_run_)
      folder_.emplace(TrainingFolder::create(plan_, environment_json(info_)));
  }

  TrainingSummary run() {
    const auto start = Clock::now();
    try {
      if (!dry_run_ && distils()) hear_teacher();
      if (!dry_run_) validate_if_due();  // a stop may have come between a step and its validation
      while (position_.step < (dry_run_ ? kDrySteps : plan_.training.max_steps)) {
        step();
        if (!dry_run_) after_step();
      }
      if (dry_run_) return summary(start);
      finish();
    } catch (const EngineError& error) {
      if (dry_run_) throw;
      save_what_there_is();
      if (error.fault() != Fault::Cancelled) throw;
      summary_.stopped = true;
    } catch (...) {
      if (!dry_run_) save_what_there_is();
      throw;
    }
    return summary(start);
  }

 private:
  void resume() {
    folder_.emplace(TrainingFolder::resume(plan_.output_dir));
    const auto checkpoint = TrainingFolder::newest_checkpoint(plan_.output_dir);
    if (!checkpoint) return;  // it was killed before the first one: from the beginning
    const TrainingPosition here = position_;
    changes_weights();
    CheckpointRead read = read_checkpoint(*checkpoint, parameters_, optimizer_);
    position_ = std::move(read.position);
    saved_step_ = position_.step;
    summary_.checkpoint = *checkpoint;
    if (!read.checked)
      observer_.noted(*checkpoint + " has no checksums: an older version wrote it. It was read unchecked.");
    if (lora() && !position_.base_hash.empty() && position_.base_hash != here.base_hash)
      throw EngineError(
          Fault::BadInput, plan_.output_dir,
          "is an adapter over the weights " + position_.base_hash + ", and the open model's are " + here.base_hash,
          "Open the model that the run began with.");
    position_.base_hash = here.base_hash;
    if (position_.corpus_hash != corpus_.hash)
      throw EngineError(Fault::BadInput, plan_.output_dir, "was trained on another text than this",
                        "Give the data of its config.json unchanged, or start a new run.");
    wrote(*checkpoint);
  }

  /// Runs the teacher over all samples that its file lacks. It runs once for a training, before the first step, because
  /// every weight may change with that step. A trained adapter leaves the teacher as it is.
  void hear_teacher() {
    if (position_.step >= plan_.training.max_steps) return;
    const bool is_there = lora() || position_.step == 0;
    if (position_.teacher_hash.empty() && is_there) position_.teacher_hash = info_.weights_hash;
    const std::string path = path_in(folder_->directory(), kTeacherFile);
    const TeacherKey key = teacher_key(plan_, decoder_.config, corpus_, position_.teacher_hash);
    std::error_code ignored;
    if (fs::exists(path, ignored)) teacher_.emplace(path, key);
    if (teacher_ && teacher_->samples() == std::ssize(key.samples)) return;
    if (!is_there)
      throw EngineError(Fault::BadInput, path,
                        teacher_ ? "was written for fewer steps than are asked for, and the weights have changed since"
                                 : "is missing, and the weights that it is of have changed since",
                        "Put it back, ask for no more steps than before, or start a new run.");
    write_teacher_file(path, key);
    teacher_.emplace(path, key);
  }

  void write_teacher_file(const std::string& path, const TeacherKey& key) {
    const double bytes = teacher_bytes(key);
    std::error_code code;
    const fs::space_info disk = fs::space(folder_->directory(), code);
    if (!code && bytes > static_cast<double>(disk.available))
      throw EngineError(Fault::Io, path,
                        "would take " + size_text(bytes) + ", and the disk has " +
                            size_text(static_cast<double>(disk.available)) + " left",
                        "Free some space, train fewer steps, or set distillation to 0.");
    const double layers = static_cast<double>(decoder_.config.layers);
    const double total = layers * static_cast<double>(key.samples.size());
    const auto rows_of = [&](std::int64_t n) {
      return teacher_rows(decoder_, plan_.config, ids_of(n), [&](int layer) {
        observer_.preparing((layers * static_cast<double>(n) + layer + 1) / total, "the teacher reads the samples");
        control_.checkpoint();
      });
    };
    const Keeping keeping = [this](const std::function<void()>& write) { keep(write); };
    keep([&] { write_teacher(path, key, rows_of, keeping); });
    sync_folder(folder_->directory());
  }

  /// Does every write of a training once it has begun. If the disk is full, training pauses with all of its steps in
  /// memory; when it is resumed, it tries again, and a stop gives up.
  template <typename Write>
  void keep(const Write& write) {
    while (true) {
      try {
        return write();
      } catch (const EngineError& error) {
        if (!is_disk_full(error) || control_.stop_requested()) throw;
        wait_for_room(error);
      }
    }
  }

  void wait_for_room(const EngineError& error) {
    control_.pause();
    observer_.alerted({position_.step, summary_.last_loss, position_.smoothed_loss,
                       error.where() + ": " + error.problem() + "; training waits and keeps its steps in memory.",
                       /*waits_for_room=*/true});
    control_.checkpoint();
  }

  /// Returns the teacher's rows for the training's n-th sample. A dry run has no file: its weights stay the teacher's.
  std::optional<ops::SoftTargets> soft_targets_of(std::int64_t n) {
    if (!distils()) return std::nullopt;
    CARRYOVER_CHECK(teacher_ || dry_run_);
    const TeacherRows rows = teacher_
                                 ? teacher_->read(n)
                                 : teacher_rows(decoder_, plan_.config, ids_of(n), [&](int) { control_.checkpoint(); });
    return soft_targets(decoder_, rows, plan_.training.distillation);
  }

  std::vector<std::int32_t> ids_of(std::int64_t n) {
    const SampleSpan span = order_.sample(n);
    return corpus_.sample(part_of(corpus_.train[span.document].ids, span.first, span.length), plan_.config.bos);
  }

  /// One optimizer step: gradients of its samples, alerts, update, record.
  void step() {
    const auto start = Clock::now();
    const std::int64_t step = position_.step + 1;
    parameters_.clear_gradients();
    StepSums sums = gradients_of(step);
    if (sums.targets == 0) throw EngineError(Fault::BadInput, "data", "has no token to predict", "Give longer texts.");

    auto snapshot = std::make_shared<StepSnapshot>();
    StepRecord& record = snapshot->record;
    record.step = step;
    record.targets = sums.targets;
    record.loss = sums.nll / static_cast<double>(sums.targets);
    if (distils()) record.distillation_loss = sums.soft_loss / static_cast<double>(sums.targets);
    if (recall_ && sums.recall_targets > 0)
      record.recall_loss = sums.recall_nll / static_cast<double>(sums.recall_targets);
    const double weight = sums.weight(plan_.training);
    record.gradient_norm = optimizer_.gradient_norm(weight);
    record.learning_rate = dry_run_ ? 0 : plan_.training.rate_at(step - 1);
    record.skipped = dry_run_ ? !is_finite(record) : must_skip(record, sums);
    inside_update_ = true;
    if (!record.skipped) {
      if (!dry_run_) changes_weights();  // a dry run's rate is zero
      optimizer_.step(record.learning_rate, record.gradient_norm, weight);
      smooth(record.loss);
    }
    position_.step = step;
    position_.tokens += sums.tokens;
    record.tokens = position_.tokens;
    fill(record, sums);
    record.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    record.tokens_per_second = static_cast<double>(sums.tokens) / std::max(record.seconds, 1e-9);
    snapshot->segments = std::move(sums.segments);
    summary_.last_loss = record.loss;
    if (folder_) unrecorded_ = record;
    inside_update_ = false;
    write_record();
    observer_.step_done(std::move(snapshot));
  }

  StepSums gradients_of(std::int64_t step) {
    const std::int64_t samples = plan_.training.samples_per_step();
    const std::vector<NeedleDocument> documents = recall_documents(step);
    std::int64_t total = samples * plan_.tokens_per_sample();
    for (const NeedleDocument& document : documents) total += std::ssize(document.ids);
    const bool wants_segments = observer_.wants_segments();
    StepSums sums;
    for (std::int64_t s = 0; s < samples; ++s) {
      const std::int64_t n = (step - 1) * samples + s;
      const std::vector<std::int32_t> ids = ids_of(n);
      GradientSetup setup = setup_of(step, s, {sums.tokens, std::ssize(ids), total}, plan_.segments_per_sample());
      setup.keep_segments = wants_segments && s + 1 == samples;
      setup.soft = soft_targets_of(n);
      sums.add(add_sample_gradient(decoder_, parameters_, setup, ids));
      sums.tokens += std::ssize(ids);
    }
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::int64_t tokens = std::ssize(documents[i].ids);
      const GradientSetup setup = setup_of(step, samples + static_cast<std::int64_t>(i), {sums.tokens, tokens, total},
                                           tokens / plan_.config.segment_length);
      sums.add(add_recall_gradient(decoder_, parameters_, setup, documents[i], plan_.training.recall_weight));
    }
    return sums;
  }

  std::vector<NeedleDocument> recall_documents(std::int64_t step) const {
    std::vector<NeedleDocument> documents;
    const std::int64_t count = plan_.training.recall_samples;
    for (std::int64_t i = 0; i < count; ++i) documents.push_back(recall_->sample((step - 1) * count + i));
    return documents;
  }

  /// The place of a sample in its step, in tokens: those before it, its own, and the step's.
  struct Progress {
    std::int64_t before, tokens, total;
  };
  /// Returns the setup for the step's sample number `sample`, which has `segments` segments.
  GradientSetup setup_of(std::int64_t step, std::int64_t sample, Progress progress, std::int64_t segments) {
    GradientSetup setup;
    setup.policy = plan_.policy;
    setup.config = plan_.config;
    setup.checkpointing = plan_.training.gradient_checkpointing;
    setup.dropout = {plan_.training.lora.rank > 0 ? plan_.training.lora.dropout : 0, plan_.training.seed,
                     static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(sample), 0};
    const std::int64_t layer_steps = decoder_.config.layers * segments;
    setup.after_layer = [this, progress, layer_steps, done = std::int64_t{0}](int) mutable {
      done = std::min(done + 1, layer_steps);
      observer_.progress(progress.before + progress.tokens * done / layer_steps, progress.total);
      control_.checkpoint();
    };
    setup.meter = &meter_;
    return setup;
  }

  void fill(StepRecord& record, const StepSums& sums) {
    for (std::size_t i = 0; i < sums.segment_nll.size(); ++i)
      record.segment_loss.push_back(
          sums.segment_targets[i] > 0 ? sums.segment_nll[i] / static_cast<double>(sums.segment_targets[i]) : 0);
    for (const auto& [key, reach] : sums.reach) {
      record.reach.push_back(reach);
      record.reach.back().norm /= static_cast<double>(sums.samples);
    }
    record.memory = sums.memory;
    record.memory.weights = decoder_.weights.bytes() + decoder_.adapter.bytes();
    record.memory.gradients = parameters_.gradient_bytes();
    record.memory.optimizer = optimizer_.bytes();
    record.memory.device_peak = meter_.held_peak_bytes(record.memory.weights);
    summary_.peak_memory_bytes = record.memory.device_peak;
  }

  void smooth(double loss) {
    position_.smoothed_loss =
        position_.smoothed_loss == 0 ? loss : kSmoothing * position_.smoothed_loss + (1 - kSmoothing) * loss;
  }

  static bool is_finite(const StepRecord& record) {
    return std::isfinite(record.loss) && std::isfinite(record.gradient_norm);
  }

  /// Returns true if the update must be left out. An alert that pauses the training waits here until the user resumes
  /// or stops it. A gradient that is not finite is never applied.
  bool must_skip(const StepRecord& record, const StepSums& sums) {
    const bool finite = is_finite(record);
    const bool spike = finite && plan_.training.spike_factor > 0 && record.step > kSpikeWarmUp &&
                       record.loss > plan_.training.spike_factor * position_.smoothed_loss;
    if (finite && !spike) return false;
    const std::string what = finite ? "The loss jumped to " + std::to_string(record.loss) + " nats, from about " +
                                          std::to_string(position_.smoothed_loss)
                                    : sums.not_finite();
    switch (plan_.training.on_alert) {
      case AlertPolicy::Skip:
        observer_.alerted({record.step, record.loss, position_.smoothed_loss, what + "; this step is left out."});
        return true;
      case AlertPolicy::Stop:
        observer_.alerted({record.step, record.loss, position_.smoothed_loss, what + "; training stops before it."});
        control_.request_stop();
        break;
      case AlertPolicy::Pause:
        control_.pause();
        observer_.alerted({record.step, record.loss, position_.smoothed_loss,
                           what + (finite ? "; training waits: resume to apply this step, or stop before it."
                                          : "; training waits: resume to leave this step out, or stop before it.")});
        break;
    }
    control_.checkpoint();
    return !finite;
  }

  bool is_last_step() const { return position_.step == plan_.training.max_steps; }

  /// Validates behind the steps that the plan names, unless the record has it already.
  void validate_if_due() {
    const std::int64_t every = plan_.training.eval_steps;
    const bool due = position_.step > 0 && (is_last_step() || (every > 0 && position_.step % every == 0));
    if (corpus_.held_out.empty() || !due || folder_->last_validation() >= position_.step) return;
    const ValidationRecord record = validate_model(decoder_, plan_, corpus_, position_.step, control_);
    keep([&] { folder_->append(record); });
    observer_.validation_done(record);
  }

  void after_step() {
    const TrainingConfig& training = plan_.training;
    validate_if_due();
    if (is_last_step() || (training.save_steps > 0 && position_.step % training.save_steps == 0)) save();
    control_.checkpoint();
  }

  /// All steps of a checkpoint must be in the record: if writing one failed, it is tried again before the checkpoint is
  /// written.
  void write_record() {
    if (unrecorded_) keep([&] { folder_->append(*unrecorded_); });
    unrecorded_.reset();
  }

  void save() {
    if (saved_step_ == position_.step) return;
    write_record();
    keep([&] {
      summary_.checkpoint =
          folder_->save_checkpoint(position_.step, plan_.training.save_total_limit, [&](const std::string& directory) {
            write_checkpoint(directory, decoder_, parameters_, optimizer_, plan_, position_);
          });
    });
    saved_step_ = position_.step;
    wrote(summary_.checkpoint);
    observer_.checkpoint_saved(position_.step, summary_.checkpoint);
  }

  /// Writes a checkpoint of the last whole step, if that is still possible, after a stop or a failure. Within an update
  /// some weights belong to one step and some to the next: then the previous checkpoint stays the newest.
  void save_what_there_is() {
    if (inside_update_) return;
    try {
      save();
    } catch (const EngineError& error) {
      observer_.alerted({position_.step, summary_.last_loss, position_.smoothed_loss,
                         std::string("No checkpoint of step ") + std::to_string(position_.step) + ": " + error.what()});
    }
  }

  void finish() {
    save();  // a resumed run that had been done already still gets its final folder
    keep([&] {
      summary_.final_folder = folder_->save_final(
          [&](const std::string& directory) { write_trained(directory, decoder_, parameters_, plan_); });
    });
    wrote(summary_.final_folder);
  }

  bool lora() const { return plan_.training.lora.rank > 0; }
  bool distils() const { return plan_.training.distillation > 0; }
  void changes_weights() { result_.changed_weights = result_.changed_weights || !lora(); }
  void wrote(const std::string& folder) {
    result_.folder = folder;
    result_.steps = position_.step;
  }

  TrainingSummary summary(Clock::time_point start) {
    summary_.steps = position_.step;
    summary_.tokens = position_.tokens;
    summary_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return summary_;
  }

  Decoder& decoder_;
  const ModelInfo& info_;
  const TrainingPlan& plan_;
  const Corpus& corpus_;
  bool dry_run_;
  TrainObserver& observer_;
  RunControl& control_;
  TrainingResult& result_;
  MemoryMeter meter_;
  SampleOrder order_;
  std::shared_ptr<const Tokenizer> tokenizer_;  ///< of the recall samples
  std::optional<RecallSamples> recall_;
  TrainableParameters parameters_;
  Optimizer optimizer_;
  std::optional<TrainingFolder> folder_;
  std::optional<TeacherFile> teacher_;
  TrainingPosition position_;
  std::int64_t saved_step_ = -1;
  bool inside_update_ = false;
  std::optional<StepRecord> unrecorded_;
  TrainingSummary summary_;
};

/// Gives the decoder the adapter that the plan asks for, and takes it away again.
class TrainedAdapter {
 public:
  TrainedAdapter(Decoder& decoder, const TrainingConfig& training) : decoder_(decoder) {
    CARRYOVER_CHECK(decoder.adapter.empty());
    if (training.lora.rank > 0)
      decoder.adapter = make_adapter(training.lora, decoder.config, decoder.options(), training.seed);
  }
  ~TrainedAdapter() { decoder_.adapter = {}; }
  TrainedAdapter(const TrainedAdapter&) = delete;
  TrainedAdapter& operator=(const TrainedAdapter&) = delete;

 private:
  Decoder& decoder_;
};

}  // namespace

TrainingSummary train_model(Decoder& decoder, const ModelInfo& info, const TrainRequest& request,
                            TrainObserver& observer, RunControl& control, TrainingResult& result) {
  const TrainingPlan& plan = *request.plan;
  plan.validate(decoder.config, "training");
  const MemoryBytes memory = training_cost(decoder.config, plan.config, plan.training, plan.policy,
                                           static_cast<int>(decoder.options().dtype().itemsize()))
                                 .memory;
  require_memory("this training", real(memory.device_peak) - real(memory.weights),
                 "Train shorter segments or fewer of them, a LoRA, or choose --dtype bf16.",
                 decoder.options().device());
  const TrainedAdapter adapter(decoder, request.plan->training);
  const TrainedGates gates(decoder, request.plan->policy);
  return Trainer(decoder, info, request, observer, control, result).run();
}

}  // namespace carryover
