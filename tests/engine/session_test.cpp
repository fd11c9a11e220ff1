// SPDX-License-Identifier: GPL-3.0-or-later
// The façade on the tiny demo: what the window and the command line rely on.
#include "engine/api/session.h"

#include <QTest>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "engine/base/error.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/policy_table.h"
#include "engine/data/corpus.h"
#include "engine/data/text_source.h"
#include "engine/runs/values/partition.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/records/training_plan.h"
#include "tests/support/expect_error.h"
#include "tests/support/faults/memory_limit.h"
#include "tests/support/random_config.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const std::string kDemo = std::string(CARRYOVER_SOURCE_DIR) + "/resources/demo";

struct Recorder final : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> snapshots;
  std::function<void(const SegmentSnapshot&)> after;
  std::int64_t last_progress = 0;

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    snapshots.push_back(snapshot);
    if (after) after(*snapshot);
  }
  void progress(std::int64_t done, std::int64_t) override { last_progress = done; }
};

ModelRequest demo_request(DType dtype = DType::Float32) {
  ModelRequest request;
  request.path = kDemo;
  request.dtype = dtype;
  request.device = Device::Cpu;
  request.threads = 2;
  return request;
}

/// Greedy decoding of 60 tokens across segment boundaries; how far a choice's logit is below the best one's when the
/// same text is run whole.
struct Greedy {
  std::vector<std::int32_t> ids, streamed;
  double worst = 0;
  double worst_steps = 0;  ///< the same in steps that bf16 has at the best one
};

Greedy decode_greedily(Session& session, const std::vector<std::int32_t>& text) {
  GenerateRequest wanted;
  wanted.config = SegmentConfig::defaults_for(session.model().config);
  wanted.config.segment_length = 32;
  wanted.config.carry_length = 8;
  wanted.config.retrieval_length = 8;
  wanted.prompt.assign(text.begin(), text.begin() + 50);
  wanted.max_new_tokens = 60;
  RunControl control;
  Greedy greedy;
  const auto on_token = [&](const GeneratedToken& token) {
    greedy.streamed.push_back(token.id);
    return true;
  };
  greedy.ids = session.generate(wanted, on_token, control).ids;

  std::vector<std::int32_t> whole = wanted.prompt;
  whole.insert(whole.end(), greedy.ids.begin(), greedy.ids.end());
  RunRequest run_request;
  run_request.ids = std::make_shared<const std::vector<std::int32_t>>(whole);
  run_request.config = wanted.config;
  std::vector<std::int64_t> positions(greedy.ids.size());
  std::iota(positions.begin(), positions.end(), 49);
  const std::vector<float> logits = session.logits(run_request, positions, control);
  const std::ptrdiff_t vocabulary = session.model().config.vocabulary;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(i) * vocabulary;
    const float best = *std::max_element(row, row + vocabulary), below = best - row[greedy.ids[i]];
    greedy.worst = std::max<double>(greedy.worst, below);
    greedy.worst_steps = std::max<double>(greedy.worst_steps, std::ldexp(below, 7 - std::ilogb(best)));
  }
  return greedy;
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Session> session_;
  std::vector<std::int32_t> text_;

  RunRequest request(std::int64_t tokens) const {
    RunRequest run;
    run.ids = std::make_shared<const std::vector<std::int32_t>>(text_.begin(), text_.begin() + tokens);
    run.config = SegmentConfig::defaults_for(session_->model().config);
    return run;
  }
  RunSummary run(const RunRequest& run_request, Recorder& recorder) const {
    RunControl control;
    return session_->run(run_request, recorder, control);
  }

 private Q_SLOTS:
  void initTestCase() {
    session_ = open_session(demo_request(), {});
    text_ = Tokenizer::load(kDemo)->encode(read_text(kDemo + "/text.txt"));
    QVERIFY(text_.size() > 2500);
  }

  void a_run_accounts_for_every_token() {
    Recorder recorder;
    const RunRequest wanted = request(2000);
    const RunSummary summary = run(wanted, recorder);
    QCOMPARE(summary.tokens, 2000);
    QCOMPARE(summary.targets, 1999);
    QCOMPARE(summary.segments, 8);
    std::int64_t next = 0;
    double nll = 0;
    for (const auto& snapshot : recorder.snapshots) {
      QCOMPARE(snapshot->record.first_token, next);
      QCOMPARE(static_cast<std::int64_t>(snapshot->ids.size()), snapshot->record.length);
      QCOMPARE(static_cast<std::int64_t>(snapshot->target_nll.size()), snapshot->record.targets);
      next += snapshot->record.length;
      for (float value : snapshot->target_nll) nll += static_cast<double>(value);
    }
    QVERIFY(std::abs(nll - summary.nll_sum) < 1e-3);
    QCOMPARE(recorder.last_progress, 2000);
  }

  void hits_are_read_from_the_second_segment_on() {
    Recorder recorder;
    const RunRequest wanted = request(1500);
    run(wanted, recorder);
    QVERIFY(recorder.snapshots[0]->hits.empty());
    for (std::size_t i = 1; i < recorder.snapshots.size(); ++i) {
      QVERIFY(!recorder.snapshots[i]->hits.empty());
      for (const HeadHits& head : recorder.snapshots[i]->hits) {
        QCOMPARE(head.segment, static_cast<std::int64_t>(i));
        QVERIFY(wanted.config.grouping.is_long(head.layer, head.head));
        QCOMPARE(static_cast<std::int64_t>(head.hits.size()), wanted.config.retrieval_length);
        QVERIFY(head.hits.back().position < recorder.snapshots[i]->record.first_token);
      }
    }
  }

  void memory_that_attention_sees_is_flat_and_the_pool_is_what_it_holds() {
    Recorder recorder;
    const RunRequest wanted = request(2048);
    run(wanted, recorder);
    const MemoryBytes &second = recorder.snapshots[1]->record.memory, &last = recorder.snapshots.back()->record.memory;
    QCOMPARE(last.attention_kv, second.attention_kv);
    QCOMPARE(last.carry, second.carry);
    QCOMPARE(last.weights, session_->model().weight_bytes);
    QVERIFY(last.activations > 0);
    QCOMPARE(recorder.snapshots.back()->record.pool_entries, 2048);
    QCOMPARE(last.pool, recorder.snapshots[1]->record.memory.pool * 8 / 2);
    for (const PoolKeys format : {PoolKeys::Model, PoolKeys::BFloat16, PoolKeys::Int8}) {
      RunRequest held = request(1024);
      held.config.pool_keys = format;
      Recorder other;
      run(held, other);
      QCOMPARE(other.snapshots.back()->record.memory.pool,
               (CostModel{session_->model().config, held.config, 4}.pool_bytes(1024)));
    }
  }

  void the_parts_of_a_segments_time_are_all_of_it() {
    for (const std::string& policy : policy_names()) {
      Recorder recorder;
      RunRequest wanted = request(1024);
      wanted.policy = policy;
      const RunSummary summary = run(wanted, recorder);
      SegmentTime sum;
      for (const auto& snapshot : recorder.snapshots) {
        const SegmentRecord& record = snapshot->record;
        QVERIFY(record.time.has_value());
        for (const TimePart& part : kTimeParts) QVERIFY((*record.time).*part.seconds >= 0);
        QVERIFY(record.time->sum() > 0 && record.time->sum() <= record.seconds);
        QVERIFY(record.time->feed_forward > 0 && record.time->logits > 0 && record.time->local_attention > 0);
        QVERIFY(record.time->retrieval > 0);
        QCOMPARE(record.time->long_attention > 0, policy == "segmented" || policy == "duo");
        sum += *record.time;
      }
      QVERIFY(nlohmann::json(summary.time) == nlohmann::json(sum));
    }
  }

  void replaying_hits_gives_the_same_losses() {
    Recorder first, second;
    RunRequest wanted = request(1200);
    run(wanted, first);
    for (const auto& snapshot : first.snapshots)
      wanted.forced_hits.insert(wanted.forced_hits.end(), snapshot->hits.begin(), snapshot->hits.end());
    run(wanted, second);
    for (std::size_t i = 0; i < first.snapshots.size(); ++i) {
      QVERIFY(first.snapshots[i]->target_nll == second.snapshots[i]->target_nll);
      QVERIFY(first.snapshots[i]->hits == second.snapshots[i]->hits);
    }
  }

  void logits_agree_with_losses() {
    Recorder recorder;
    const RunRequest wanted = request(600);
    run(wanted, recorder);
    RunControl control;
    const std::vector<std::int64_t> positions = {0, 255, 256, 598};
    const std::vector<float> logits = session_->logits(wanted, positions, control);
    const auto V = static_cast<std::size_t>(session_->model().config.vocabulary);
    QCOMPARE(logits.size(), positions.size() * V);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto position = static_cast<std::size_t>(positions[i]);
      double sum = 0;
      for (std::size_t v = 0; v < V; ++v) sum += std::exp(static_cast<double>(logits[i * V + v]));
      const double nll =
          std::log(sum) - static_cast<double>(logits[i * V + static_cast<std::size_t>(text_[position + 1])]);
      QVERIFY(std::abs(nll - static_cast<double>(recorder.snapshots[position / 256]->target_nll[position % 256])) <
              1e-4);
    }
  }

  void one_token_has_no_target_and_no_perplexity() {
    Recorder recorder;
    const RunSummary summary = run(request(1), recorder);
    QCOMPARE(summary.targets, 0);
    QVERIFY(!summary.ppl());
    QCOMPARE(recorder.snapshots.size(), std::size_t{1});
  }

  void without_the_boundary_target_each_segment_has_one_less() {
    Recorder recorder;
    RunRequest wanted = request(600);
    wanted.config.cross_boundary_target = false;
    QCOMPARE(run(wanted, recorder).targets, 600 - 3);
  }

  void a_stop_keeps_what_is_done() {
    Recorder recorder;
    RunControl control;
    recorder.after = [&](const SegmentSnapshot& snapshot) {
      if (snapshot.record.index == 2) control.request_stop();
    };
    const RunSummary summary = session_->run(request(2500), recorder, control);
    QVERIFY(summary.cancelled);
    QCOMPARE(summary.segments, 3);
    QCOMPARE(summary.tokens, 3 * 256);
  }

  void a_latched_segment_waits_to_be_resumed() {
    Recorder recorder;
    RunControl control;
    RunRequest wanted = request(1024);
    wanted.latch_segment = 1;
    std::jthread resumer([&] {
      while (!control.paused()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      control.resume();
    });
    const auto start = std::chrono::steady_clock::now();
    const RunSummary summary = session_->run(wanted, recorder, control);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    QCOMPARE(summary.segments, 4);
    // A pause is no time of the run, nor of its segment.
    const SegmentRecord& latched = recorder.snapshots[1]->record;
    QVERIFY(control.paused_seconds() > 0);
    QVERIFY(summary.seconds + control.paused_seconds() <= passed.count());
    QVERIFY(latched.seconds <= summary.seconds && latched.time->sum() <= latched.seconds);
  }

  void what_a_run_cannot_take_is_refused() {
    Recorder recorder;
    RunRequest wanted = request(10);
    wanted.config.segment_length = 0;
    QVERIFY_THROWS_EXCEPTION(EngineError, run(wanted, recorder));
    wanted = request(10);
    wanted.policy = "sparse";
    QVERIFY_THROWS_EXCEPTION(EngineError, run(wanted, recorder));
    wanted = request(10);
    wanted.ids = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{1, 512});
    QVERIFY_THROWS_EXCEPTION(EngineError, run(wanted, recorder));
    wanted.ids = std::make_shared<const std::vector<std::int32_t>>();
    QVERIFY_THROWS_EXCEPTION(EngineError, run(wanted, recorder));
    QVERIFY(recorder.snapshots.empty());
    run(request(10), recorder);  // and the session lives on
    QCOMPARE(recorder.snapshots.size(), std::size_t{1});
  }

  /// Whatever is asked for, memory is looked for before any is taken.
  void every_operation_forecasts_its_memory() {
    const MemoryLimit small_machine(std::int64_t{1} << 30);
    RunControl control;
    const auto refused = [](Fault fault, const char* problem, const auto& act) { return unlike(fault, problem, act); };
    const auto too_large = [&](const auto& act) { return refused(Fault::OutOfMemory, "free", act); };
    const RunRequest text = request(300);
    const auto logits = [&](std::vector<std::int64_t> positions) {
      return [&, positions] { session_->logits(text, positions, control); };
    };
    QCOMPARE(too_large(logits(std::vector<std::int64_t>(10'000'000, 0))), std::string());
    QCOMPARE(refused(Fault::BadInput, "position 300", logits({0, 300})), std::string());
    QCOMPARE(refused(Fault::BadInput, "position -1", logits({-1, 4})), std::string());
    QCOMPARE(refused(Fault::BadInput, "position 3", logits({5, 3})), std::string());

    GenerateRequest answer;
    answer.prompt = *text.ids;
    answer.config = text.config;
    answer.policy = "full";
    const auto generate = [&](std::int64_t tokens) {
      return [&, tokens] {
        answer.max_new_tokens = tokens;
        session_->generate(
            answer, [](const GeneratedToken&) { return false; }, control);
      };
    };
    QCOMPARE(too_large(generate(std::int64_t{1} << 39)), std::string());
    for (const std::int64_t tokens : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
      QCOMPARE(refused(Fault::BadInput, "out of range", generate(tokens)), std::string());

    HeadProfileRequest profile;
    const auto profile_heads = [&](std::int64_t tokens, std::int64_t probes) {
      return [&, tokens, probes] {
        profile.tokens = tokens;
        profile.probes = probes;
        session_->profile_heads(profile, control);
      };
    };
    QCOMPARE(too_large(profile_heads(1 << 24, 10'000)), std::string());
    QCOMPARE(refused(Fault::BadInput, "too many", profile_heads(512, std::int64_t{1} << 40)), std::string());
    QCOMPARE(refused(Fault::BadInput, "out of range", profile_heads(-5, 3)), std::string());
    QCOMPARE(refused(Fault::BadInput, "out of range", profile_heads(std::int64_t{1} << 40, 3)), std::string());

    const auto many = std::make_shared<const std::vector<std::int32_t>>(2'000'000, 7);
    AuditRequest audit;
    audit.ids = many;
    audit.config = text.config;
    QCOMPARE(too_large([&] { session_->audit(audit, control); }), std::string());
    audit.ids = text.ids;
    audit.lora_rank = std::int64_t{1} << 40;
    QCOMPARE(refused(Fault::BadInput, "lora_rank", [&] { session_->audit(audit, control); }), std::string());

    PatternSearchRequest patterns;
    patterns.ids = many;
    QCOMPARE(too_large([&] { session_->search_patterns(patterns, control); }), std::string());

    DuoGatesRequest gates;
    gates.parts.words = {{5}};
    gates.parts.statements = gates.parts.questions = {{6}};
    gates.parts.hay = text.ids;
    gates.plan.shortest = gates.plan.longest = 1 << 24;
    gates.plan.passkeys = gates.plan.words = 1;
    QCOMPARE(too_large([&] { session_->learn_gates(gates, control); }), std::string());

    const TempDir temp;
    auto plan = std::make_shared<TrainingPlan>();
    plan->model = kDemo;
    plan->data = {"a text"};
    plan->output_dir = temp.file("run");
    plan->config = text.config;
    plan->config.segment_length = 1 << 20;
    plan->training.train_segments = 64;
    struct Silent final : TrainObserver {
      void step_done(std::shared_ptr<const StepSnapshot>) override {}
    } silent;
    QCOMPARE(too_large([&] {
               session_->train({plan, std::make_shared<const Corpus>(), false, false}, silent, control);
             }),
             std::string());
    QVERIFY(!std::filesystem::exists(temp.file("run")));
    ModelRequest threads = demo_request();
    threads.threads = 1 << 20;
    QCOMPARE(refused(Fault::Usage, "threads", [&] { open_session(threads, {}); }), std::string());

    Recorder recorder;
    run(request(10), recorder);  // and the session lives on
    QCOMPARE(recorder.snapshots.size(), std::size_t{1});
  }

  void a_model_is_saved_over_nothing() {
    const TempDir temp;
    const std::string folder = temp.file("keep");
    std::filesystem::create_directory(folder);
    write_bytes(folder + "/thesis", "precious");
    QCOMPARE(unlike(Fault::Usage, "is there already", [&] { session_->save(folder); }), std::string());
    QCOMPARE(read_bytes(folder + "/thesis"), std::string("precious"));
    session_->save(temp.file("new"));
    QVERIFY(std::filesystem::exists(temp.file("new/model.safetensors")));
    QCOMPARE(std::distance(std::filesystem::directory_iterator(temp.path()), {}), std::ptrdiff_t{2});
  }

  void every_policy_of_the_list_runs() {
    for (const std::string& policy : policy_names()) {
      Recorder recorder;
      RunRequest wanted = request(300);
      wanted.policy = policy;
      QCOMPARE(run(wanted, recorder).targets, 299);
    }
  }

  void greedy_decoding_follows_the_logits() {
    const Greedy greedy = decode_greedily(*session_, text_);
    QCOMPARE(greedy.ids.size(), std::size_t{60});
    QVERIFY(greedy.ids == greedy.streamed);
    QVERIFY(greedy.worst < 1e-4);  // argmax up to rounding
  }

  void weights_of_8_bits_run_and_decode_as_one_model() {
    Recorder recorder;
    const auto packed = open_session(demo_request(DType::Q8), {});
    const ModelInfo& info = packed->model();
    QCOMPARE(info.weight_bytes, (CostModel{info.config, {}, 2, true}.weight_bytes()));
    RunControl control;
    const RunRequest wanted = request(2000);
    const double exact = *session_->run(wanted, recorder, control).nll_mean(),
                 rounded = *packed->run(wanted, recorder, control).nll_mean();
    QVERIFY2(std::abs(rounded - exact) < 0.02 && rounded != exact, qPrintable(QString::number(rounded - exact)));
    const double steps = decode_greedily(*packed, text_).worst_steps;
    QVERIFY2(steps <= 1, qPrintable(QString::number(steps)));  // bf16 logits of several rows against those of one
  }

  void weights_of_8_bits_do_not_change() {
    const auto packed = open_session(demo_request(DType::Q8), {});
    RunControl control;
    struct : TrainObserver {
      void step_done(std::shared_ptr<const StepSnapshot>) override {}
    } nobody;
    const auto refused = [](auto action) {
      return QString::fromStdString(unlike(Fault::Unsupported, "needs weights that can change", action));
    };
    const TempDir folder;
    QCOMPARE(refused([&] { packed->train({}, nobody, control); }), QString());
    QCOMPARE(refused([&] { packed->audit({}, control); }), QString());
    QCOMPARE(refused([&] { packed->save(folder.file("saved")); }), QString());
    ModelRequest adapted = demo_request(DType::Q8);
    adapted.adapter = folder.file("adapter");
    QCOMPARE(refused([&] { open_session(adapted, {}); }), QString());
  }

  void sampling_repeats_by_seed() {
    GenerateRequest wanted;
    wanted.config = SegmentConfig::defaults_for(session_->model().config);
    wanted.prompt.assign(text_.begin(), text_.begin() + 20);
    wanted.max_new_tokens = 40;
    wanted.sampling = {1.2, 0.95, 5};
    RunControl control;
    const auto go = [&] {
      return session_
          ->generate(
              wanted, [](const GeneratedToken&) { return true; }, control)
          .ids;
    };
    const auto first = go();
    QVERIFY(first == go());
    wanted.sampling.seed = 6;
    QVERIFY(first != go());
    wanted.stop_ids = {go()[3]};
    QVERIFY(go().size() <= 3);
  }

  /// However likely they are, and for so long alone.
  void barred_tokens_are_not_chosen() {
    GenerateRequest wanted;
    wanted.config = SegmentConfig::defaults_for(session_->model().config);
    wanted.prompt.assign(text_.begin(), text_.begin() + 20);
    wanted.max_new_tokens = 8;
    RunControl control;
    const auto go = [&] {
      return session_
          ->generate(
              wanted, [](const GeneratedToken&) { return true; }, control)
          .ids;
    };
    const auto free = go();
    wanted.barred_ids = {free[0], free[1]};
    QVERIFY(go() == free);  // not for a single token
    wanted.barred_tokens = 1;
    const auto later = go();
    QVERIFY(later[0] != free[0] && later[0] != free[1]);
    wanted.answer = {free[0]};  // what is given is taken
    QVERIFY(go() == free);
    wanted.barred_ids = {-1};
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "barred_ids", go)), QString());
  }

  void a_boundary_at_the_prompts_end_keeps_carry_and_queries_whole() {
    SegmentConfig config;
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
      config.segment_length = draw(random, 1, 100);
      config.carry_length = draw(random, 0, config.segment_length);
      config.query_length = draw(random, 1, 80);
      const std::int64_t prompt = draw(random, 1, 500);
      config.boundary_at_prompt_end = false;
      const auto plain = prompt_partition(prompt, config);
      QCOMPARE(static_cast<std::int64_t>(plain.size()), prompt / config.segment_length);
      config.boundary_at_prompt_end = true;
      const auto parts = prompt_partition(prompt, config);
      std::int64_t sum = 0;
      for (std::int64_t length : parts) {
        QVERIFY(length >= 1 && length <= config.segment_length);
        sum += length;
      }
      QCOMPARE(sum, prompt);
      const std::int64_t wanted = std::min(config.segment_length, std::max(config.carry_length, config.query_length));
      if (parts.size() > 1) QVERIFY(parts.back() >= wanted);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SessionTest>};
#include "session_test.moc"
