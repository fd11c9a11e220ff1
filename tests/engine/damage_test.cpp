// SPDX-License-Identifier: GPL-3.0-or-later
// Weights, adapters, checkpoints and losses that are damaged or not finite: refused by name, and nothing is lost.
#include <QTest>

#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "engine/formats/safetensors.h"
#include "tests/support/demo_session.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;
using namespace carryover::test::demo;
namespace fs = std::filesystem;

namespace {

/// Flips a bit in the data of one tensor, or makes its middle value NaN.
enum class Damage { Bit, NotANumber };
void damage(const std::string& file, const std::string& tensor, Damage kind) {
  std::string bytes = read_bytes(file);
  const SafetensorsFile parsed = SafetensorsFile::parse(std::as_bytes(std::span(bytes)), file);
  const SafetensorsTensor* found = parsed.find(tensor);
  if (found == nullptr) throw std::runtime_error(file + " has no " + tensor);
  const std::size_t width = found->dtype == "F32" ? 4 : 2;
  const std::size_t at = static_cast<std::size_t>(found->data.data() - std::as_bytes(std::span(bytes)).data()) +
                         found->data.size() / 2 / width * width;
  if (kind == Damage::Bit) {
    bytes[at] ^= 1;
  } else {
    for (std::size_t i = 0; i < width; ++i)
      bytes[at + i] = static_cast<char>(i + 2 < width ? 0 : i + 1 < width ? 0xc0 : 0x7f);
  }
  write_bytes(file, bytes);
}

/// Returns a session with a model some of whose weights are multiplied: they are finite, but results computed with them
/// are not.
std::unique_ptr<Session> overflowing(const TempDir& temp, const ModelConfig& config,
                                     const std::vector<std::string>& names, float factor) {
  auto weights = random_weights(config, 1);
  for (const std::string& name : names)
    for (float& value : weights.at(name)) value *= factor;
  return open(DType::Float32, write_tiny_model(temp.path() / "model", config, weights));
}

}  // namespace

class DamageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void weights_that_are_not_finite_are_refused_by_name() {
    const TempDir temp;
    const ModelConfig config = tiny_config(2, 2, 1, 8, 32);
    for (const char* dtype : {"F32", "BF16"})
      for (const char* tensor : {"model.layers.1.mlp.up_proj.weight", "model.norm.weight", "lm_head.weight"}) {
        const std::string path = write_tiny_model(temp.path() / "model", config, 1, {.dtype = dtype});
        open(DType::Float32, path);
        damage(path + "/model.safetensors", tensor, Damage::NotANumber);
        for (const DType as : {DType::Float32, DType::BFloat16, DType::Q8})
          QCOMPARE(unlike(Fault::BadInput, "the tensor " + std::string(tensor) + " has a value that is not finite",
                          [&] { open(as, path); }),
                   std::string());
      }
  }

  void an_adapter_that_is_not_finite_is_refused_by_name() {
    const TempDir temp;
    train(*open(DType::Float32), training(temp.file("run"), 1, 4));
    const std::string name = "base_model.model.model.layers.2.self_attn.v_proj.lora_B.weight";
    damage(temp.file("run/final/adapter_model.safetensors"), name, Damage::NotANumber);
    QCOMPARE(unlike(Fault::BadInput, name, [&] { open(DType::Float32, kDemo, temp.file("run/final")); }),
             std::string());
  }

  /// Finite weights whose matmuls overflow: nothing is recorded that could not be read again.
  void a_loss_that_is_not_finite_ends_the_run() {
    const TempDir temp;
    const ModelConfig config = tiny_config(2, 2, 1, 8, 32);
    const auto session = overflowing(temp, config, {"lm_head.weight", "model.norm.weight"}, 1e30f);
    RunRequest request;
    request.ids = std::make_shared<const std::vector<std::int32_t>>(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    request.config = SegmentConfig::defaults_for(config);
    Losses losses;
    RunControl control;
    QCOMPARE(unlike(Fault::BadInput, "segment 0: has a loss that is not finite",
                    [&] { session->run(request, losses, control); }),
             std::string());
    QVERIFY(losses.segments.empty());
    for (const double temperature : {0.0, 1.0}) {
      GenerateRequest generate;
      generate.prompt = {1, 2, 3};
      generate.config = request.config;
      generate.sampling.temperature = temperature;
      QCOMPARE(unlike(Fault::BadInput, "are not finite",
                      [&] {
                        session->generate(
                            generate, [](const GeneratedToken&) { return true; }, control);
                      }),
               std::string());
    }
    TrainRequest train = training(temp.file("run"), 1, 0);
    auto plan = std::make_shared<TrainingPlan>(*train.plan);
    plan->config = request.config;
    plan->config.segment_length = 4;
    plan->config.carry_length = plan->config.retrieval_length = 2;
    plan->training.on_alert = AlertPolicy::Stop;
    auto corpus = std::make_shared<Corpus>();
    corpus->train.push_back({"text", std::vector<std::int32_t>(40, 3)});
    Watch watch;
    error_of([&] { session->train({plan, corpus, false, false}, watch, control); });
    QVERIFY(!watch.alerts.empty() && watch.alerts[0].starts_with("The loss of segment 0 is not a number"));
  }

  /// Finite weights whose keys overflow: the search has nothing to go by, and says so before any loss.
  void a_search_among_keys_that_overflow_ends_the_run() {
    const TempDir temp;
    const ModelConfig config = tiny_config(2, 2, 1, 8, 32);
    const auto session = overflowing(
        temp, config, {"model.layers.1.self_attn.k_proj.weight", "model.layers.1.input_layernorm.weight"}, 1e38f);
    RunRequest request;
    request.ids = std::make_shared<const std::vector<std::int32_t>>(40, 3);
    request.config = recall_preset(config, SegmentConfig::defaults_for(config));
    request.config.segment_length = 8;
    request.config.carry_length = 2;
    request.config.retrieval_length = request.config.window_length = 4;
    request.config.search_heads = {{1, 0}};
    request.loss = false;
    for (const SearchBy search : {SearchBy::Shared, SearchBy::PerHead}) {
      request.config.search = search;
      Losses losses;
      RunControl control;
      QCOMPARE(unlike(Fault::BadInput, "the search: has keys or queries whose values overflow",
                      [&] { session->run(request, losses, control); }),
               std::string());
    }
  }

  void a_damaged_checkpoint_is_not_resumed_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("tensor");
    const QString weight = "model.layers.1.self_attn.q_proj.weight";
    QTest::newRow("weights") << "model.safetensors" << weight;
    QTest::newRow("moments") << "optimizer.safetensors" << weight + ".exp_avg";
    QTest::newRow("masters") << "optimizer.safetensors" << weight + ".master";
  }

  void a_damaged_checkpoint_is_not_resumed() {
    QFETCH(QString, file);
    QFETCH(QString, tensor);
    const TempDir temp;
    train(*open(DType::BFloat16), training(temp.file("run"), 4, 0), 2);
    const std::string folder = temp.file("run/checkpoints/step-2"), path = folder + "/" + file.toStdString();
    const std::string whole = read_bytes(path);
    TrainRequest resume = training(temp.file("run"), 4, 0);
    resume.resume = true;
    const auto session = open(DType::BFloat16);
    const auto before = run(*session, request());
    const std::string hash = session->model().weights_hash;
    damage(path, tensor.toStdString(), Damage::Bit);
    QCOMPARE(unlike(Fault::BadInput, path + ": is damaged", [&] { train(*session, resume); }), std::string());
    QCOMPARE(session->model().weights_hash, hash);

    fs::remove(folder + "/checksums.json");  // as older versions wrote it
    write_bytes(path, whole);
    damage(path, tensor.toStdString(), Damage::NotANumber);
    QCOMPARE(unlike(Fault::BadInput, "the tensor " + tensor.toStdString() + " has a value that is not finite",
                    [&] { train(*session, resume); }),
             std::string());
    QVERIFY(!fs::exists(temp.file("run/final")));
    QCOMPARE(session->model().weights_hash, hash);
    QVERIFY(run(*session, request())[4]->target_nll == before[4]->target_nll);

    write_bytes(path, whole);
    Watch watch;
    RunControl control;
    QCOMPARE(session->train(resume, watch, control).steps, 4);
    QVERIFY(watch.notes.size() == 1 && watch.notes[0].find("no checksums") != std::string::npos);
  }

  void weights_that_overflow_are_not_written() {
    const TempDir temp;
    const auto session = open(DType::Float32);
    const auto before = run(*session, request());
    TrainRequest wild = training(temp.file("run"), 2, 0);
    auto plan = std::make_shared<TrainingPlan>(*wild.plan);
    plan->training.learning_rate = 1e39;
    wild.plan = plan;
    QCOMPARE(unlike(Fault::BadInput, "has a value that is not finite", [&] { train(*session, wild); }), std::string());
    QVERIFY(fs::is_empty(temp.file("run/checkpoints")) && !fs::exists(temp.file("run/final")));
    QVERIFY(run(*session, request())[4]->target_nll == before[4]->target_nll);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DamageTest>};
#include "damage_test.moc"
