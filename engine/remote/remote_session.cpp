// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/remote_session.h"

#include <algorithm>
#include <cmath>

#include "engine/cost/policy_table.h"
#include "engine/remote/answer_check.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"
#include "engine/runs/values/partition.h"
#include "engine/runs/values/snapshot_check.h"
#include "engine/training/records/training_plan.h"

namespace carryover {
namespace {

using enum MessageKind;

void hear_loading(const Frame& frame, const LoadProgress& progress) {
  if (frame.kind != Loading || !progress) return;
  double fraction = 0;
  std::string what;
  unpack(frame.body, fraction, what);
  if (!(fraction > -1 && fraction < 2)) refuse_message("received a progress that is no share");
  progress(std::clamp(fraction, 0.0, 1.0), what);
}

struct Progressed {
  std::int64_t done = 0, total = 0;
};

Progressed progress_of(const Frame& frame) {
  Progressed progress;
  unpack(frame.body, progress.done, progress.total);
  if (progress.done < 0 || progress.done > progress.total || !is_inside(progress.total, kCount))
    refuse_message("received a progress that can't be");
  return progress;
}

std::int64_t count_of(const std::string& body) {
  const auto count = unpack_as<std::int64_t>(body);
  if (!is_inside(count, kCount)) refuse_message("received a count that is out of range");
  return count;
}

/// A summary of a run of `request`, to its end or until it was stopped.
RunSummary checked_summary(RunSummary summary, const RunRequest& request) {
  const std::int64_t tokens = std::ssize(*request.ids);
  if (summary.tokens > tokens || summary.targets > tokens || summary.segments > tokens)
    refuse_message("received a summary of more tokens than the text has");
  return summary;
}

constexpr const char* kAnswering = "the remote engine";

/// Checks the segments of one run as they arrive.
class ArrivingSegments {
 public:
  ArrivingSegments(const RunRequest& request, const ModelConfig& model)
      : ids_(request.ids),
        limits_(snapshot_limits(model, request.config, std::ssize(*request.ids))),
        next_{request.resume.segment, std::min(limits_.tokens, request.resume.segment * limits_.segment_length)} {}

  void take(const SegmentSnapshot& snapshot) {
    check_snapshot(snapshot, next_, limits_, kAnswering);
    if (!std::isfinite(snapshot.record.nll_sum)) refuse_message("a segment has a loss that is not finite");
    if (!std::equal(snapshot.ids.begin(), snapshot.ids.end(), ids_->begin() + next_.first_token))
      refuse_message("a segment has other tokens than the text");
    next_ = next_.after(snapshot.record);
  }

 private:
  std::shared_ptr<const std::vector<std::int32_t>> ids_;
  SnapshotLimits limits_;
  SegmentPlace next_;  ///< at first, where a run that was stopped continues
};

void hear_run(const Frame& frame, RunObserver& observer, ArrivingSegments& segments) {
  if (frame.kind == Segment) {
    auto snapshot = std::make_shared<SegmentSnapshot>();
    unpack(frame.body, *snapshot);
    segments.take(*snapshot);
    observer.segment_done(std::move(snapshot));
  } else if (frame.kind == Progress) {
    const Progressed progress = progress_of(frame);
    observer.progress(progress.done, progress.total);
  }
}

/// Samples are runs of their own; under `full` each is one segment.
SnapshotLimits sample_limits(const TrainingPlan& plan, const ModelConfig& model) {
  SnapshotLimits limits = snapshot_limits(model, plan.config, plan.tokens_per_sample());
  limits.segment_length = limits.tokens;
  return limits;
}

void hear_training(const Frame& frame, TrainObserver& observer, RemoteEngine& engine, const SnapshotLimits& limits) {
  if (frame.kind == Step) {
    auto snapshot = std::make_shared<StepSnapshot>();
    unpack(frame.body, *snapshot);
    check_step(*snapshot, limits);
    observer.step_done(std::move(snapshot));
    if (observer.wants_segments()) engine.wish(WantSegments);
  } else if (frame.kind == Validation) {
    observer.validation_done(unpack_as<ValidationRecord>(frame.body));
  } else if (frame.kind == Alert) {
    observer.alerted(unpack_as<TrainingAlert>(frame.body));
  } else if (frame.kind == Note) {
    observer.noted(unpack_as<std::string>(frame.body));
  } else if (frame.kind == Checkpoint) {
    std::int64_t step = 0;
    std::string directory;
    unpack(frame.body, step, directory);
    if (!is_inside(step, kCount)) refuse_message("received a step that is out of range");
    observer.checkpoint_saved(step, directory);
  } else if (frame.kind == Progress) {
    const Progressed progress = progress_of(frame);
    observer.progress(progress.done, progress.total);
  } else {
    hear_loading(frame, engine.loading());
  }
}

class RemoteSession final : public Session {
 public:
  RemoteSession(std::shared_ptr<RemoteEngine> engine, const ModelRequest& request, const LoadProgress& progress)
      : engine_(std::move(engine)), number_(engine_->new_session_number()) {
    const auto hear = [&](const Frame& frame) { hear_loading(frame, progress); };
    unpack(engine_->ask(Open, pack(number_, request), nullptr, hear), info_);
  }
  ~RemoteSession() override {
    try {
      if (!engine_->loss()) engine_->ask(Close, pack(number_), nullptr, [](const Frame&) {});
    } catch (const std::exception&) {  // the next request says what is wrong with the line
    }
  }
  RemoteSession(const RemoteSession&) = delete;
  RemoteSession& operator=(const RemoteSession&) = delete;

  const ModelInfo& model() const override { return info_; }

  RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) override {
    ArrivingSegments segments(request, info_.config);
    const auto hear = [&](const Frame& frame) { hear_run(frame, observer, segments); };
    return checked_summary(unpack_as<RunSummary>(engine_->ask(Run, pack(number_, request), &control, hear)), request);
  }

  /// The engine is some tokens ahead of what is heard here; those that were not wanted any more are no part of the
  /// result.
  GenerateResult generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) override {
    std::int64_t heard = 0;
    bool enough = false;
    const auto hear = [&](const Frame& frame) {
      if (frame.kind != Token || enough) return;
      const auto token = unpack_as<GeneratedToken>(frame.body);
      check_ids({&token.id, 1}, info_.config.vocabulary, kAnswering);
      if (++heard > request.max_new_tokens) refuse_message("received more tokens than were asked for");
      enough = !on_token(token);
      if (enough) engine_->wish(Enough);
    };
    auto result = unpack_as<GenerateResult>(engine_->ask(Generate, pack(number_, request), &control, hear));
    check_ids(result.ids, info_.config.vocabulary, kAnswering);
    if (std::ssize(result.ids) > std::max<std::int64_t>(request.max_new_tokens, 0))
      refuse_message("received more tokens than were asked for");
    if (!result.logprobs.empty() && result.logprobs.size() != result.ids.size())
      refuse_message("received an answer with different numbers of tokens and probabilities");
    if (enough && std::ssize(result.ids) > heard) result.ids.resize(static_cast<std::size_t>(heard));
    if (!result.logprobs.empty()) result.logprobs.resize(result.ids.size());
    const std::int64_t document = std::ssize(request.prompt) - request.question_length;
    if (request.question_length < 0 || document < 0) refuse_message("received hits of a question that was not asked");
    check_hits(result.question_hits, {std::ssize(document_partition(document, request.config)), document},
               snapshot_limits(info_.config, request.config, std::ssize(request.prompt)), "the engine's answer");
    return result;
  }

  StateInfo read_document(const RunRequest& text, const LoadProgress& progress, RunControl& control) override {
    const auto hear = [&](const Frame& frame) { hear_loading(frame, progress); };
    auto read = checked(unpack_as<StateInfo>(engine_->ask(ReadDocument, pack(number_, text), &control, hear)));
    if (*read.ids != *text.ids) refuse_message("the engine read another document than requested");
    return read;
  }
  void save_state(const std::string& path) override {
    engine_->ask(SaveState, pack(number_, path), nullptr, [](const Frame&) {});
  }
  StateInfo load_state(const std::string& path) override {
    return checked(unpack_as<StateInfo>(engine_->ask(LoadState, pack(number_, path), nullptr, [](const Frame&) {})));
  }

  std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                            RunControl& control) override {
    std::vector<float> values;
    unpack(engine_->ask(Logits, pack(number_, request, positions), &control, [](const Frame&) {}), values);
    if (std::ssize(values) != std::ssize(positions) * info_.config.vocabulary)
      refuse_message("received other logits than were asked for");
    return values;
  }

  TrainingSummary train(const TrainRequest& request, TrainObserver& observer, RunControl& control) override {
    const SnapshotLimits limits = sample_limits(*request.plan, info_.config);
    const auto hear = [&](const Frame& frame) { hear_training(frame, observer, *engine_, limits); };
    const TrainOrder order{request, observer.wants_segments()};
    const ModelAfterwards afterwards(*this);
    return unpack_as<TrainingSummary>(engine_->ask(Train, pack(number_, order), &control, hear));
  }

  void save(const std::string& directory) override {
    engine_->ask(Save, pack(number_, directory), nullptr, [](const Frame&) {});
  }

  AuditReport audit(const AuditRequest& request, RunControl& control) override {
    const auto hear = [&](const Frame& frame) { hear_loading(frame, request.progress); };
    return unpack_as<AuditReport>(engine_->ask(Audit, pack(number_, request), &control, hear));
  }

  WhatIfBase what_if(const WhatIfRequest& request, const WhatIfDone& done, RunControl& control) override {
    const SnapshotLimits limits = snapshot_limits(info_.config, request.run.config, std::ssize(*request.run.ids));
    const SegmentPlace place{request.segment, std::min(limits.tokens, request.segment * limits.segment_length)};
    const auto hear = [&](const Frame& frame) {
      if (frame.kind != Outcome) return;
      std::uint64_t edit = 0;
      WhatIfOutcome outcome;
      unpack(frame.body, edit, outcome);
      if (edit >= request.edits.size()) refuse_message("received an outcome of an edit that was not requested");
      check_outcome(outcome, place, limits);
      done(edit, outcome);
    };
    auto base = unpack_as<WhatIfBase>(engine_->ask(WhatIf, pack(number_, request), &control, hear));
    check_outcome(base.as_it_was, place, limits);
    if (base.first_token < 0 || base.first_token >= limits.tokens || base.segments_run < 0)
      refuse_message("received a what-if that begins outside the text");
    return base;
  }
  std::int64_t what_if_segments(const WhatIfRequest& request) const override {
    return count_of(engine_->ask(WhatIfPrice, pack(number_, request), nullptr, [](const Frame&) {}));
  }
  Inspection inspect(const InspectRequest& request, RunControl& control) override {
    check_parts(request.parts);
    auto inspection =
        unpack_as<Inspection>(engine_->ask(Inspect, pack(number_, request), &control, [](const Frame&) {}));
    check_inspection(inspection, request,
                     snapshot_limits(info_.config, request.run.config, std::ssize(*request.run.ids)));
    return inspection;
  }
  HeadProfile profile_heads(const HeadProfileRequest& request, RunControl& control) override {
    const auto hear = [&](const Frame& frame) { hear_loading(frame, request.progress); };
    auto profile = unpack_as<HeadProfile>(engine_->ask(ProfileHeads, pack(number_, request), &control, hear));
    for (const ProbeScores& scores : profile.kinds)
      if (!fits(scores.attention) || !fits(scores.copies))
        refuse_message("received scores that do not match the model's heads");
    if (profile.kinds.empty()) refuse_message("received a profile without scores");
    return profile;
  }
  RecallHeads find_recall_heads(const RecallHeadsRequest& request, RunControl& control) override {
    const auto hear = [&](const Frame& frame) {
      hear_loading(frame, request.progress);
      if (frame.kind == RecallStep && request.keep) request.keep(checked(unpack_as<RecallHeads>(frame.body)));
    };
    return checked(unpack_as<RecallHeads>(engine_->ask(FindRecallHeads, pack(number_, request), &control, hear)));
  }
  FoundPatterns search_patterns(const PatternSearchRequest& request, RunControl& control) override {
    const auto hear = [&](const Frame& frame) { hear_loading(frame, request.progress); };
    auto found = unpack_as<FoundPatterns>(engine_->ask(SearchPatterns, pack(number_, request), &control, hear));
    const ModelConfig& model = info_.config;
    if (found.layers != model.layers || found.heads != model.heads ||
        std::ssize(found.found) != model.layers * model.heads)
      refuse_message("received patterns that do not match the model's heads");
    found.patterns().validate(model, kAnswering, {});
    return found;
  }
  DuoGates learn_gates(const DuoGatesRequest& request, RunControl& control) override {
    const auto hear = [&](const Frame& frame) {
      hear_loading(frame, request.progress);
      if (frame.kind == GateStep && request.keep) request.keep(checked(unpack_as<DuoGates>(frame.body)));
    };
    return checked(unpack_as<DuoGates>(engine_->ask(LearnGates, pack(number_, request), &control, hear)));
  }

 private:
  /// Asks for the model again when a training ends, in whatever way: its weights are others then. Where the line is
  /// lost, so is the session.
  struct ModelAfterwards {
    explicit ModelAfterwards(RemoteSession& of) : session(of) {}
    ~ModelAfterwards() {
      try {
        if (!session.engine_->loss())
          session.info_ =
              unpack_as<ModelInfo>(session.engine_->ask(Model, pack(session.number_), nullptr, [](const Frame&) {}));
      } catch (const std::exception&) {  // the next request says what is wrong with the line
      }
    }
    RemoteSession& session;
  };

  /// A text of the model's vocabulary, and a configuration that fits the model.
  StateInfo checked(StateInfo state) const {
    if (!state.ids || state.ids->empty() || state.bytes < 0) refuse_message("received a state without its document");
    check_ids(*state.ids, info_.config.vocabulary, kAnswering);
    state.config.validate(info_.config, kAnswering);
    if (find_policy(state.policy) == nullptr ||
        state.segments != std::ssize(document_partition(std::ssize(*state.ids), state.config)))
      refuse_message("received a state with a policy or segments that are out of range");
    return state;
  }

  /// Heads that the model has.
  RecallHeads checked(RecallHeads heads) const {
    const ModelConfig& model = info_.config;
    const bool scored = fits(heads.found), begun = !heads.searchers.empty() || !heads.readers.empty();
    if (!scored && (begun || !heads.found.values.empty()))
      refuse_message("received scores that do not match the model's heads");
    for (const SearcherStep& step : heads.searchers)
      if (step.head.layer < 0 || step.head.layer >= model.layers || step.head.head < 0 || step.head.head >= model.heads)
        refuse_message("received a searcher that the model lacks");
    for (const ReaderStep& step : heads.readers) step.readers.validate(model);
    return heads;
  }

  /// Returns the gates after checking that they belong to the model's KV heads.
  DuoGates checked(DuoGates gates) const {
    check_gates(gates, info_.config, kAnswering);
    return gates;
  }

  bool fits(const HeadScores& scores) const {
    const ModelConfig& model = info_.config;
    return scores.layers == model.layers && scores.heads == model.heads &&
           std::ssize(scores.values) == model.layers * model.heads;
  }

  std::shared_ptr<RemoteEngine> engine_;
  std::int32_t number_;
  ModelInfo info_;
};

}  // namespace

std::unique_ptr<Session> open_remote_session(std::shared_ptr<RemoteEngine> engine, const ModelRequest& request,
                                             const LoadProgress& progress) {
  return std::make_unique<RemoteSession>(std::move(engine), request, progress);
}

}  // namespace carryover
