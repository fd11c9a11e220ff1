// SPDX-License-Identifier: GPL-3.0-or-later
// Distillation: the gradient of soft targets, the teacher that they are of, and trainings that are interrupted.
#include <torch/csrc/autograd/autograd.h>

#include <QTest>

#include "engine/method/segment_loss.h"
#include "engine/training/records/training_folder.h"
#include "engine/training/sample_gradient.h"
#include "engine/training/teacher.h"
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

/// Any k tokens of each of n targets.
ops::SoftTargets random_soft(std::int64_t n, std::int64_t k, std::int64_t vocabulary, double weight,
                             at::ScalarType type) {
  const at::Tensor ids = std::get<1>(at::rand({n, vocabulary}).topk(k, 1));
  return {ids, (3 * at::randn({n, k}, at::kDouble)).softmax(1).to(type), weight};
}

/// Segments of ten tokens, with a carry and without retrieval.
SegmentConfig short_segments() {
  SegmentConfig config;
  config.segment_length = 10;
  config.carry_length = 4;
  config.retrieval_length = 0;
  return config;
}

SampleGradient gradient_of(Decoder& decoder, const GradientSetup& setup, const std::vector<std::int32_t>& ids,
                           std::vector<at::Tensor>& gradients) {
  TrainableParameters parameters(decoder);
  SampleGradient sample = add_sample_gradient(decoder, parameters, setup, ids);
  gradients = parameters.take_gradients();
  return sample;
}

double norm_of(const std::vector<at::Tensor>& gradients) {
  double squares = 0;
  for (const at::Tensor& part : gradients) squares += part.square().sum().item<double>();
  return std::sqrt(squares);
}

/// A training of the demo that distils.
TrainRequest distilling(const std::string& output, std::int64_t steps, std::int64_t rank, double weight = 0.5) {
  TrainRequest request = demo::training(output, steps, rank);
  auto plan = std::make_shared<TrainingPlan>(*request.plan);
  plan->training.distillation = weight;
  request.plan = plan;
  return request;
}

TrainRequest resumed(TrainRequest request) {
  request.resume = true;
  return request;
}

std::string trained_weights(const std::string& folder) {
  const fs::path model = fs::path(folder) / "final/model.safetensors";
  return read_bytes(fs::exists(model) ? model : fs::path(folder) / "final/adapter_model.safetensors");
}

/// Returns the numbers of a run's steps that do not depend on the clock.
std::vector<std::vector<double>> numbers_of(const std::string& folder) {
  std::vector<std::vector<double>> numbers;
  for (const StepRecord& step : read_training_folder(folder).steps)
    numbers.push_back({step.loss, step.gradient_norm, step.distillation_loss.value_or(-1)});
  return numbers;
}

}  // namespace

class DistillationTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { at::manual_seed(11); }

  /// The vocabulary is so large that 80 targets take three blocks.
  void the_gradient_is_that_of_full_logits() {
    constexpr std::int64_t n = 80, vocabulary = 65536;
    TinyDecoder tiny(tiny_config(1, 2, 1, 4, vocabulary), 1, at::kDouble);
    Decoder& decoder = tiny.decoder;
    const at::Tensor hidden = at::randn({n, 8}, at::kDouble), targets = at::randint(vocabulary, {n}, at::kLong);
    for (const double weight : {0.25, 1.0}) {
      const ops::SoftTargets soft = random_soft(n, 64, vocabulary, weight, at::kDouble);
      LossGradient gradient{{}, at::zeros_like(decoder.weights.head), &soft};
      const at::Tensor nll = target_nll(decoder, hidden, targets, &gradient);
      LossGradient alone{{}, at::zeros_like(decoder.weights.head)};
      QVERIFY(nll.equal(target_nll(decoder, hidden, targets, &alone)));

      const at::Tensor x = hidden.clone().requires_grad_(), head = decoder.weights.head.clone().requires_grad_();
      const at::Tensor log_p = x.matmul(head.t()).log_softmax(1);
      const at::Tensor exact = -(soft.probabilities * log_p.gather(1, soft.ids)).sum(1);
      const at::Tensor sum = ((weight - 1) * log_p.gather(1, targets.unsqueeze(1)).squeeze(1) + weight * exact).sum();
      const auto expected = torch::autograd::grad({sum}, {x, head});
      QVERIFY(error(gradient.soft_loss, exact) < 1e-11);
      QVERIFY(error(gradient.hidden, expected[0]) < 1e-11);
      QVERIFY(error(gradient.head, expected[1]) < 1e-11);
    }
  }

  void weight_0_changes_no_bit() {
    constexpr std::int64_t n = 50, vocabulary = 3000;
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16}) {
      TinyDecoder tiny(tiny_config(1, 2, 1, 4, vocabulary), 1, type);
      const at::Tensor head = tiny.decoder.weights.head, hidden = at::randn({n, 8}).to(type);
      const at::Tensor targets = at::randint(vocabulary, {n}, at::kLong);
      const at::ScalarType wide = type == at::kDouble ? at::kDouble : at::kFloat;
      const ops::SoftTargets soft = random_soft(n, 64, vocabulary, 0, wide);
      LossGradient alone{{}, at::zeros(head.sizes(), wide)}, with{{}, at::zeros(head.sizes(), wide), &soft};
      QVERIFY(
          target_nll(tiny.decoder, hidden, targets, &alone).equal(target_nll(tiny.decoder, hidden, targets, &with)));
      QVERIFY(alone.hidden.equal(with.hidden) && alone.head.equal(with.head));
      QVERIFY(!alone.soft_loss.defined() && with.soft_loss.size(0) == n);
    }
  }

  /// With the whole vocabulary kept and one segment, the model is its own teacher: nothing is left to learn.
  void a_student_that_is_its_teacher_has_no_gradient() {
    for (const char* policy : {"full", "segmented"}) {
      std::mt19937 random(3);
      TinyDecoder tiny(tiny_config(2, 4, 2, 8, 40), 3, at::kDouble);
      const auto ids = random_ids(random, 60, 40);
      GradientSetup setup{policy, short_segments()};
      setup.config.segment_length = 60;
      std::vector<at::Tensor> without, with;
      gradient_of(tiny.decoder, setup, ids, without);
      const TeacherRows rows = teacher_rows(tiny.decoder, setup.config, ids, {});
      QVERIFY(rows.targets == 59 && rows.k == 40);
      setup.soft = soft_targets(tiny.decoder, rows, 1);
      const SampleGradient sample = gradient_of(tiny.decoder, setup, ids, with);
      const at::Tensor p = setup.soft->probabilities;
      QVERIFY(std::abs(sample.soft_loss_sum + (p * p.log()).sum().item<double>()) < 1e-5);
      QVERIFY(norm_of(without) > 1);
      QVERIFY2(norm_of(with) < 1e-5 * norm_of(without), qPrintable(QString::number(norm_of(with))));
    }
  }

  /// Each segment is held against its own rows of the teacher's, also where its last token has no target.
  void each_target_has_its_own_row() {
    std::mt19937 random(4);
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, 90), 4, at::kDouble);
    const auto ids = random_ids(random, 47, 90);
    const at::Tensor all = as_tensor(ids);
    for (const bool crosses : {true, false}) {
      GradientSetup setup{"segmented", short_segments()};
      setup.config.cross_boundary_target = crosses;
      setup.soft = random_soft(46, 64, 90, 0.5, at::kDouble);
      std::vector<at::Tensor> gradients;
      const SampleGradient sample = gradient_of(tiny.decoder, setup, ids, gradients);
      const at::NoGradGuard no_gradients;
      const at::Tensor hidden = run_hidden(tiny.decoder, "segmented", setup.config, ids).narrow(0, 0, 46);
      const at::Tensor log_p = tiny.decoder.logits(hidden).log_softmax(1);
      at::Tensor each = -(setup.soft->probabilities * log_p.gather(1, setup.soft->ids)).sum(1);
      if (!crosses)
        for (std::int64_t last = 9; last < 46; last += 10) each[last] = 0;
      QCOMPARE(sample.targets, crosses ? 46 : 42);
      QVERIFY(std::abs(sample.soft_loss_sum - each.sum().item<double>()) < 1e-9);
    }
  }

  void the_teacher_is_full_attention_without_the_adapter() {
    std::mt19937 random(5);
    TinyDecoder tiny(tiny_config(2, 4, 2, 8, 90), 5, at::kFloat);
    const auto ids = random_ids(random, 47, 90);
    const TeacherRows before = teacher_rows(tiny.decoder, short_segments(), ids, {});
    LoraConfig lora;
    lora.rank = 2;
    tiny.decoder.adapter = make_adapter(lora, tiny.decoder.config, tiny.decoder.options(), 1);
    for (LowRankUpdate* update : tiny.decoder.adapter.updates()) update->b.fill_(0.5);
    const TeacherRows with_adapter = teacher_rows(tiny.decoder, short_segments(), ids, {});
    QVERIFY(with_adapter.ids == before.ids && with_adapter.logits == before.logits);
    QVERIFY(!tiny.decoder.adapter.empty());
    tiny.decoder.adapter = {};
    const at::NoGradGuard no_gradients;
    SegmentConfig whole = short_segments();
    whole.segment_length = 47;
    const at::Tensor hidden = run_hidden(tiny.decoder, "full", whole, ids).narrow(0, 0, 46);
    const auto [largest, places] = tiny.decoder.logits(hidden).topk(64, 1);
    QVERIFY(before.targets == 46 && before.k == 64);
    QVERIFY(at::tensor(before.logits).view({46, 64}).equal(largest));
    QVERIFY(at::tensor(before.ids).view({46, 64}).equal(places.to(at::kInt)));
  }

  void the_loss_is_that_of_the_text() {
    const TempDir temp;
    demo::train(*demo::open(DType::Float32), demo::training(temp.file("plain"), 2, 0));
    demo::train(*demo::open(DType::Float32), distilling(temp.file("distilled"), 2, 0));
    const auto plain = numbers_of(temp.file("plain")), distilled = numbers_of(temp.file("distilled"));
    QCOMPARE(distilled[0][0], plain[0][0]);  // before the first update
    QVERIFY(distilled[0][1] != plain[0][1] && distilled[0][2] > 0 && plain[0][2] == -1);
    QVERIFY(distilled[1][0] != plain[1][0]);
    QVERIFY(!fs::exists(temp.file("plain/teacher.bin")));
    QVERIFY(fs::file_size(temp.file("distilled/teacher.bin")) > 2 * 127 * 512);
    QVERIFY(read_bytes(temp.file("plain/metrics.jsonl")).find("distillation") == std::string::npos);
  }

  /// A dry run asks the teacher for each sample in its turn, and its weights stay; a training whose rate is too small
  /// to move them reads the same from the file.
  void a_dry_run_says_what_the_file_says_and_writes_nothing() {
    const TempDir temp;
    for (const int rank : {0, 4}) {
      const std::string run = temp.file("run" + std::to_string(rank));
      struct Last final : TrainObserver {
        StepRecord record;
        void step_done(std::shared_ptr<const StepSnapshot> snapshot) override { record = snapshot->record; }
      } last;
      RunControl control;
      TrainRequest request = distilling(run, 2, rank);
      auto plan = std::make_shared<TrainingPlan>(*request.plan);
      plan->training.learning_rate = 1e-30;
      request.plan = plan;
      request.dry_run = true;
      demo::open(DType::Float32)->train(request, last, control);
      QVERIFY(last.record.step == 2 && last.record.distillation_loss.value_or(0) > 0);
      QVERIFY(!fs::exists(run));
      request.dry_run = false;
      demo::train(*demo::open(DType::Float32), request);
      QCOMPARE(numbers_of(run).at(1).at(2), *last.record.distillation_loss);
    }
  }

  void an_interrupted_training_equals_a_straight_one_data() {
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<int>("rank");
    for (const char* dtype : {"fp32", "bf16"})
      for (const int rank : {0, 4}) QTest::addRow("%s, LoRA %d", dtype, rank) << QString(dtype) << rank;
  }

  void an_interrupted_training_equals_a_straight_one() {
    QFETCH(QString, dtype);
    QFETCH(int, rank);
    const DType type = parse_dtype(dtype.toStdString());
    const TempDir temp;
    demo::train(*demo::open(type), distilling(temp.file("straight"), 4, rank));
    const TrainRequest request = distilling(temp.file("run"), 4, rank);
    auto session = demo::open(type);
    QVERIFY(demo::train(*session, request, 2).stopped);
    const std::string teacher = read_bytes(temp.file("run/teacher.bin"));
    if (rank > 0) session = demo::open(type);  // an adapter needs its base; else the weights are the first part's
    demo::train(*session, resumed(request));
    QVERIFY(trained_weights(temp.file("run")) == trained_weights(temp.file("straight")));
    QVERIFY(numbers_of(temp.file("run")) == numbers_of(temp.file("straight")));
    QVERIFY(teacher == read_bytes(temp.file("run/teacher.bin")) &&
            teacher == read_bytes(temp.file("straight/teacher.bin")));
  }

  /// Nothing is lost but the time; half a file is never there.
  void a_stop_while_the_teacher_reads_is_resumed() {
    const TempDir temp;
    demo::train(*demo::open(DType::Float32), distilling(temp.file("straight"), 3, 0));
    const TrainRequest request = distilling(temp.file("run"), 3, 0);
    const auto session = demo::open(DType::Float32);
    demo::Watch watch;
    RunControl control;
    double reached = 0;
    watch.while_preparing = [&](double fraction) {
      reached = fraction;
      if (fraction > 0.5) control.request_stop();
    };
    const TrainingSummary summary = session->train(request, watch, control);
    QVERIFY(summary.stopped && summary.steps == 0 && reached < 1);
    for (const auto& entry : fs::directory_iterator(temp.file("run")))
      QVERIFY2(entry.path().filename().string().find("teacher") == std::string::npos, entry.path().c_str());
    demo::train(*session, resumed(request));
    QVERIFY(trained_weights(temp.file("run")) == trained_weights(temp.file("straight")));
  }

  void a_lost_teacher_is_made_again_for_an_adapter_alone() {
    const TempDir temp;
    for (const int rank : {4, 0}) {
      const std::string run = temp.file("run" + std::to_string(rank)), teacher = run + "/teacher.bin";
      const TrainRequest request = distilling(run, 4, rank);
      const auto session = demo::open(DType::Float32);
      demo::train(*session, request, 2);
      const std::string whole = read_bytes(teacher);
      fs::remove(teacher);
      if (rank == 0) {
        QCOMPARE(unlike(Fault::BadInput, teacher + ": is missing", [&] { demo::train(*session, resumed(request)); }),
                 std::string());
        QVERIFY(!fs::exists(run + "/final"));
        write_bytes(teacher, whole);
      }
      const auto again = demo::open(DType::Float32);  // an adapter's own base
      demo::train(*again, resumed(request));
      QVERIFY(read_bytes(teacher) == whole && fs::exists(run + "/final"));
    }
  }

  void more_steps_need_the_teacher_once_more() {
    const TempDir temp;
    for (const int rank : {4, 0}) {
      const std::string run = temp.file("run" + std::to_string(rank));
      demo::train(*demo::open(DType::Float32), distilling(run, 2, rank));
      const auto go_on = [&] { demo::train(*demo::open(DType::Float32), resumed(distilling(run, 3, rank))); };
      if (rank == 0) {
        QCOMPARE(unlike(Fault::BadInput, "was written for fewer steps", go_on), std::string());
        continue;
      }
      go_on();
      demo::train(*demo::open(DType::Float32), distilling(temp.file("straight"), 3, rank));
      QVERIFY(trained_weights(run) == trained_weights(temp.file("straight")));
    }
  }

  void a_teacher_that_is_damaged_or_of_another_model_is_refused() {
    const TempDir temp;
    const std::string run = temp.file("run"), teacher = run + "/teacher.bin";
    const TrainRequest request = distilling(run, 4, 0);
    demo::train(*demo::open(DType::Float32), request, 2);
    const std::string whole = read_bytes(teacher);
    const auto refused = [&](const std::string& bytes, const std::string& part) {
      write_bytes(teacher, bytes);
      const auto go_on = [&] { demo::train(*demo::open(DType::Float32), resumed(request)); };
      QCOMPARE(unlike(Fault::BadInput, part, go_on), std::string());
      QVERIFY(!fs::exists(run + "/final"));
    };
    refused(whole.substr(0, whole.size() - 9), "has another size than its header says");
    refused("", "is not a teacher's file");
    std::string damaged = whole;
    damaged[whole.size() - 100] ^= 1;  // of the fourth sample
    refused(damaged, "sample 3 is damaged");
    std::string other = whole;
    const std::string hash = demo::open(DType::Float32)->model().weights_hash;
    other[other.find(hash)] ^= 1;
    refused(other, "is of the weights ");
    write_bytes(teacher, whole);
    demo::train(*demo::open(DType::Float32), resumed(request));
    QVERIFY(fs::exists(run + "/final"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DistillationTest>};
#include "distillation_test.moc"
