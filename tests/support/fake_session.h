// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <functional>
#include <limits>
#include <thread>

#include "engine/api/session.h"
#include "engine/base/error.h"

namespace carryover::test {

/// A session without a model: it answers with values made of the request's ids, segment by segment, so that a test of
/// what lies between needs no LibTorch.
class FakeSession final : public Session {
 public:
  explicit FakeSession(const ModelRequest& request) {
    info_.path = request.path;
    info_.adapter = request.adapter;
    info_.dtype = request.dtype;
    info_.config.name = "fake";
    info_.config.layers = 2;
    info_.config.heads = info_.config.kv_heads = 3;
    info_.config.head_dim = 2;
    info_.config.hidden = info_.config.intermediate = 6;
    info_.config.context = 64;
    info_.config.vocabulary = 100;
    info_.config.bos_id = 1;
    if (request.path == "no KV heads") info_.config.kv_heads = 0;
    if (request.path == "many threads") info_.threads = 1 << 30;
    if (request.path == "weights of no size") info_.weight_bytes = -1;
  }

  const ModelInfo& model() const override { return info_; }
  std::int64_t free_memory() const override { return info_.path == "memory below 0" ? -1 : 12345; }

  static SegmentSnapshot snapshot(const RunRequest& request, std::int64_t segment) {
    SegmentSnapshot made;
    const std::int64_t length = request.config.segment_length;
    made.record.index = segment;
    made.record.first_token = segment * length;
    made.record.length = made.record.targets = length;
    made.record.nll_sum = 1.0 / static_cast<double>(segment + 3);
    for (std::int64_t i = 0; i < length; ++i) {
      made.ids.push_back((*request.ids)[static_cast<std::size_t>(segment * length + i)]);
      made.target_nll.push_back(static_cast<float>(made.ids.back()) / 7.F);
    }
    made.target_nll.front() = -std::numeric_limits<float>::infinity();
    if (segment > 0) made.hits.push_back({segment, 1, 2, {{3, HitKind::Expanded, -0.F, 4, 3}}});
    made.carry_drift = {2, 1, {0.25F, std::numeric_limits<float>::quiet_NaN()}};
    if (segment == 1) damage(made, request.policy);
    return made;
  }

  static std::shared_ptr<const SegmentSnapshot> first_segment(const TrainingPlan& plan) {
    RunRequest sample;
    sample.config = plan.config;
    sample.ids = std::make_shared<const std::vector<std::int32_t>>(plan.config.segment_length, 1);
    return std::make_shared<const SegmentSnapshot>(snapshot(sample, 0));
  }

  /// Makes a value impossible, where `what` names one.
  static void damage(SegmentSnapshot& segment, const std::string& what) {
    if (what == "position") segment.hits.front().hits.front().position = -7;
    if (what == "layer") segment.hits.front().layer = 2;
    if (what == "place") segment.record.first_token = -4;
    if (what == "length") segment.record.length = 1'000'000'000;
    if (what == "targets") segment.record.targets = 1'000'000'000;
    if (what == "ids") segment.ids.front() = 2'000'000'000;
    if (what == "map") segment.carry_drift = {1, 2, {1, 2}};
  }

  RunSummary run(const RunRequest& request, RunObserver& observer, RunControl& control) override {
    RunSummary summary;
    const auto total = static_cast<std::int64_t>(request.ids->size());
    if (total == 13) throw EngineError(Fault::BadInput, "ids", "are thirteen", "Use another number.");
    const std::int64_t length = request.config.segment_length;
    if (length < 1) throw EngineError(Fault::BadInput, "segment_length", "is too short", "Use 1 or more.");
    try {
      for (std::int64_t segment = request.resume.segment; segment < total / length; ++segment) {
        if (segment == request.latch_segment) control.pause();
        observer.progress(segment * length, total);
        control.checkpoint();
        observer.segment_done(std::make_shared<const SegmentSnapshot>(snapshot(request, segment)));
        summary.segments += 1;
        summary.tokens += length;
      }
      // Continues until it is stopped, as a long text would.
      while (!request.loss) {
        control.checkpoint();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    } catch (const EngineError& error) {
      if (error.fault() != Fault::Cancelled) throw;
      summary.cancelled = true;
    }
    if (request.policy == "long summary") summary.tokens = total + 1;
    return summary;
  }

  GenerateResult generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) override {
    GenerateResult result;
    const std::int64_t more = request.policy == "too many" ? 1 : 0;
    for (std::int64_t i = 0; i < request.max_new_tokens + more; ++i) {
      control.checkpoint();
      const auto id = static_cast<std::int32_t>(i % 100 + (request.policy == "unknown ids" ? 100 : 0));
      const GeneratedToken token{id, -0.5F,
                                 std::vector<TopToken>(static_cast<std::size_t>(request.top_logprobs), {id, -0.5F})};
      result.ids.push_back(id);
      if (!on_token(token)) break;
    }
    return result;
  }

  /// Returns a document; that of thirteen tokens has one segment too many.
  StateInfo read_document(const RunRequest& text, const LoadProgress& progress, RunControl& control) override {
    if (progress) progress(0.5, "half of the document");
    control.checkpoint();
    const std::int64_t tokens = std::ssize(*text.ids), length = text.config.segment_length;
    document_ = {text.ids, text.policy, text.config, (tokens + length - 1) / length + (tokens == 13 ? 1 : 0), 64};
    return document_;
  }
  void save_state(const std::string& path) override {
    if (!document_.ids) throw EngineError(Fault::Usage, path, "can't be written: nothing is kept", "Read a text.");
  }
  /// Returns the document again, under a policy of the path's name.
  StateInfo load_state(const std::string& path) override {
    StateInfo loaded = document_;
    loaded.policy = path;
    return loaded;
  }

  std::vector<float> logits(const RunRequest& request, const std::vector<std::int64_t>& positions,
                            RunControl&) override {
    std::vector<float> values;
    for (const std::int64_t position : positions) {
      if (position < 0 || position >= static_cast<std::int64_t>(request.ids->size()))
        throw EngineError(Fault::BadInput, "positions", "are outside the text", "Use others.");
      const float value = static_cast<float>((*request.ids)[static_cast<std::size_t>(position)]) / 3.F;
      values.insert(values.end(), request.ids->size() == 14 ? 1 : static_cast<std::size_t>(info_.config.vocabulary),
                    value);
    }
    return values;
  }

  /// Step by step, pausing by itself after the first one as an alert does.
  TrainingSummary train(const TrainRequest& request, TrainObserver& observer, RunControl& control) override {
    TrainingSummary summary;
    observer.preparing(0.5, "the teacher reads");
    for (std::int64_t step = 1; step <= 3; ++step) {
      StepSnapshot snapshot;
      snapshot.record.step = step;
      snapshot.record.loss = std::numeric_limits<double>::quiet_NaN();
      if (observer.wants_segments()) snapshot.segments.push_back(first_segment(*request.plan));
      observer.step_done(std::make_shared<const StepSnapshot>(std::move(snapshot)));
      if (step == 1) {
        observer.alerted({step, 0, 0, "an alert"});
        control.pause();
      }
      control.checkpoint();
    }
    observer.validation_done({3, {{8, 7, 0.5}}});
    observer.checkpoint_saved(3, "there");
    observer.noted("a note");
    info_.weights_hash = "trained";
    info_.trained_steps = summary.steps = 3;
    summary.tokens = request.corpus->train_tokens();
    return summary;
  }

  void save(const std::string& directory) override {
    throw EngineError(Fault::Io, directory, "the disk is full", "Make room.");
  }

  AuditReport audit(const AuditRequest& request, RunControl&) override {
    if (request.progress) request.progress(0.5, "half");
    return {static_cast<std::int64_t>(request.ids->size()), 1, 0.1, {{"a check", "a measure", 1e-17, 0}}};
  }

  WhatIfBase what_if(const WhatIfRequest& request, const WhatIfDone& done, RunControl&) override {
    for (std::size_t edit = 0; edit < request.edits.size(); ++edit)
      done(edit, {{static_cast<float>(edit) / 3.F}, {}, request.edits[edit].no_carry ? 1.0 : 2.0});
    return {request.segment, 2, {{0.1F}, {}, 0.5}};
  }
  std::int64_t what_if_segments(const WhatIfRequest& request) const override { return std::ssize(request.edits); }
  /// Gives each cell its number; a sweep of the residual stream gives the cells in reverse.
  void sweep(const SweepRequest& request, const SweepObserver& observer, RunControl&) override {
    auto places = sweep_places(request, info_.config);
    if (request.site == SweepSite::Residual) std::ranges::reverse(places);
    observer.begun({{request.question.token, 3, 0.25, 0.5}, {{}, 0.25}, 2});
    double number = 0;
    for (const SweepPlace& place : places) observer.cell_done({place, ++number});
  }
  Inspection inspect(const InspectRequest& request, RunControl&) override {
    Inspection inspection;
    inspection.segment = request.segment;
    inspection.prefix_mass = {2, 1, {0.25F, 0.75F}};
    return inspection;
  }
  /// Returns a profile of as many layers as the model has; with a seed of -1, of one more.
  HeadProfile profile_heads(const HeadProfileRequest& request, RunControl&) override {
    if (request.progress) request.progress(0.25, "a quarter");
    const std::int64_t layers = info_.config.layers + (request.seed == -1 ? 1 : 0);
    const HeadScores scores{layers, info_.config.heads,
                            std::vector<double>(static_cast<std::size_t>(layers * info_.config.heads), 1.0 / 3)};
    HeadProfile profile;
    for (const ProbeKind kind : request.kinds) profile.kinds.push_back({kind, scores, scores});
    return profile;
  }
  /// Returns one searcher and one step of readers; with a `held_out` of -1, the searcher is a head that the model
  /// lacks.
  RecallHeads find_recall_heads(const RecallHeadsRequest& request, RunControl&) override {
    if (request.progress) request.progress(0.5, "half");
    const std::int64_t layers = info_.config.layers, heads = info_.config.heads;
    RecallHeads found;
    found.found = {layers, heads, std::vector<double>(static_cast<std::size_t>(layers * heads), 0.25)};
    found.searchers = {{{request.held_out == -1 ? static_cast<int>(layers) : 0, 1}, {0.75, 0.5}, 1.0 / 3}};
    if (request.keep) request.keep(found);
    found.all_searchers = found.complete = true;
    found.readers = {{Grouping({0}, {{0, 1}}), 1.0 / 7, 0.875, 512}};
    return found;
  }
  /// Sinks and a window for each head; where the text has thirteen tokens of one head more, and where it has fourteen
  /// of no size.
  FoundPatterns search_patterns(const PatternSearchRequest& request, RunControl&) override {
    if (request.progress) request.progress(0.5, "half");
    FoundPatterns found{std::ssize(*request.ids), info_.config.layers, info_.config.heads, {}};
    const HeadPattern pattern{PatternKind::AShape, found.tokens == 14 ? 0 : 4, 64, 1.0 / 3};
    const std::int64_t count = found.layers * found.heads + (found.tokens == 13 ? 1 : 0);
    found.found.assign(static_cast<std::size_t>(count), {pattern, 0.25});
    return found;
  }
  /// All gates a third after one step; above 1 where the seed is -1.
  DuoGates learn_gates(const DuoGatesRequest& request, RunControl&) override {
    if (request.progress) request.progress(0.5, "half");
    DuoGates gates = open_gates(info_.config);
    if (request.keep) request.keep(gates);
    gates.gates.assign(gates.gates.size(), request.plan.seed == -1 ? 1.5 : 1.0 / 3);
    gates.distances = {0.125};
    return gates;
  }

 private:
  ModelInfo info_;
  StateInfo document_;
};

}  // namespace carryover::test
