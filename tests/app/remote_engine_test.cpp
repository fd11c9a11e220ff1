// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover-cli engine` behind pipes does what the engine in this process does, to the bit, and its death is told.
#include <sys/wait.h>

#include <QTest>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "engine/api/engine_library.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/data/text_source.h"
#include "engine/remote/engine_source.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/cli_process.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const std::string kDemo = CARRYOVER_SOURCE_DIR "/resources/demo";
const std::string kCommand = "'" CARRYOVER_BINARY_DIR "/bin/carryover-cli' engine";

struct Recorder final : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> snapshots;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { snapshots.push_back(snapshot); }
};

struct Losses final : TrainObserver {
  std::vector<double> values;
  std::vector<std::size_t> segments;
  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override {
    values.push_back(snapshot->record.loss);
    segments.push_back(snapshot->segments.size());
  }
  bool wants_segments() const override { return true; }
};

ModelRequest demo_request() {
  ModelRequest request;
  request.path = kDemo;
  request.dtype = DType::Float32;
  request.device = Device::Cpu;
  request.threads = 1;
  return request;
}

/// All of a snapshot that doesn't depend on when and where it was made.
std::string bits(const SegmentSnapshot& snapshot) {
  SegmentSnapshot plain = snapshot;
  plain.record.seconds = 0;
  plain.record.time.reset();
  plain.record.memory = {};
  return pack(plain);
}

std::string bits(RunSummary summary) {
  summary.seconds = 0;
  summary.time = {};
  summary.peak_memory_bytes = 0;
  summary.memory = {};
  return pack(summary);
}

}  // namespace

class RemoteEngineTest : public QObject {
  Q_OBJECT

  EngineSource source_;
  std::unique_ptr<Session> there_, here_;
  std::vector<std::int32_t> text_;

  RunRequest request(std::int64_t tokens) const {
    RunRequest run;
    run.ids = std::make_shared<const std::vector<std::int32_t>>(text_.begin(), text_.begin() + tokens);
    run.config = SegmentConfig::defaults_for(here_->model().config);
    return run;
  }
  /// Runs on both, requires the same bits, and gives what the remote one said.
  Recorder run_on_both(const RunRequest& run) {
    Recorder there, here;
    RunControl control;
    const RunSummary summary_there = there_->run(run, there, control), summary_here = here_->run(run, here, control);
    const bool same = bits(summary_there) == bits(summary_here) && there.snapshots.size() == here.snapshots.size();
    if (!same) throw std::runtime_error("summaries differ");
    for (std::size_t i = 0; i < here.snapshots.size(); ++i)
      if (bits(*there.snapshots[i]) != bits(*here.snapshots[i])) throw std::runtime_error("snapshots differ");
    return there;
  }
  void connect_anew() {
    RunControl control;
    there_.reset();
    source_.use(kCommand, control, {});
    there_ = source_.open(demo_request(), {});
  }

 private Q_SLOTS:
  void initTestCase() {
    connect_anew();
    here_ = load_session(demo_request(), {});
    text_ = Tokenizer::load(kDemo)->encode(read_text(kDemo + "/text.txt"));
  }
  void cleanupTestCase() {
    there_.reset();
    RunControl control;
    source_.use({}, control, {});
    QCOMPARE(::waitpid(-1, nullptr, WNOHANG), pid_t{-1});
    QCOMPARE(errno, ECHILD);
  }

  void the_model_and_its_tokenizer_are_known_here() {
    ModelInfo far = there_->model(), near = here_->model();
    QCOMPARE(pack(far), pack(near));
    QVERIFY(there_->free_memory() > 0 && here_->free_memory() > 0);
    const auto folders = source_.model_folders(demo_request());
    QVERIFY(folders.tokenizer != kDemo);
    const auto tokenizer = Tokenizer::load(folders.tokenizer), own = Tokenizer::load(kDemo);
    const std::string text = read_text(kDemo + "/text.txt");
    QCOMPARE(tokenizer->encode(text), own->encode(text));
    QCOMPARE(tokenizer->bos(), own->bos());
    QCOMPARE(tokenizer->eos(), own->eos());
    QCOMPARE(read_trained_under(folders.trained_under).has_value(), read_trained_under(kDemo).has_value());
    ModelRequest missing = demo_request();
    missing.path = "/no/such/model";
    QCOMPARE(unlike(Fault::Io, "/no/such/model", [&] { source_.model_folders(missing); }), std::string());
  }

  void runs_are_the_same_to_the_bit() {
    const Recorder first = run_on_both(request(2000));
    QVERIFY(first.snapshots.size() > 4);
    RunRequest forced = request(2000);
    for (const auto& snapshot : first.snapshots)
      for (HeadHits hits : snapshot->hits) {
        if (!hits.hits.empty() && hits.hits.front().position > 0)
          for (Hit& hit : hits.hits) hit.position -= 1;  // as many as the layer's other heads read
        forced.forced_hits.push_back(std::move(hits));
      }
    QVERIFY(!forced.forced_hits.empty());
    const Recorder replayed = run_on_both(forced);
    QVERIFY(bits(*replayed.snapshots.back()) != bits(*first.snapshots.back()));
    RunRequest full = request(500);
    full.policy = "full";
    run_on_both(full);
  }

  void logits_and_generated_ids_are_the_same() {
    RunControl control;
    const std::vector<std::int64_t> positions{0, 300, 599};
    const auto far = there_->logits(request(600), positions, control);
    QCOMPARE(far.size(), positions.size() * static_cast<std::size_t>(here_->model().config.vocabulary));
    QCOMPARE(pack(far), pack(here_->logits(request(600), positions, control)));
    GenerateRequest generate;
    generate.prompt.assign(text_.begin(), text_.begin() + 100);
    generate.max_new_tokens = 40;
    generate.config = request(600).config;
    generate.sampling = {0.8, 0.95, 7};
    generate.logprobs = true;
    generate.top_logprobs = 4;
    const auto ask = [&](Session& session) {
      std::vector<GeneratedToken> heard;
      const auto on_token = [&](const GeneratedToken& token) {
        heard.push_back(token);
        return true;
      };
      const GenerateResult result = session.generate(generate, on_token, control);
      return pack(result.ids, result.logprobs, heard);
    };
    QCOMPARE(ask(*there_), ask(*here_));
  }

  void what_ifs_and_inspections_are_the_same() {
    RunControl control;
    WhatIfRequest what_if{request(1500), 3, {SegmentEdit{}, SegmentEdit{}}};
    what_if.edits[0].no_carry = true;
    what_if.edits[1].prefix = PrefixSource::Oracle;
    what_if.edits.push_back({.patch_carry = true, .patched_heads = {{0, 1}, {3, 4}}});
    what_if.edits.push_back({.no_sinks = true, .zeroed_heads = {{1, 2}}, .unread = {{{3, 0}, PrefixPart::Carry}}});
    what_if.prediction = PredictionQuestion{5, 7};
    what_if.patch_source = PatchSource{request(1400)};
    const auto ask = [&](Session& session) {
      std::string all;
      const auto done = [&](std::size_t edit, const WhatIfOutcome& outcome) {
        all += pack(std::uint64_t{edit}, outcome);
      };
      WhatIfBase base = session.what_if(what_if, done, control);
      base.segments_run = 0;  // what is kept of earlier runs is each session's own
      return all + pack(base);
    };
    QCOMPARE(ask(*there_), ask(*here_));
    QVERIFY(there_->what_if_segments(what_if) > 0);
    SweepRequest sweep;
    sweep.run = request(1500);
    sweep.segment = 3;
    sweep.source = SweepSource::Run;
    sweep.question = {5, 7};
    sweep.losses = true;
    sweep.tokens = TokenRange{2, 5};
    sweep.patch_source = PatchSource{request(1400)};
    const auto swept = [&](Session& session) {
      std::string all;
      const auto begun = [&](SweepBase base) {
        base.segments_run = 0;
        all += pack(base);
      };
      session.sweep(sweep, {begun, [&](const SweepCell& cell) { all += pack(cell); }}, control);
      return all;
    };
    QCOMPARE(swept(*there_), swept(*here_));
    InspectRequest inspect{request(1500), 3, {}};
    inspect.parts.masses = inspect.parts.recall = true;
    inspect.parts.attribution = inspect.parts.lens = inspect.parts.ablations = inspect.parts.sources = 5;
    inspect.parts.neurons = 9;
    inspect.parts.top = 4;
    inspect.parts.foil = 7;
    inspect.parts.pairs = {{7, 3}, {9, 9}};
    QCOMPARE(pack(there_->inspect(inspect, control)), pack(here_->inspect(inspect, control)));
  }

  void errors_are_those_of_the_engine() {
    RunControl control;
    Recorder recorder;
    RunRequest bad = request(100);
    bad.config.carry_length = bad.config.segment_length + 1;
    const auto far = error_of([&] { there_->run(bad, recorder, control); });
    const auto near = error_of([&] { here_->run(bad, recorder, control); });
    QVERIFY(far && near);
    QCOMPARE(std::string(far->what()), std::string(near->what()));
    QVERIFY(far->fault() == near->fault());
  }

  void a_paused_run_waits_and_a_stopped_one_ends() {
    RunRequest latched = request(2000);
    latched.latch_segment = 2;
    RunControl control;
    Recorder recorder;
    std::thread user([&] {
      while (!control.paused()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      control.request_stop();
    });
    const RunSummary summary = there_->run(latched, recorder, control);
    user.join();
    QVERIFY(summary.cancelled);
    QCOMPARE(recorder.snapshots.size(), std::size_t{2});
  }

  void training_and_saving_happen_there() {
    const TempDir folder;
    const auto plan_for = [&](const char* output) {
      auto plan = std::make_shared<TrainingPlan>();
      plan->model = kDemo;
      plan->data = {kDemo + "/text.txt"};
      plan->output_dir = folder.file(output);
      plan->config = SegmentConfig::defaults_for(here_->model().config);
      plan->config.segment_length = 32;
      plan->config.carry_length = plan->config.retrieval_length = 8;
      plan->training.max_steps = 2;
      plan->training.gradient_accumulation_steps = 1;
      plan->training.validation_fraction = 0;
      return plan;
    };
    RunControl control;
    Losses far, near;
    const auto near_plan = plan_for("near");
    const CorpusRequest data{near_plan->data, near_plan->text_field, 0, default_token_cache()};
    const auto corpus = std::make_shared<const Corpus>(read_corpus(data, *Tokenizer::load(kDemo), {}, control));
    here_->train({near_plan, corpus, false, false}, near, control);
    const TrainingSummary summary = there_->train({plan_for("far"), nullptr, false, false}, far, control);
    QCOMPARE(summary.steps, 2);
    QCOMPARE(far.values, near.values);
    QVERIFY(far.segments.front() > 0);
    QVERIFY(std::filesystem::exists(summary.final_folder));
    there_->save(folder.file("saved"));
    QVERIFY(std::filesystem::exists(folder.file("saved") + "/model.safetensors"));
    here_ = load_session(demo_request(), {});
    there_ = source_.open(demo_request(), {});
  }

  void a_killed_engine_is_told_and_leaves_no_zombie() {
    const pid_t engine = source_.process().value();
    RunRequest latched = request(2000);
    latched.latch_segment = 3;
    RunControl control;
    Recorder recorder;
    std::thread user([&] {
      while (!control.paused()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ::kill(engine, SIGKILL);
    });
    const auto error = error_of([&] { there_->run(latched, recorder, control); });
    user.join();
    QVERIFY(error.has_value());
    QVERIFY(error->fault() == Fault::Io);
    QVERIFY2(error->problem().find("signal 9 (Killed)") != std::string::npos, error->what());
    QCOMPARE(recorder.snapshots.size(), std::size_t{3});
    QVERIFY(::kill(engine, 0) != 0 && errno == ESRCH);
    QVERIFY(source_.take_loss().has_value());
    QVERIFY(!source_.take_loss().has_value());
    QCOMPARE(unlike(Fault::Io, "Killed", [&] { source_.open(demo_request(), {}); }), std::string());
    connect_anew();
    run_on_both(request(300));
  }

  void one_killed_while_nothing_goes_on_is_noticed() {
    ::kill(source_.process().value(), SIGKILL);
    bool lost = false;  // it is reported once
    QTRY_VERIFY((lost = lost || source_.take_loss().has_value()));
    connect_anew();
  }

  /// The verb by itself: it serves who speaks its language, says so to who does not, and ends with its input.
  void the_verb_keeps_its_line_clean() {
    QProcess engine;
    prepare_cli(engine, {"engine"});
    engine.start();
    engine.write(QByteArray::fromStdString(greeting()));
    QVERIFY(engine.waitForReadyRead());
    engine.closeWriteChannel();
    const CliResult quiet = finish_cli(engine);
    QCOMPARE(quiet.code, 0);
    QVERIFY(quiet.out.startsWith(QByteArray::fromStdString(greeting())));
    QCOMPARE(quiet.err, QByteArray());
    const CliResult loud = run_cli({"engine"}, "GET / HTTP/1.1\r\n\r\n");
    QCOMPARE(loud.code, 3);
    QVERIFY2(loud.err.contains("GET / HTTP"), loud.err.constData());
    QCOMPARE(run_cli({"engine"}).code, 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<RemoteEngineTest>};
#include "remote_engine_test.moc"
