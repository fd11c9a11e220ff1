// SPDX-License-Identifier: GPL-3.0-or-later
// Recall samples: their answers' loss is that of generating them, their gradient that of what is run, and trainings
// with them are resumed bit for bit.
#include "engine/training/recall_gradient.h"

#include <QTest>

#include "engine/config/recall_preset.h"
#include "engine/data/recall_samples.h"
#include "engine/policies/prepared_run.h"
#include "engine/runs/generation.h"
#include "engine/runs/values/partition.h"
#include "engine/training/records/training_folder.h"
#include "engine/training/trainer.h"
#include "engine/training/validation.h"
#include "tests/support/demo_session.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSegment = 12, kVocabulary = 90;

/// Three needles in `segments` segments of random tokens; one of them is not asked for.
NeedleDocument random_document(std::mt19937& random, std::int64_t segments) {
  NeedleDocument document{random_ids(random, segments * kSegment, kVocabulary), {}};
  for (int i = 0; i < 3; ++i) {
    Needle& needle = document.needles.emplace_back();
    needle.question = random_ids(random, 4 + i, kVocabulary);
    needle.value = random_ids(random, 1 + i, kVocabulary);
    needle.asked = i != 1;
  }
  return document;
}

/// Returns settings under which every head reads what one search finds.
SegmentConfig recall_config(const ModelConfig& model, std::int64_t depth) {
  SegmentConfig config = recall_preset(model, {});
  config.segment_length = kSegment;
  config.carry_length = 5;
  config.sink_length = 2;
  config.retrieval_length = 6;
  config.window_length = 3;
  config.search_heads = {{0, 1}, {1, 2}};
  config.truncation_depth = depth;
  return config;
}

/// Returns Σ NLL of the answers that are asked for, as generate_text() computes it.
double generated_nll(const Decoder& decoder, const SegmentConfig& config, const NeedleDocument& document) {
  double sum = 0;
  for (const Needle& needle : document.needles) {
    if (!needle.asked) continue;
    GenerateRequest request;
    request.prompt = document.ids;
    request.prompt.insert(request.prompt.end(), needle.question.begin(), needle.question.end());
    request.question_length = std::ssize(needle.question);
    request.answer = needle.value;
    request.max_new_tokens = std::ssize(needle.value);
    request.logprobs = true;
    request.config = config;
    RunControl control;
    const GenerateResult result = generate_text(
        decoder, request, [](const GeneratedToken&) { return true; }, control, nullptr);
    for (const float logprob : result.logprobs) sum -= static_cast<double>(logprob);
  }
  return sum;
}

std::vector<at::Tensor> gradients_of(Decoder& decoder, const SegmentConfig& config, const NeedleDocument& document,
                                     double weight = 1, bool checkpointing = false) {
  TrainableParameters parameters(decoder);
  GradientSetup setup;
  setup.config = config;
  setup.checkpointing = checkpointing;
  add_recall_gradient(decoder, parameters, setup, document, weight);
  return parameters.take_gradients();
}

/// d/dε of `loss` at θ + ε·direction, by central differences.
template <typename Loss>
double slope(Decoder& decoder, const std::vector<at::Tensor>& direction, const Loss& loss) {
  constexpr double kStep = 1e-6;
  const at::NoGradGuard no_gradients;
  const auto at_step = [&](double step) {
    std::vector<at::Tensor> leaves = TrainableParameters(decoder).leaves();
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i].detach().add_(direction[i], step);
    const double value = loss();
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i].detach().sub_(direction[i], step);
    return value;
  };
  return (at_step(kStep) - at_step(-kStep)) / (2 * kStep);
}

std::vector<at::Tensor> random_direction(Decoder& decoder) {
  std::vector<at::Tensor> direction;
  for (const at::Tensor& leaf : TrainableParameters(decoder).leaves()) direction.push_back(0.1 * at::randn_like(leaf));
  return direction;
}

double product(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] * b[i]).sum().item<double>();
  return sum;
}

bool close_to(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
}

/// A training of the demo with recall samples.
TrainRequest with_recall(const std::string& output, std::int64_t steps, std::int64_t rank, std::int64_t samples = 1) {
  TrainRequest request = demo::training(output, steps, rank);
  auto plan = std::make_shared<TrainingPlan>(*request.plan);
  plan->config.question_pass = true;
  plan->training.recall_samples = samples;
  plan->training.recall_segments = 8;
  request.plan = plan;
  return request;
}

std::string trained_weights(const std::string& folder) {
  const fs::path model = fs::path(folder) / "final/model.safetensors";
  return read_bytes(fs::exists(model) ? model : fs::path(folder) / "final/adapter_model.safetensors");
}

}  // namespace

class RecallGradientTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::manual_seed(17); }

  void the_loss_is_that_of_generating_the_answers() {
    std::mt19937 random(1);
    TinyDecoder tiny(tiny_config(3, 4, 2, 8, kVocabulary), 2, at::kDouble);
    const NeedleDocument document = random_document(random, 5);
    for (const bool question_pass : {true, false})
      for (const std::int64_t retrieved : {0, 6}) {
        SegmentConfig config = recall_config(tiny.decoder.config, 1);
        config.question_pass = question_pass;
        config.retrieval_length = retrieved;
        TrainableParameters parameters(tiny.decoder);
        GradientSetup setup;
        setup.config = config;
        const RecallGradient sample = add_recall_gradient(tiny.decoder, parameters, setup, document, 3);
        QCOMPARE(sample.targets, 4);
        QCOMPARE(sample.tokens, 5 * kSegment + 4 + 6 + 2);
        const double expected = generated_nll(tiny.decoder, config, document);  // of log-probabilities in fp32
        QVERIFY2(std::abs(sample.nll_sum - expected) < 1e-5 * expected, qPrintable(QString::number(expected)));
      }
  }

  /// If truncation cuts nothing and nothing is retrieved, the gradient is that of the loss as a function of all
  /// weights.
  void gradients_through_the_carry_are_exact() {
    std::mt19937 random(3);
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, kVocabulary), 4, at::kDouble);
    const NeedleDocument document = random_document(random, 3);
    SegmentConfig config = recall_config(tiny.decoder.config, 3);
    config.retrieval_length = config.sink_length = 0;
    const auto direction = random_direction(tiny.decoder);
    const auto loss = [&] {
      TrainableParameters parameters(tiny.decoder);
      GradientSetup setup;
      setup.config = config;
      return add_recall_gradient(tiny.decoder, parameters, setup, document, 1).nll_sum;
    };
    const double expected = slope(tiny.decoder, direction, loss);
    QVERIFY(std::abs(expected) > 1e-3);
    QVERIFY(close_to(product(gradients_of(tiny.decoder, config, document), direction), expected));
    QVERIFY(close_to(product(gradients_of(tiny.decoder, config, document, 7), direction), 7 * expected));
    QVERIFY(close_to(product(gradients_of(tiny.decoder, config, document, 1, true), direction), expected));
    config.truncation_depth = 1;  // a cut is seen
    QVERIFY(!close_to(product(gradients_of(tiny.decoder, config, document), direction), expected));
  }

  /// At K = 0 the state behind the document is a constant: the gradient is that of the questions' segments alone,
  /// behind what their drafts found.
  void what_was_retrieved_is_a_constant() {
    std::mt19937 random(5);
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, kVocabulary), 6, at::kDouble);
    Decoder& decoder = tiny.decoder;
    const NeedleDocument document = random_document(random, 4);
    const SegmentConfig config = recall_config(decoder.config, 0);
    PreparedRun run(decoder, {"segmented", config, 5 * kSegment});
    const at::NoGradGuard no_gradients;
    for (std::int64_t i = 0; i < 4; ++i)
      run.runner().run_segment(ids_tensor(decoder, part_of(document.ids, i * kSegment, kSegment)));
    const auto behind = run.runner().take_state();
    const auto loss = [&] {
      double sum = 0;
      for (const Needle& needle : document.needles) {
        if (!needle.asked) continue;
        PreparedRun question(decoder, {"segmented", config, 5 * kSegment});
        question.runner().resume(behind->clone());
        question.runner().draft(ids_tensor(decoder, needle.question));
        std::vector<std::int32_t> ids = needle.question;
        ids.insert(ids.end(), needle.value.begin(), needle.value.end());
        const at::Tensor hidden = question.runner().peek_segment(ids_tensor(decoder, ids));
        const at::Tensor log_p = decoder.logits(hidden).log_softmax(1);
        for (std::size_t i = 0; i < needle.value.size(); ++i)
          sum -= log_p[static_cast<std::int64_t>(needle.question.size() + i) - 1][needle.value[i]].item<double>();
      }
      return sum;
    };
    const auto direction = random_direction(decoder);
    const double expected = slope(decoder, direction, loss);
    QVERIFY(std::abs(expected) > 1e-3);
    QVERIFY(close_to(product(gradients_of(decoder, config, document), direction), expected));
  }

  void a_question_longer_than_a_segment_is_refused() {
    std::mt19937 random(7);
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, kVocabulary), 8, at::kDouble);
    NeedleDocument document = random_document(random, 2);
    document.needles[0].question = random_ids(random, kSegment + 1, kVocabulary);
    const SegmentConfig config = recall_config(tiny.decoder.config, 1);
    QCOMPARE(unlike(Fault::BadInput, "a question of a recall sample has 13 tokens",
                    [&] { gradients_of(tiny.decoder, config, document); }),
             std::string());
  }

  void samples_follow_from_their_number() {
    const auto tokenizer = Tokenizer::load(demo::kDemo);
    const std::vector<Document> documents{{"a", {demo::demo_ids().begin(), demo::demo_ids().begin() + 700}},
                                          {"b", demo::demo_ids()}};
    TrainingConfig training;
    training.recall_segments = 16;
    SegmentConfig config;
    config.segment_length = 64;
    const RecallSamples samples(documents, *tokenizer, training, config),
        again(documents, *tokenizer, training, config);
    std::set<std::int64_t> segments;
    std::set<std::vector<std::int32_t>> texts;
    for (std::int64_t n = 0; n < 40; ++n) {
      const NeedleDocument sample = samples.sample(n);
      QCOMPARE(again.sample(n).ids, sample.ids);
      QVERIFY(!sample.needles.empty());
      for (const Needle& needle : sample.needles) QVERIFY(needle.asked);
      segments.insert(std::ssize(sample.ids) / 64);
      texts.insert(sample.ids);
    }
    QVERIFY((segments == std::set<std::int64_t>{2, 4, 8, 16}));
    QCOMPARE(texts.size(), std::size_t{40});
    training.seed = 43;
    QVERIFY(RecallSamples(documents, *tokenizer, training, config).sample(0).ids != samples.sample(0).ids);
    config.segment_length = 100000;
    QCOMPARE(unlike(Fault::BadInput, "has no text of two segments",
                    [&] { RecallSamples(documents, *tokenizer, training, config); }),
             std::string());
  }

  /// A model that wants BOS gets it before each sample, which stays as long; its needles move by one.
  void samples_begin_with_bos_where_the_settings_say_so() {
    const auto tokenizer = Tokenizer::load(demo::kDemo);
    const std::vector<Document> documents{{"b", demo::demo_ids()}};
    SegmentConfig config;
    config.segment_length = 64;
    config.bos = true;
    const NeedleDocument sample = RecallSamples(documents, *tokenizer, TrainingConfig{}, config).sample(3);
    QCOMPARE(sample.ids.front(), *tokenizer->bos());
    QCOMPARE(std::ssize(sample.ids) % 64, std::int64_t{0});
    for (const Needle& needle : sample.needles)
      QVERIFY(std::equal(needle.statement.begin(), needle.statement.end(), sample.ids.begin() + needle.position));
  }

  void training_and_validation_read_bos_first() {
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, 97), 3, at::kDouble);
    std::mt19937 random(5);
    const std::vector<std::int32_t> ids = random_ids(random, 61, 97);
    const auto step = [&](const std::vector<std::int32_t>& text, std::optional<std::int32_t> bos, bool wanted) {
      const auto plan = std::make_shared<TrainingPlan>();
      plan->config.segment_length = 20;
      plan->config.carry_length = 4;
      plan->config.bos = wanted;
      plan->training.gradient_accumulation_steps = 1;
      plan->training.train_segments = 3;
      const auto corpus = std::make_shared<Corpus>();
      corpus->train = corpus->held_out = {{"text", text}};
      corpus->bos = bos;
      struct Last final : TrainObserver {
        StepRecord record;
        void step_done(std::shared_ptr<const StepSnapshot> step) override { record = step->record; }
      } last;
      TrainingResult result;
      RunControl control;
      train_model(tiny.decoder, {}, {plan, corpus, false, /*dry_run=*/true}, last, control, result);
      const ValidationRecord held_out = validate_model(tiny.decoder, *plan, *corpus, 0, control);
      return std::pair(last.record.loss, held_out.lengths.front().nll_mean);
    };
    const std::vector<std::int32_t> text(ids.begin(), ids.begin() + 60);
    std::vector<std::int32_t> with_bos{7};
    with_bos.insert(with_bos.end(), text.begin(), text.end() - 1);
    QCOMPARE(step(text, 7, true), step(with_bos, {}, false));
    QCOMPARE(step(text, 7, false), step(text, {}, true));
    QVERIFY(step(text, 7, true) != step(text, 7, false));
  }

  void text_is_read_as_without_them_and_answers_are_learnt() {
    const TempDir temp;
    demo::train(*demo::open(DType::Float32), demo::training(temp.file("plain"), 8, 0));
    demo::train(*demo::open(DType::Float32), with_recall(temp.file("recall"), 8, 0));
    const auto plain = read_training_folder(temp.file("plain")).steps;
    const auto recall = read_training_folder(temp.file("recall")).steps;
    QCOMPARE(recall[0].loss, plain[0].loss);  // before the first update
    QCOMPARE(recall[0].targets, plain[0].targets);
    QVERIFY(recall[0].tokens > plain[0].tokens && !plain[0].recall_loss);
    QVERIFY(recall[0].gradient_norm != plain[0].gradient_norm && recall[1].loss != plain[1].loss);
    QVERIFY2(*recall[7].recall_loss < *recall[0].recall_loss, qPrintable(QString::number(*recall[7].recall_loss)));
  }

  void an_interrupted_training_equals_a_straight_one_data() {
    QTest::addColumn<int>("rank");
    for (const int rank : {0, 4}) QTest::addRow("LoRA %d", rank) << rank;
  }

  void an_interrupted_training_equals_a_straight_one() {
    QFETCH(int, rank);
    const TempDir temp;
    demo::train(*demo::open(DType::BFloat16), with_recall(temp.file("straight"), 4, rank, 2));
    TrainRequest request = with_recall(temp.file("run"), 4, rank, 2);
    QVERIFY(demo::train(*demo::open(DType::BFloat16), request, 2).stopped);
    request.resume = true;
    demo::train(*demo::open(DType::BFloat16), request);
    QVERIFY(trained_weights(temp.file("run")) == trained_weights(temp.file("straight")));
  }

  void full_attention_has_no_segments_to_ask_behind() {
    const TempDir temp;
    TrainRequest request = with_recall(temp.file("run"), 1, 0);
    auto plan = std::make_shared<TrainingPlan>(*request.plan);
    plan->policy = "full";
    request.plan = plan;
    QCOMPARE(unlike(Fault::BadInput, "recall_samples is 1 under full",
                    [&] { demo::train(*demo::open(DType::Float32), request); }),
             std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RecallGradientTest>};
#include "recall_gradient_test.moc"
