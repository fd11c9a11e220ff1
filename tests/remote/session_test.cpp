// SPDX-License-Identifier: GPL-3.0-or-later
// A session over two pipes answers as the session behind them does, hears its controls, and outlives whatever comes.
#include <poll.h>

#include <QTest>
#include <random>

#include "engine/remote/pipe_io.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"
#include "tests/support/expect_error.h"
#include "tests/support/served_engine.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Recorder final : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> snapshots;
  std::function<void(const SegmentSnapshot&)> after;
  std::int64_t last_progress = -1;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    snapshots.push_back(snapshot);
    if (after) after(*snapshot);
  }
  void progress(std::int64_t done, std::int64_t) override { last_progress = done; }
};

ModelRequest model_at(const std::string& path) {
  ModelRequest request;
  request.path = path;
  request.dtype = DType::Float64;
  return request;
}

RunRequest sixteen_ids() {
  RunRequest request;
  request.ids = std::make_shared<const std::vector<std::int32_t>>(
      std::vector<std::int32_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6});
  request.config.segment_length = 4;
  return request;
}

/// The engine's answer to raw bytes, up to its end or to the first silence of a second.
std::vector<Frame> answers(int from) {
  FrameBuffer buffer;
  std::vector<Frame> frames;
  bool greeted = false;
  while (true) {
    std::string bytes;
    pollfd source{from, POLLIN, 0};
    if (::poll(&source, 1, 1000) == 0) return frames;
    if (read_some(from, bytes) == ReadResult::End) return frames;
    buffer.feed(bytes);
    greeted = greeted || buffer.take_greeting(0);
    while (greeted) {
      auto frame = buffer.next();
      if (!frame) break;
      frames.push_back(std::move(*frame));
    }
  }
}

bool never() {
  return false;
}

}  // namespace

class RemoteSessionTest : public QObject {
  Q_OBJECT

  std::unique_ptr<ServedEngine> served_;
  std::shared_ptr<RemoteEngine> engine_;
  std::unique_ptr<Session> session_;

 private Q_SLOTS:
  void init() {
    served_ = std::make_unique<ServedEngine>();
    RunControl control;
    engine_ = RemoteEngine::attach(served_->to, served_->from, control);
    session_ = engine_->open(model_at("a model"), {});
  }
  void cleanup() {
    session_.reset();
    engine_.reset();
    served_.reset();
  }

  void says_where_it_is_and_what_it_opened() {
    QVERIFY(!engine_->place().host.empty());
    QVERIFY(engine_->place().cores > 0 && engine_->place().memory_bytes > 0);
    QCOMPARE(session_->model().path, std::string("a model"));
    QVERIFY(session_->model().dtype == DType::Float64);
    std::vector<std::string> said;
    const auto second =
        engine_->open(model_at("another"), [&](double, const std::string& what) { said.push_back(what); });
    QCOMPARE(said, std::vector<std::string>{"half of it"});
    QCOMPARE(second->model().path, std::string("another"));
    QCOMPARE(session_->model().path, std::string("a model"));
  }

  void a_run_is_the_same_bit_for_bit() {
    const RunRequest request = sixteen_ids();
    Recorder there, here;
    RunControl control;
    const RunSummary summary = session_->run(request, there, control);
    FakeSession local({});
    const RunSummary expected = local.run(request, here, control);
    QCOMPARE(pack(summary), pack(expected));
    QCOMPARE(there.snapshots.size(), std::size_t{4});
    for (std::size_t i = 0; i < 4; ++i) QCOMPARE(pack(*there.snapshots[i]), pack(*here.snapshots[i]));
    QCOMPARE(there.last_progress, here.last_progress);
    QCOMPARE(session_->logits(request, {0, 5, 15}, control), local.logits(request, {0, 5, 15}, control));
  }

  void a_run_that_was_stopped_continues() {
    RunRequest request = sixteen_ids();
    request.resume.segment = 2;
    Recorder rest;
    RunControl control;
    session_->run(request, rest, control);
    QCOMPARE(rest.snapshots.size(), std::size_t{2});
    QCOMPARE(rest.snapshots[0]->record.index, std::int64_t{2});
  }

  void a_stop_is_heard_while_the_run_goes_on() {
    RunRequest endless = sixteen_ids();
    endless.loss = false;
    RunControl control;
    Recorder recorder;
    recorder.after = [&](const SegmentSnapshot& segment) {
      if (segment.record.index == 3) control.request_stop();
    };
    QVERIFY(session_->run(endless, recorder, control).cancelled);
    QCOMPARE(recorder.snapshots.size(), std::size_t{4});
    RunControl fresh;
    recorder.after = nullptr;
    QVERIFY(!session_->run(sixteen_ids(), recorder, fresh).cancelled);  // the stop was that run's alone
  }

  void pauses_of_both_ends_meet() {
    RunRequest latched = sixteen_ids();
    latched.latch_segment = 2;
    RunControl control;
    Recorder recorder;
    std::thread user([&] {
      while (!control.paused()) std::this_thread::yield();
      control.resume();
    });
    QCOMPARE(session_->run(latched, recorder, control).segments, 4);
    user.join();
    control.pause();  // before it begins
    recorder.snapshots.clear();
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      control.resume();
    });
    QCOMPARE(session_->run(sixteen_ids(), recorder, control).segments, 4);
    later.join();
    QCOMPARE(recorder.snapshots.size(), std::size_t{4});
  }

  void errors_arrive_whole_and_end_nothing_else() {
    RunRequest thirteen = sixteen_ids();
    thirteen.ids = std::make_shared<const std::vector<std::int32_t>>(13);
    RunControl control;
    Recorder recorder;
    const auto error = error_of([&] { session_->run(thirteen, recorder, control); });
    QVERIFY(error.has_value());
    QVERIFY(error->fault() == Fault::BadInput);
    QCOMPARE(error->where(), std::string("ids"));
    QCOMPARE(error->problem(), std::string("are thirteen"));
    QCOMPARE(error->advice(), std::string("Use another number."));
    QCOMPARE(unlike(Fault::Io, "the disk is full", [&] { session_->save("somewhere"); }), std::string());
    QCOMPARE(unlike(Fault::Io, "is not there", [&] { engine_->open(model_at("missing"), {}); }), std::string());
    QCOMPARE(session_->run(sixteen_ids(), recorder, control).segments, 4);
  }

  void what_an_observer_throws_stops_the_run_and_comes_out() {
    RunRequest endless = sixteen_ids();
    endless.loss = false;
    Recorder recorder;
    recorder.after = [](const SegmentSnapshot&) { throw EngineError(Fault::Io, "disk", "is full", ""); };
    RunControl control;
    QCOMPARE(unlike(Fault::Io, "is full", [&] { session_->run(endless, recorder, control); }), std::string());
    QCOMPARE(recorder.snapshots.size(), std::size_t{1});
    recorder.after = nullptr;
    QCOMPARE(session_->run(sixteen_ids(), recorder, control).segments, 4);
  }

  void tokens_that_nobody_wants_any_more_are_no_result() {
    RunControl control;
    GenerateRequest request;
    request.prompt = {1};
    request.max_new_tokens = 1'000'000;
    request.logprobs = true;
    request.top_logprobs = 3;
    std::vector<std::int32_t> heard;
    const auto on_token = [&](const GeneratedToken& token) {
      heard.push_back(token.id);
      return token.id < 5 && token.logprob == -0.5F && token.top == std::vector<TopToken>(3, {token.id, -0.5F});
    };
    const GenerateResult result = session_->generate(request, on_token, control);
    QCOMPARE(result.ids, heard);
    QCOMPARE(result.ids, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
    QVERIFY(!result.cancelled);
  }

  void training_and_its_own_pause_go_through() {
    struct Trainer final : TrainObserver {
      std::vector<std::shared_ptr<const StepSnapshot>> steps;
      std::vector<std::string> alerts, checkpoints, notes;
      std::vector<ValidationRecord> validations;
      void step_done(std::shared_ptr<const StepSnapshot> snapshot) override { steps.push_back(snapshot); }
      void validation_done(const ValidationRecord& record) override { validations.push_back(record); }
      void checkpoint_saved(std::int64_t, const std::string& folder) override { checkpoints.push_back(folder); }
      void alerted(const TrainingAlert& alert) override { alerts.push_back(alert.text); }
      void noted(const std::string& text) override { notes.push_back(text); }
      bool wants_segments() const override { return steps.empty(); }
    } observer;
    auto plan = std::make_shared<TrainingPlan>();
    plan->model = "a model";
    auto corpus = std::make_shared<Corpus>();
    corpus->train.push_back({"a text", {1, 2, 3}});
    std::vector<std::string> said;  // before the first step
    engine_->set_loading([&](double, const std::string& what) { said.push_back(what); });
    RunControl control;
    std::thread user([&] {
      while (!control.paused()) std::this_thread::yield();
      control.resume();
    });
    const TrainingSummary summary = session_->train({plan, corpus, false, false}, observer, control);
    user.join();
    QCOMPARE(summary.steps, 3);
    QCOMPARE(summary.tokens, 3);
    QCOMPARE(observer.steps.size(), std::size_t{3});
    QVERIFY(std::isnan(observer.steps[0]->record.loss));
    QCOMPARE(observer.steps[0]->segments.size(), std::size_t{1});
    QVERIFY(observer.steps[1]->segments.empty());
    QCOMPARE(observer.alerts, std::vector<std::string>{"an alert"});
    QCOMPARE(observer.checkpoints, std::vector<std::string>{"there"});
    QCOMPARE(observer.notes, std::vector<std::string>{"a note"});
    QCOMPARE(said, std::vector<std::string>{"the teacher reads"});
    QCOMPARE(observer.validations.size(), std::size_t{1});
    QCOMPARE(session_->model().weights_hash, std::string("trained"));
    QCOMPARE(session_->model().trained_steps, 3);
  }

  void an_audit_goes_through() {
    AuditRequest request;
    request.ids = sixteen_ids().ids;
    std::vector<std::string> said;
    request.progress = [&](double, const std::string& what) { said.push_back(what); };
    RunControl control;
    const AuditReport report = session_->audit(request, control);
    QCOMPARE(report.segments, 16);
    QCOMPARE(report.checks.size(), std::size_t{1});
    QVERIFY(!report.passed());
    QCOMPARE(said, std::vector<std::string>{"half"});
  }

  void what_ifs_and_inspections_go_through() {
    WhatIfRequest request{sixteen_ids(), 3, {SegmentEdit{}, SegmentEdit{}}};
    request.edits[1].no_carry = true;
    std::vector<double> sums;
    RunControl control;
    const auto done = [&](std::size_t edit, const WhatIfOutcome& outcome) {
      QCOMPARE(edit, sums.size());
      sums.push_back(outcome.nll_sum);
    };
    const WhatIfBase base = session_->what_if(request, done, control);
    QCOMPARE(sums, (std::vector<double>{2, 1}));
    QCOMPARE(base.first_token, 3);
    QCOMPARE(base.as_it_was.nll_sum, 0.5);
    QCOMPARE(session_->what_if_segments(request), 2);
    const Inspection inspection = session_->inspect({sixteen_ids(), 2, {}}, control);
    QCOMPARE(inspection.segment, 2);
    QCOMPARE(inspection.prefix_mass.values, (std::vector<float>{0.25F, 0.75F}));
  }

  void sweeps_go_through_cell_by_cell() {
    SweepRequest request;
    request.run = sixteen_ids();
    request.question = {2, 5};
    std::vector<SweepCell> cells;
    std::optional<SweepBase> base;
    const SweepObserver observer{[&](const SweepBase& begun) { base = begun; },
                                 [&](const SweepCell& cell) { cells.push_back(cell); }};
    RunControl control;
    session_->sweep(request, observer, control);
    const ModelConfig& model = session_->model().config;
    QCOMPARE(std::ssize(cells), model.layers * model.heads);
    QCOMPARE(cells.back().logit, static_cast<double>(cells.size()));
    QVERIFY(base && base->prediction.probability == 0.5 && base->as_it_was.logit == 0.25);
    request.site = SweepSite::Residual;  // which FakeSession answers in another order
    QCOMPARE(unlike(Fault::BadInput, "out of its turn", [&] { session_->sweep(request, observer, control); }),
             std::string());
    SweepRequest without_text;
    QVERIFY(error_of(
        [&] { engine_->ask(MessageKind::Sweep, pack(std::int32_t{0}, without_text), nullptr, [](const Frame&) {}); }));
  }

  void an_attention_map_without_a_size_is_refused_at_both_ends() {
    RunControl control;
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{0, 8}, {8, 0}, {-1, 8}, {8, -7}}) {
      InspectRequest request{sixteen_ids(), 2, {}};
      request.parts.map_rows = rows;
      request.parts.map_columns = columns;
      QCOMPARE(unlike(Fault::BadInput, "no size", [&] { session_->inspect(request, control); }), std::string());
      const std::string body = pack(std::int32_t{0}, request);
      QCOMPARE(unlike(Fault::BadInput, "no size",
                      [&] { engine_->ask(MessageKind::Inspect, body, nullptr, [](const Frame&) {}); }),
               std::string());
    }
  }

  // FakeSession makes such a segment where the run's policy is named after the damage.
  void segments_with_impossible_values_are_refused() {
    for (const char* damage : {"position", "layer", "place", "length", "targets", "ids", "map"}) {
      RunRequest request = sixteen_ids();
      request.policy = damage;
      RunControl control;
      Recorder recorder;
      QVERIFY2(error_of([&] { session_->run(request, recorder, control); }).has_value(), damage);
      QCOMPARE(recorder.snapshots.size(), std::size_t{1});  // only the one before
    }
  }

  void what_an_engine_says_is_not_believed() {
    const auto refused = [](const char* problem, const auto& act) { return unlike(Fault::BadInput, problem, act); };
    QCOMPARE(refused("KV heads", [&] { engine_->open(model_at("no KV heads"), {}); }), std::string());
    QCOMPARE(refused("threads", [&] { engine_->open(model_at("many threads"), {}); }), std::string());
    QCOMPARE(refused("weight_bytes", [&] { engine_->open(model_at("weights of no size"), {}); }), std::string());
    QCOMPARE(session_->free_memory(), std::int64_t{12345});
    const auto owing = engine_->open(model_at("memory below 0"), {});
    QCOMPARE(refused("memory", [&] { owing->free_memory(); }), std::string());
    RunControl control;
    Recorder recorder;
    RunRequest run = sixteen_ids();
    run.policy = "long summary";
    QCOMPARE(refused("more tokens", [&] { session_->run(run, recorder, control); }), std::string());
    run.ids = std::make_shared<const std::vector<std::int32_t>>(14, 1);
    QCOMPARE(refused("other logits", [&] { session_->logits(run, {0, 1}, control); }), std::string());
    GenerateRequest request;
    request.prompt = {1, 2, 3};
    request.max_new_tokens = 5;
    const auto generate = [&] {
      session_->generate(
          request, [](const GeneratedToken&) { return true; }, control);
    };
    generate();
    request.policy = "too many";
    QCOMPARE(refused("more tokens", generate), std::string());
    request.policy = "unknown ids";
    QCOMPARE(refused("vocabulary", generate), std::string());
    request.policy = "segmented";
    generate();  // the engine is still there
  }

  void a_profile_of_heads_goes_through() {
    HeadProfileRequest request;
    request.kinds = {ProbeKind::Passage, ProbeKind::Copy};
    request.text = sixteen_ids().ids;
    std::vector<std::string> said;
    request.progress = [&](double, const std::string& what) { said.push_back(what); };
    RunControl control;
    const HeadProfile profile = session_->profile_heads(request, control);
    QCOMPARE(said, std::vector<std::string>{"a quarter"});
    QCOMPARE(profile.kinds.size(), std::size_t{2});
    QVERIFY(profile.kinds[0].kind == ProbeKind::Passage && profile.kinds[1].kind == ProbeKind::Copy);
    QCOMPARE(profile.kinds[1].copies.values, std::vector<double>(6, 1.0 / 3));
    request.seed = -1;
    QCOMPARE(unlike(Fault::BadInput, "match the model's heads", [&] { session_->profile_heads(request, control); }),
             std::string());
    request.seed = 1;
    request.kinds.clear();
    QCOMPARE(unlike(Fault::BadInput, "without scores", [&] { session_->profile_heads(request, control); }),
             std::string());
  }

  void heads_for_recall_go_through() {
    RecallHeadsRequest request;
    request.config = sixteen_ids().config;
    request.documents = {{*sixteen_ids().ids, {{"word", {1, 2}, {3}, {2}, 1, 4, true}}}};
    std::vector<std::string> said;
    std::vector<RecallHeads> kept;
    request.progress = [&](double, const std::string& what) { said.push_back(what); };
    request.keep = [&](const RecallHeads& heads) { kept.push_back(heads); };
    RunControl control;
    const RecallHeads found = session_->find_recall_heads(request, control);
    QCOMPARE(said, std::vector<std::string>{"half"});
    QCOMPARE(kept.size(), std::size_t{1});
    QVERIFY(!kept[0].complete && found.complete);
    QCOMPARE(found.searchers[0].found.held_out, 0.5);
    QCOMPARE(found.readers[0].loss, 1.0 / 7);
    QVERIFY(found.readers[0].readers == Grouping({0}, {{0, 1}}));
    request.held_out = -1;
    QCOMPARE(unlike(Fault::BadInput, "searcher that the model lacks",
                    [&] { session_->find_recall_heads(request, control); }),
             std::string());
  }

  void patterns_of_heads_go_through() {
    PatternSearchRequest request;
    request.ids = sixteen_ids().ids;
    std::vector<std::string> said;
    request.progress = [&](double, const std::string& what) { said.push_back(what); };
    RunControl control;
    const FoundPatterns found = session_->search_patterns(request, control);
    QCOMPARE(said, std::vector<std::string>{"half"});
    QCOMPARE(found.tokens, 16);
    QCOMPARE(found.found.size(), std::size_t{6});
    QVERIFY(found.at(1, 2) == (FoundPattern{{PatternKind::AShape, 4, 64, 1.0 / 3}, 0.25}));
    for (const auto& [tokens, problem] : {std::pair(13, "match the model's heads"), {14, "vertical size 0"}}) {
      request.ids = std::make_shared<const std::vector<std::int32_t>>(static_cast<std::size_t>(tokens));
      QCOMPARE(unlike(Fault::BadInput, problem, [&] { session_->search_patterns(request, control); }), std::string());
    }
    request.ids = nullptr;
    QCOMPARE(unlike(Fault::BadInput, "without its text", [&] { session_->search_patterns(request, control); }),
             std::string());
  }

  void gates_of_heads_go_through() {
    DuoGatesRequest request;
    request.parts.hay = sixteen_ids().ids;
    request.parts.words = {{1}, {2, 3}};
    std::vector<std::string> said;
    std::vector<DuoGates> kept;
    request.progress = [&](double, const std::string& what) { said.push_back(what); };
    request.keep = [&](const DuoGates& gates) { kept.push_back(gates); };
    RunControl control;
    const DuoGates gates = session_->learn_gates(request, control);
    QCOMPARE(said, std::vector<std::string>{"half"});
    QVERIFY(kept == std::vector<DuoGates>{open_gates(session_->model().config)});
    QCOMPARE(gates.distances, std::vector<double>{0.125});
    QCOMPARE(gates.gates, std::vector<double>(6, 1.0 / 3));
    request.plan.seed = -1;
    QCOMPARE(unlike(Fault::BadInput, "of this shape", [&] { session_->learn_gates(request, control); }), std::string());
  }

  void a_document_is_read_saved_and_loaded_there() {
    QCOMPARE(unlike(Fault::Usage, "nothing is kept", [&] { session_->save_state("book.state"); }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "without its document", [&] { session_->load_state("full"); }), std::string());
    RunRequest text = sixteen_ids();
    text.config.carry_length = 2;
    RunControl control;
    std::vector<std::string> said;
    const LoadProgress progress = [&](double, const std::string& what) { said.push_back(what); };
    const auto read = [&] { return session_->read_document(text, progress, control); };
    QCOMPARE(unlike(Fault::BadInput, "outside the model's vocabulary", read), std::string());
    const auto count_up = [](std::size_t tokens) {
      std::vector<std::int32_t> ids(tokens);
      for (std::size_t i = 0; i < tokens; ++i) ids[i] = static_cast<std::int32_t>(i);
      return std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
    };
    text.ids = count_up(14);
    said.clear();
    const StateInfo info = read();
    QCOMPARE(said, std::vector<std::string>{"half of the document"});
    QVERIFY(*info.ids == *text.ids && info.config == text.config && info.policy == text.policy);
    QCOMPARE(info.segments, std::int64_t{4});
    session_->save_state("book.state");
    QCOMPARE(session_->load_state("full").policy, std::string("full"));
    QCOMPARE(unlike(Fault::BadInput, "out of range", [&] { session_->load_state("no policy"); }), std::string());
    text.ids = count_up(13);
    QCOMPARE(unlike(Fault::BadInput, "out of range", read), std::string());
    text.ids = nullptr;
    QCOMPARE(unlike(Fault::BadInput, "without its text", read), std::string());
  }

  void a_window_that_goes_away_stops_what_goes_on() {
    ServedEngine served;
    RunRequest endless = sixteen_ids();
    endless.loss = false;
    const std::string open = pack(std::int32_t{1}, model_at("a model")), run = pack(std::int32_t{1}, endless);
    QVERIFY(write_all(
        served.to,
        greeting() + frame_head(MessageKind::Open, open.size()) + open + frame_head(MessageKind::Run, run.size()) + run,
        never));
    const auto heard = answers(served.from);  // up to a silence: the run continues
    QVERIFY(!heard.empty() && heard.back().kind == MessageKind::Segment);
    QVERIFY(!served.end());
  }

  /// Bytes that begin no message end the engine with an answer that says so.
  void garbage_ends_the_engine_with_an_answer() {
    std::mt19937_64 random(11);
    for (int round = 0; round < 100; ++round) {
      ServedEngine served;
      std::string bytes = round % 2 == 0 ? greeting() : std::string();
      for (std::uint64_t left = 16 + random() % 200; left > 0; --left) bytes += static_cast<char>(random());
      QVERIFY(write_all(served.to, bytes, never));
      const auto frames = answers(served.from);
      QVERIFY(!frames.empty() && frames.back().kind == MessageKind::Failed);
      const auto error = served.end();
      QVERIFY(error.has_value());
      QVERIFY(error->fault() == Fault::BadInput);
    }
  }

  /// Messages with any body at all get an answer each, and the engine continues.
  void a_thousand_damaged_messages_get_a_thousand_answers() {
    std::mt19937_64 random(13);
    const std::string sound = pack(std::int32_t{1}, sixteen_ids());
    ServedEngine served;
    FrameBuffer answers;
    const auto hear = [&](auto done) {
      while (!done()) {
        pollfd source{served.from, POLLIN, 0};
        std::string bytes;
        if (::poll(&source, 1, 10'000) == 0 || read_some(served.from, bytes) == ReadResult::End) return false;
        answers.feed(bytes);
      }
      return true;
    };
    const auto is_answered = [&] {
      while (const auto frame = answers.next())
        if (frame->kind == MessageKind::Done || frame->kind == MessageKind::Failed) return true;
      return false;
    };
    const auto send = [&](MessageKind kind, const std::string& body) {
      return write_all(served.to, frame_head(kind, body.size()) + body + frame_head(MessageKind::Stop, 0), never);
    };
    QVERIFY(write_all(served.to, greeting(), never) && hear([&] { return answers.take_greeting(0); }));
    QVERIFY(send(MessageKind::Open, pack(std::int32_t{1}, ModelRequest{})) && hear(is_answered));
    for (int i = 0; i < 1000; ++i) {
      std::string body = sound;
      if (i % 2 == 0) body.resize(random() % body.size());
      for (std::uint64_t changes = 1 + random() % 8; changes > 0 && !body.empty(); --changes)
        body[random() % body.size()] = static_cast<char>(random());
      QVERIFY(send(static_cast<MessageKind>(random() % static_cast<unsigned>(MessageKind::Stop)), body));
      QVERIFY2(hear(is_answered), qPrintable(QStringLiteral("message %1 has no answer").arg(i)));
    }
    QVERIFY(!served.end());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RemoteSessionTest>};
#include "session_test.moc"
