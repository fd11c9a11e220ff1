// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/remote_session.h"

#include <algorithm>
#include <cmath>

#include "engine/cost/policy_table.h"
#include "engine/remote/answer_check.h"
#include "engine/remote/messages.h"
#include "engine/runs/values/partition.h"
#include "engine/runs/values/snapshot_check.h"
#include "engine/training/records/training_plan.h"

namespace carryover {
namespace {

using enum MessageKind;

using Hear = std::function<void(const Frame&)>;

void hear_nothing(const Frame& /*frame*/) {}

/// Returns what passes loading on to `progress`, which may be empty.
Hear loading_to(const LoadProgress& progress) {
  return [&progress](const Frame& frame) {
    if (!progress) return;
    hear<Loading>(frame, [&](double fraction, const std::string& what) {
      if (!(fraction > -1 && fraction < 2)) refuse_message("received a progress that is no share");
      progress(std::clamp(fraction, 0.0, 1.0), what);
    });
  };
}

/// Passes progress on to a RunObserver or a TrainObserver.
template <typename Observer>
void hear_progress(const Frame& frame, Observer& observer) {
  hear<Progress>(frame, [&](std::int64_t done, std::int64_t total) {
    if (done < 0 || done > total || !is_inside(total, kCount)) refuse_message("received a progress that can't be");
    observer.progress(done, total);
  });
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
  hear<Segment>(frame, [&](SegmentSnapshot&& snapshot) {
    segments.take(snapshot);
    observer.segment_done(std::make_shared<const SegmentSnapshot>(std::move(snapshot)));
  });
  hear_progress(frame, observer);
}

/// Samples are runs of their own; under `full` each is one segment.
SnapshotLimits sample_limits(const TrainingPlan& plan, const ModelConfig& model) {
  SnapshotLimits limits = snapshot_limits(model, plan.config, plan.tokens_per_sample());
  limits.segment_length = limits.tokens;
  return limits;
}

void hear_training(const Frame& frame, TrainObserver& observer, RemoteEngine& engine, const SnapshotLimits& limits) {
  hear<Step>(frame, [&](StepSnapshot&& snapshot) {
    check_step(snapshot, limits);
    observer.step_done(std::make_shared<const StepSnapshot>(std::move(snapshot)));
    if (observer.wants_segments()) engine.wish(WantSegments);
  });
  hear<Validation>(frame, [&](const ValidationRecord& record) { observer.validation_done(record); });
  hear<Alert>(frame, [&](const TrainingAlert& alert) { observer.alerted(alert); });
  hear<Note>(frame, [&](const std::string& text) { observer.noted(text); });
  hear<Checkpoint>(frame, [&](std::int64_t step, const std::string& directory) {
    if (!is_inside(step, kCount)) refuse_message("received a step that is out of range");
    observer.checkpoint_saved(step, directory);
  });
  hear_progress(frame, observer);
  loading_to(engine.loading())(frame);
}

class RemoteSession final : public Session {
 public:
  RemoteSession(std::shared_ptr<RemoteEngine> engine, const ModelRequest& request, const LoadProgress& progress)
      : engine_(std::move(engine)), number_(engine_->new_session_number()) {
    info_ = ask<Open>(nullptr, loading_to(progress), request);
  }
  ~RemoteSession() override {
    try {
      if (!engine_->loss()) ask<Close>();
    } catch (const std::exception&) {  // the next request says what is wrong with the line
    }
  }
  RemoteSession(const RemoteSession&) = delete;
  RemoteSession& operator=(const RemoteSession&) = delete;

  const ModelInfo& model() const override { return info_; }
  std::int64_t free_memory() const override {
    const std::int64_t bytes = ask<FreeMemory>();
    if (!is_inside(bytes, kByteCount)) refuse_message("received a memory that is out of range");
    return bytes;
  }

  RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) override {
    ArrivingSegments segments(request, info_.config);
    const auto hear_it = [&](const Frame& frame) { hear_run(frame, observer, segments); };
    return checked_summary(ask<Run>(&control, hear_it, request), request);
  }

  /// The engine is some tokens ahead of what is heard here; those that were not wanted any more are no part of the
  /// result.
  GenerateResult generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) override {
    std::int64_t heard = 0;
    bool enough = false;
    const auto take = [&](const GeneratedToken& token) {
      if (enough) return;
      check_ids({&token.id, 1}, info_.config.vocabulary, kAnswering);
      if (++heard > request.max_new_tokens) refuse_message("received more tokens than were asked for");
      enough = !on_token(token);
      if (enough) engine_->wish(Enough);
    };
    auto result = ask<Generate>(
        &control, [&](const Frame& frame) { hear<Token>(frame, take); }, request);
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
    auto read = checked(ask<ReadDocument>(&control, loading_to(progress), text));
    if (*read.ids != *text.ids) refuse_message("the engine read another document than requested");
    return read;
  }
  void save_state(const std::string& path) override { ask<SaveState>(nullptr, hear_nothing, path); }
  StateInfo load_state(const std::string& path) override {
    return checked(ask<LoadState>(nullptr, hear_nothing, path));
  }

  std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                            RunControl& control) override {
    auto values = ask<Logits>(&control, hear_nothing, request, positions);
    if (std::ssize(values) != std::ssize(positions) * info_.config.vocabulary)
      refuse_message("received other logits than were asked for");
    return values;
  }

  TrainingSummary train(const TrainRequest& request, TrainObserver& observer, RunControl& control) override {
    const SnapshotLimits limits = sample_limits(*request.plan, info_.config);
    const auto hear_it = [&](const Frame& frame) { hear_training(frame, observer, *engine_, limits); };
    const TrainOrder order{request, observer.wants_segments()};
    const ModelAfterwards afterwards(*this);
    return ask<Train>(&control, hear_it, order);
  }

  void save(const std::string& directory) override { ask<Save>(nullptr, hear_nothing, directory); }

  AuditReport audit(const AuditRequest& request, RunControl& control) override {
    return ask<Audit>(&control, loading_to(request.progress), request);
  }

  WhatIfBase what_if(const WhatIfRequest& request, const WhatIfDone& done, RunControl& control) override {
    const SnapshotLimits limits = snapshot_limits(info_.config, request.run.config, std::ssize(*request.run.ids));
    const SegmentPlace place{request.segment, std::min(limits.tokens, request.segment * limits.segment_length)};
    const auto take = [&](std::uint64_t edit, const WhatIfOutcome& outcome) {
      if (edit >= request.edits.size()) refuse_message("received an outcome of an edit that was not requested");
      check_outcome(outcome, place, limits);
      done(edit, outcome);
    };
    auto base = ask<WhatIf>(
        &control, [&](const Frame& frame) { hear<Outcome>(frame, take); }, request);
    check_outcome(base.as_it_was, place, limits);
    if (base.first_token < 0 || base.first_token >= limits.tokens || base.segments_run < 0)
      refuse_message("received a what-if that begins outside the text");
    return base;
  }
  std::int64_t what_if_segments(const WhatIfRequest& request) const override {
    const std::int64_t segments = ask<WhatIfPrice>(nullptr, hear_nothing, request);
    if (!is_inside(segments, kCount)) refuse_message("received a count that is out of range");
    return segments;
  }
  void sweep(const SweepRequest& request, const SweepObserver& observer, RunControl& control) override {
    const SnapshotLimits limits = snapshot_limits(info_.config, request.run.config, std::ssize(*request.run.ids));
    const auto places = sweep_places(request, info_.config);
    std::size_t next = 0;
    const auto take = [&](const SweepCell& cell) {
      if (next >= places.size() || cell.place != places[next]) refuse_message("received a cell out of its turn");
      ++next;
      observer.cell_done(cell);
    };
    const auto begin = [&](const SweepBase& base) {
      check_sweep(base, limits);
      observer.begun(base);
    };
    const auto hear_it = [&](const Frame& frame) {
      hear<SweepBegun>(frame, begin);
      hear<SweepCellDone>(frame, take);
    };
    ask<Sweep>(&control, hear_it, request);
    if (next != places.size()) refuse_message("received fewer cells than were asked for");
  }
  Inspection inspect(const InspectRequest& request, RunControl& control) override {
    check_parts(request.parts);
    auto inspection = ask<Inspect>(&control, hear_nothing, request);
    check_inspection(inspection, request,
                     snapshot_limits(info_.config, request.run.config, std::ssize(*request.run.ids)));
    return inspection;
  }
  HeadProfile profile_heads(const HeadProfileRequest& request, RunControl& control) override {
    auto profile = ask<ProfileHeads>(&control, loading_to(request.progress), request);
    for (const ProbeScores& scores : profile.kinds)
      if (!fits(scores.attention) || !fits(scores.copies))
        refuse_message("received scores that do not match the model's heads");
    if (profile.kinds.empty()) refuse_message("received a profile without scores");
    return profile;
  }
  RecallHeads find_recall_heads(const RecallHeadsRequest& request, RunControl& control) override {
    return checked(ask<FindRecallHeads>(&control, keeping<RecallStep>(request), request));
  }
  FoundPatterns search_patterns(const PatternSearchRequest& request, RunControl& control) override {
    auto found = ask<SearchPatterns>(&control, loading_to(request.progress), request);
    const ModelConfig& model = info_.config;
    if (found.layers != model.layers || found.heads != model.heads ||
        std::ssize(found.found) != model.layers * model.heads)
      refuse_message("received patterns that do not match the model's heads");
    found.patterns().validate(model, kAnswering, {});
    return found;
  }
  DuoGates learn_gates(const DuoGatesRequest& request, RunControl& control) override {
    return checked(ask<LearnGates>(&control, keeping<GateStep>(request), request));
  }

 private:
  /// Makes a request about this session; `hear_it` is called for each event until its answer is there.
  template <MessageKind kind, typename... Values>
  AnswerTo<kind> ask(RunControl* control = nullptr, const Hear& hear_it = hear_nothing, const Values&... values) const {
    const std::string body = engine_->ask(kind, pack_body<kind>(number_, values...), control, hear_it);
    if constexpr (!std::is_void_v<AnswerTo<kind>>) return unpack_as<AnswerTo<kind>>(body);
  }

  /// Returns what passes on the progress of a search and, after a check, what it has found so far.
  template <MessageKind kStep, typename SearchRequest>
  Hear keeping(const SearchRequest& request) const {
    return [this, &request](const Frame& frame) {
      loading_to(request.progress)(frame);
      hear<kStep>(frame, [&](auto&& so_far) {
        if (request.keep) request.keep(checked(std::forward<decltype(so_far)>(so_far)));
      });
    };
  }

  /// Asks for the model again when a training ends, in whatever way: its weights are others then. Where the line is
  /// lost, so is the session.
  struct ModelAfterwards {
    explicit ModelAfterwards(RemoteSession& of) : session(of) {}
    ~ModelAfterwards() {
      try {
        if (!session.engine_->loss()) session.info_ = session.ask<Model>();
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
