// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that a run is planned to take, beside what its tensors took. The model is large enough for its layers to
// take nearly all of it.
#include <QTest>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/config/window_settings.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/training_cost.h"
#include "engine/ops/matmul.h"
#include "engine/runs/generation.h"
#include "engine/runs/values/partition.h"
#include "engine/runtime/memory_meter.h"
#include "engine/training/sample_gradient.h"
#include "tests/support/expect_error.h"
#include "tests/support/policy_facts.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

ModelConfig wide_config() {
  ModelConfig model = tiny_config(6, 8, 4, 32, 1024);
  model.intermediate = 4 * model.hidden;  // the feed-forward's tensors outweigh what attention packs beside tensors
  return model;
}

/// The same with windows, longer than a segment, in four of six layers.
ModelConfig windowed_config() {
  ModelConfig model = wide_config();
  model.architecture = "qwen2";
  model.window = 400;
  model.window_layers = {0, 1, 3, 4};
  return model;
}

struct Case {
  explicit Case(const ModelConfig& model = wide_config()) : tiny(model, 3, at::kFloat) {}
  std::mt19937 random{3};
  TinyDecoder tiny;
  SegmentConfig config = settings();
  RunControl control;
  std::int64_t matmul_scratch = measure_scratch();

  /// Returns the scratch bytes of the matmul with the longest sums: 0, or oneDNN's 0.26 MB with AVX-512, which is a lot
  /// beside this model.
  std::int64_t measure_scratch() const {
    const at::NoGradGuard no_gradients;
    const at::Tensor& down = tiny.decoder.weights.layers[0].down;
    const at::Tensor x = at::zeros({config.segment_length, down.size(1)});
    const MemoryMeter meter(at::kCPU);
    const at::Tensor out = ops::matmul(x, down);
    return meter.peak_bytes() - static_cast<std::int64_t>(out.nbytes());
  }
  SegmentConfig settings() const {
    SegmentConfig small = SegmentConfig::defaults_for(tiny.decoder.config);
    small.segment_length = 256;
    small.carry_length = small.retrieval_length = 64;
    small.of<WindowSettings>().attention_window = 300;
    small.sink_length = 4;
    return small;
  }
  RunRequest request(const std::string& policy, std::int64_t tokens) {
    RunRequest request;
    request.policy = policy;
    request.config = config;
    request.ids = std::make_shared<std::vector<std::int32_t>>(random_ids(random, tokens, 1024));
    return request;
  }
  void read(const RunRequest& request, bool loss) const {
    const at::NoGradGuard no_gradients;
    const std::int64_t tokens = std::ssize(*request.ids);
    PreparedRun prepared(tiny.decoder, {request.policy, config, tokens, {}, {}});
    for (std::int64_t done = 0; done < tokens; done += config.segment_length) {
      const auto part = part_of(*request.ids, done, std::min(config.segment_length, tokens - done));
      const at::Tensor hidden = prepared.runner().run_segment(ids_tensor(tiny.decoder, part));
      if (loss)
        segment_nll(tiny.decoder, request, done, hidden);
      else
        tiny.decoder.logits(hidden.narrow(0, hidden.size(0) - 1, 1));
    }
  }
  MemoryBytes plan(const std::string& policy, std::int64_t tokens, RunUse use) const {
    const CostModel cost{tiny.decoder.config, config, 4};
    return policy_row(policy).memory(cost, tokens, use);
  }
};

/// Returns how far a peak lies from its plan, as a share of the plan. The weights, and what the matmul library
/// allocates for itself, do not count.
double deviation(std::int64_t peak, const MemoryBytes& plan, std::int64_t matmul_scratch) {
  const std::int64_t planned = plan.device_peak - plan.weights;
  const std::int64_t more = peak - planned, off = more > 0 ? std::max<std::int64_t>(0, more - matmul_scratch) : more;
  return static_cast<double>(off) / static_cast<double>(planned);
}

struct Graph {
  double measured = 0, planned = 0;  ///< bytes
};

/// Returns the bytes of the graph for a sample of two segments with these long heads.
Graph graph_of(const std::vector<int>& heads) {
  Case c;
  c.config.grouping = Grouping({2, 4}, {heads});
  const RunRequest sample = c.request("segmented", 512);
  TrainingConfig training;
  training.gradient_checkpointing = false;
  training.train_segments = 2;
  MemoryMeter meter(at::kCPU);
  TrainableParameters parameters(c.tiny.decoder);
  GradientSetup setup{"segmented", c.config};
  setup.meter = &meter;
  const SampleGradient gradient = add_sample_gradient(c.tiny.decoder, parameters, setup, *sample.ids);
  const TrainingCost cost = training_cost(c.tiny.decoder.config, c.config, training, "segmented", 4);
  return {static_cast<double>(gradient.memory.graph), static_cast<double>(cost.memory.graph)};
}

}  // namespace

class MemoryPlanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_takes_what_was_planned_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<bool>("loss");
    QTest::addColumn<bool>("windows");
    for (const std::string& policy : policy_names())
      for (const int tokens : {200, 256, 1024, 2000})
        for (const bool loss : {false, true})
          QTest::addRow("%s, %d tokens%s", policy.c_str(), tokens, loss ? ", with loss" : "")
              << QString::fromStdString(policy) << tokens << loss << false;
    for (const std::string& policy : policy_names())
      for (const int tokens : {256, 2000})
        QTest::addRow("%s, %d tokens, windowed layers", policy.c_str(), tokens)
            << QString::fromStdString(policy) << tokens << false << true;
  }
  void a_run_takes_what_was_planned() {
    QFETCH(QString, policy);
    QFETCH(int, tokens);
    QFETCH(bool, loss);
    QFETCH(bool, windows);
    Case c(windows ? windowed_config() : wide_config());
    const RunRequest request = c.request(policy.toStdString(), tokens);
    const MemoryMeter meter(at::kCPU);
    c.read(request, loss);
    const double off = deviation(meter.peak_bytes(), c.plan(request.policy, tokens, {.loss = loss}), c.matmul_scratch);
    if (!windows) record_fact(request.policy, kReadFact, off);
    QVERIFY2(std::abs(off) <= 0.05, qPrintable(QString("%1 %").arg(100 * off)));
  }

  void decoding_takes_what_was_planned_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("windows");
    for (const std::string& policy : policy_names())
      for (const bool windows : {false, true})
        QTest::addRow("%s%s", policy.c_str(), windows ? ", windowed layers" : "")
            << QString::fromStdString(policy) << windows;
  }
  void decoding_takes_what_was_planned() {
    QFETCH(QString, policy);
    QFETCH(bool, windows);
    Case c(windows ? windowed_config() : wide_config());
    GenerateRequest request;
    request.policy = policy.toStdString();
    request.config = c.config;
    request.prompt = random_ids(c.random, 1000, 1024);
    request.max_new_tokens = 40;
    // Policies that end prompts read many rows into an open segment only where a question follows the prompt.
    if (ends_prompts(request.policy)) request.question_length = 240;
    const MemoryMeter meter(at::kCPU);
    generate_text(
        c.tiny.decoder, request, [](const GeneratedToken&) { return true; }, c.control);
    const MemoryBytes plan = c.plan(request.policy, 1040, {.loss = false, .decoding = true});
    const double off = deviation(meter.peak_bytes(), plan, c.matmul_scratch);
    if (!windows) record_fact(request.policy, kDecodeFact, off);
    QVERIFY2(std::abs(off) <= 0.05, qPrintable(QString("%1 %").arg(100 * off)));
  }

  void training_takes_what_was_planned() {
    const Graph even = graph_of({4, 5, 6, 7}), both = graph_of({0, 2, 4, 6}), uneven = graph_of({0, 3, 4});
    for (const Graph& graph : {even, both, uneven}) {
      const double off = graph.measured / graph.planned - 1;
      QVERIFY2(off >= -0.1 && off <= 0.05, qPrintable(QString("%1 %").arg(100 * off)));
    }
    // Groups that share KV heads unevenly have copies of keys and values.
    const double more = (uneven.measured - even.measured) / (uneven.planned - even.planned) - 1;
    QVERIFY2(std::abs(more) <= 0.2, qPrintable(QString("%1 %").arg(100 * more)));
  }

  /// A long run in the same process leaves no trace in the next one's peak, and a run's peak is what it holds.
  void a_runs_peak_is_its_own() {
    struct Peaks final : RunObserver {
      void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
        most = std::max(most, snapshot->record.memory.device_peak);
      }
      std::int64_t most = 0;
    };
    Case c;
    const auto peak_of = [&](std::int64_t tokens) {
      Peaks peaks;
      const RunSummary summary = run_text(c.tiny.decoder, c.request("full", tokens), peaks, c.control, nullptr);
      if (summary.peak_memory_bytes != peaks.most || summary.memory.device_peak != peaks.most) return std::int64_t{-1};
      return summary.peak_memory_bytes;
    };
    const std::int64_t first = peak_of(256), big = peak_of(2048), again = peak_of(256);
    QVERIFY(first > 0 && big > 0);
    QCOMPARE(again, first);
    const MemoryBytes small = c.plan("full", 256, {}), large = c.plan("full", 2048, {});
    QVERIFY(big - again > (large.device_peak - small.device_peak) / 2);
    QVERIFY(std::abs(deviation(again - small.weights, small, c.matmul_scratch)) <= 0.05);
  }

  /// The states kept for looking at segments again are no part of a run's peak, but for a copy of a state's small
  /// tensors.
  void kept_states_are_not_the_runs() {
    struct Quiet final : RunObserver {
      void segment_done(std::shared_ptr<const SegmentSnapshot>) override {}
    } observer;
    for (const std::string& policy : policy_names()) {
      if (state_grows(policy)) continue;  // of which none is kept
      Case c;
      RunRequest request = c.request(policy, 2048);
      const std::int64_t alone = run_text(c.tiny.decoder, request, observer, c.control, nullptr).peak_memory_bytes;
      request.capture.states = true;
      StateArchive archive(std::int64_t{1} << 30);
      const std::int64_t kept = run_text(c.tiny.decoder, request, observer, c.control, &archive).peak_memory_bytes;
      QVERIFY(archive.bytes() > 0);
      QVERIFY2(std::abs(static_cast<double>(kept - alone)) <= 0.02 * static_cast<double>(alone),
               qPrintable(QStringLiteral("%1: %2 and %3").arg(QString::fromStdString(policy)).arg(alone).arg(kept)));
    }
  }

  /// The memory of a kept document counts as used, and makes way for the next text or is shared by its questions.
  void a_kept_pool_is_not_asked_for_twice() {
    Case c;
    const RunRequest prompt = c.request("full", 100);
    const std::int64_t tokens = std::int64_t{1} << 40;
    QCOMPARE(unlike(Fault::OutOfMemory, "this run", [&] { check_request(c.tiny.decoder, prompt, tokens); }), "");
    check_request(c.tiny.decoder, prompt, tokens, std::int64_t{1} << 60);
  }

  void tokens_that_are_to_be_written_are_asked_for_too() {
    Case c;
    const RunRequest prompt = c.request("full", 100);
    check_request(c.tiny.decoder, prompt, 1000);
    try {
      check_request(c.tiny.decoder, prompt, std::int64_t{1} << 40);
      QFAIL("a cache of a million million tokens was let through");
    } catch (const EngineError& error) {
      QCOMPARE(error.fault(), Fault::OutOfMemory);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MemoryPlanTest>};
#include "memory_plan_test.moc"
