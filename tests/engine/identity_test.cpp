// SPDX-License-Identifier: GPL-3.0-or-later
// What a session says that it computes with, and what others compute with that: after training, with damaged weights,
// and in replays.
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/io/corpus.h"
#include "engine/io/model_source.h"
#include "engine/io/run_id.h"
#include "engine/io/safetensors.h"
#include "engine/io/text_source.h"
#include "engine/io/tokenizer.h"
#include "engine/io/training_plan.h"
#include "engine/session.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

const std::string kDemo = std::string(CARRYOVER_SOURCE_DIR) + "/resources/demo";

struct Losses final : RunObserver {
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override { segments.push_back(snapshot); }
};

struct Watch final : TrainObserver {
  std::function<void(std::int64_t step)> after_step;
  std::vector<std::string> notes, checkpoints, alerts;
  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override {
    if (after_step) after_step(snapshot->record.step);
  }
  void noted(const std::string& text) override { notes.push_back(text); }
  void checkpoint_saved(std::int64_t, const std::string& folder) override { checkpoints.push_back(folder); }
  void alerted(const TrainingAlert& alert) override { alerts.push_back(alert.text); }
};

std::unique_ptr<Session> open(DType dtype, const std::string& path = kDemo, const std::string& adapter = {}) {
  ModelRequest request;
  request.path = path;
  request.dtype = dtype;
  request.device = Device::Cpu;
  request.threads = 1;
  request.adapter = adapter;
  return open_session(request, {});
}

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

}  // namespace

class IdentityTest : public QObject {
  Q_OBJECT

  std::vector<std::int32_t> text_;

  RunRequest request(std::int64_t tokens = 300) const {
    RunRequest run;
    run.ids = std::make_shared<const std::vector<std::int32_t>>(text_.begin(), text_.begin() + tokens);
    run.config.segment_length = 64;
    run.config.carry_length = 16;
    run.config.retrieval_length = 16;
    run.config.grouping = SegmentConfig::defaults_for(ModelSource::open(kDemo)->config()).grouping;
    return run;
  }

  static std::vector<std::shared_ptr<const SegmentSnapshot>> run(Session& session, const RunRequest& request) {
    Losses losses;
    RunControl control;
    session.run(request, losses, control);
    return losses.segments;
  }

  TrainRequest training(const std::string& output, std::int64_t steps, std::int64_t lora_rank) const {
    auto plan = std::make_shared<TrainingPlan>();
    plan->model = kDemo;
    plan->output_dir = output;
    plan->config = request().config;
    plan->training.max_steps = steps;
    plan->training.gradient_accumulation_steps = 1;
    plan->training.learning_rate = 1e-2;
    plan->training.warmup_steps = 0;
    plan->training.on_alert = AlertPolicy::Skip;
    plan->training.lora.rank = lora_rank;
    auto corpus = std::make_shared<Corpus>();
    corpus->train.push_back({"text", std::vector<std::int32_t>(text_.begin(), text_.begin() + 2000)});
    corpus->hash = "of the test";
    return {plan, corpus, false, false};
  }

  static TrainingSummary train(Session& session, const TrainRequest& request, std::int64_t stop_after = 0) {
    Watch watch;
    RunControl control;
    watch.after_step = [&](std::int64_t step) {
      if (step == stop_after) control.request_stop();
    };
    return session.train(request, watch, control);
  }

  /// Whether a session and one that opens what it names have the same identity, and compute the same to the last bit.
  void compare_with_a_fresh_one(Session& session) const {
    const ModelInfo& model = session.model();
    const auto fresh = open(model.dtype, model.path, model.adapter);
    QCOMPARE(fresh->model().weights_hash, model.weights_hash);
    QCOMPARE(fresh->model().config.name, model.config.name);
    QCOMPARE(run_id(fresh->model(), request()), run_id(model, request()));
    const auto here = run(session, request()), there = run(*fresh, request());
    QCOMPARE(here.size(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      QVERIFY(here[i]->target_nll == there[i]->target_nll);
      QVERIFY(here[i]->hits == there[i]->hits);
    }
    InspectRequest look{request(), 3, {}};
    look.parts.masses = true;
    RunControl control;
    QVERIFY(session.inspect(look, control).prefix_mass.values == fresh->inspect(look, control).prefix_mass.values);
  }

 private Q_SLOTS:
  void initTestCase() {
    text_ = Tokenizer::load(kDemo)->encode(read_text(kDemo + "/text.txt"));
    QVERIFY(text_.size() > 2500);
  }

  void after_training_it_is_what_the_written_folder_gives_data() {
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<int>("lora_rank");
    QTest::addColumn<int>("stop_after");
    for (const char* dtype : {"fp32", "bf16", "fp64"})
      for (const int rank : {0, 4})
        for (const int stop : {0, 2})
          QTest::addRow("%s, LoRA %d, stopped after %d", dtype, rank, stop) << QString(dtype) << rank << stop;
  }

  void after_training_it_is_what_the_written_folder_gives() {
    QFETCH(QString, dtype);
    QFETCH(int, lora_rank);
    QFETCH(int, stop_after);
    const TempDir temp;
    const auto session = open(parse_dtype(dtype.toStdString()));
    const ModelInfo before = session->model();
    QCOMPARE(before.trained_steps, 0);
    const auto base = run(*session, request());
    const TrainingSummary summary = train(*session, training(temp.file("run"), 4, lora_rank), stop_after);
    QCOMPARE(summary.stopped, stop_after > 0);
    const ModelInfo& after = session->model();
    const std::string folder = stop_after > 0 ? summary.checkpoint : summary.final_folder;
    QCOMPARE(after.path, lora_rank > 0 ? kDemo : folder);
    QCOMPARE(after.adapter, lora_rank > 0 ? folder : std::string());
    QCOMPARE(after.trained_steps, summary.steps);
    QCOMPARE(after.trained_in, temp.file("run"));
    QVERIFY(after.weights_hash != before.weights_hash);
    QVERIFY(run_id(after, request()) != run_id(before, request()));
    if (lora_rank > 0) QVERIFY(after.weights_hash.starts_with(before.weights_hash + "+"));
    compare_with_a_fresh_one(*session);
    QVERIFY(run(*session, request())[3]->target_nll != base[3]->target_nll);
  }

  void a_dry_run_and_a_refused_one_leave_it_as_it_was() {
    const TempDir temp;
    const auto session = open(DType::BFloat16);
    const auto before = run(*session, request());
    const std::string hash = session->model().weights_hash;
    for (const int rank : {0, 4}) {
      TrainRequest dry = training(temp.file("dry"), 4, rank);
      dry.dry_run = true;
      train(*session, dry);
      fs::create_directories(temp.file("used/final"));
      QVERIFY(error_of([&] { train(*session, training(temp.file("used"), 4, rank)); }).has_value());
      const ModelInfo& model = session->model();
      QVERIFY(model.weights_hash == hash && model.path == kDemo && model.adapter.empty() && model.trained_steps == 0);
      QVERIFY(run(*session, request())[4]->target_nll == before[4]->target_nll);
    }
  }

  /// It fails after a step and before anything is on the disk: what the steps changed is nowhere, and so not kept.
  void a_failed_training_that_wrote_nothing_leaves_the_weights_before_it() {
    const TempDir temp;
    const auto session = open(DType::Float32);
    const auto before = run(*session, request());
    TrainRequest failing = training(temp.file("run"), 4, 0);
    Watch watch;
    watch.after_step = [&](std::int64_t step) {
      if (step < 2) return;
      fs::remove_all(temp.file("run/checkpoints"));
      write_bytes(temp.file("run/checkpoints"), "no folder");
      throw EngineError(Fault::Io, "disk", "is gone");
    };
    RunControl control;
    QCOMPARE(unlike(Fault::Io, "is gone", [&] { session->train(failing, watch, control); }), std::string());
    QVERIFY(watch.checkpoints.empty());
    QCOMPARE(session->model().trained_steps, 0);
    QCOMPARE(session->model().path, kDemo);
    QVERIFY(run(*session, request())[4]->target_nll == before[4]->target_nll);
  }

  void a_second_training_goes_on_from_what_is_named() {
    const TempDir temp;
    const auto session = open(DType::Float32);
    train(*session, training(temp.file("adapter"), 2, 4));
    QCOMPARE(unlike(Fault::Usage, "is merged", [&] { train(*session, training(temp.file("again"), 2, 4)); }),
             std::string());
    QVERIFY(!fs::exists(temp.file("again")));
    train(*session, training(temp.file("all"), 2, 0));
    QCOMPARE(session->model().path, temp.file("all/final"));
    QVERIFY(session->model().adapter.empty());
    compare_with_a_fresh_one(*session);
    session->save(temp.file("saved"));
    QVERIFY(run(*open(DType::Float32, temp.file("saved")), request())[4]->target_nll ==
            run(*session, request())[4]->target_nll);
  }

  void an_adapter_is_resumed_over_its_own_base_only() {
    const TempDir temp;
    train(*open(DType::Float32), training(temp.file("run"), 4, 4), 2);
    const auto other = open(DType::Float32);
    train(*other, training(temp.file("other"), 1, 0));
    TrainRequest resume = training(temp.file("run"), 4, 4);
    resume.resume = true;
    const std::string hash = other->model().weights_hash;
    QCOMPARE(unlike(Fault::BadInput, hash, [&] { train(*other, resume); }), std::string());
    QCOMPARE(other->model().weights_hash, hash);
    const auto base = open(DType::Float32);
    QCOMPARE(train(*base, resume).steps, 4);
    compare_with_a_fresh_one(*base);
  }

  void the_adapters_scale_is_part_of_its_hash() {
    const TempDir temp;
    const auto session = open(DType::Float32);
    train(*session, training(temp.file("run"), 1, 4));
    const std::string config = temp.file("run/final/adapter_config.json");
    nlohmann::json fields = nlohmann::json::parse(read_bytes(config));
    fields["lora_alpha"] = 3.0;
    write_bytes(config, fields.dump());
    QVERIFY(open(DType::Float32, kDemo, temp.file("run/final"))->model().weights_hash != session->model().weights_hash);
  }

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

  /// Finite weights whose products overflow: nothing is recorded that could not be read again.
  void a_loss_that_is_not_finite_ends_the_run() {
    const TempDir temp;
    const ModelConfig config = tiny_config(2, 2, 1, 8, 32);
    auto weights = random_weights(config, 1);
    for (float& value : weights.at("lm_head.weight")) value *= 1e30f;
    for (float& value : weights.at("model.norm.weight")) value *= 1e30f;
    const auto session = open(DType::Float32, write_tiny_model(temp.path() / "model", config, weights));
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
                            generate, [](std::int32_t) { return true; }, control);
                      }),
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
    const std::string hash = session->model().weights_hash;
    damage(path, tensor.toStdString(), Damage::Bit);
    QCOMPARE(unlike(Fault::BadInput, path + ": is damaged", [&] { train(*session, resume); }), std::string());
    QCOMPARE(session->model().weights_hash, hash);
    compare_with_a_fresh_one(*session);

    fs::remove(folder + "/checksums.json");  // as older versions wrote it
    write_bytes(path, whole);
    damage(path, tensor.toStdString(), Damage::NotANumber);
    QCOMPARE(unlike(Fault::BadInput, "the tensor " + tensor.toStdString() + " has a value that is not finite",
                    [&] { train(*session, resume); }),
             std::string());
    QVERIFY(!fs::exists(temp.file("run/final")));
    compare_with_a_fresh_one(*session);

    write_bytes(path, whole);
    Watch watch;
    RunControl control;
    QCOMPARE(session->train(resume, watch, control).steps, 4);
    QVERIFY(watch.notes.size() == 1 && watch.notes[0].find("no checksums") != std::string::npos);
  }

  void a_replay_of_other_weights_is_refused() {
    const auto session = open(DType::Float32);
    const auto segments = run(*session, request());
    const RecordedSegment record{session->model().weights_hash, DType::Float32, segments[3]->target_nll,
                                 segments[3]->hits};
    RunControl control;
    const auto replay = [&](const RecordedSegment& expected) {
      WhatIfRequest what_if{request(), 3, {SegmentEdit{}}, expected};
      session->what_if(
          what_if, [](std::size_t, const WhatIfOutcome&) {}, control);
      InspectRequest look{request(), 3, {}, expected};
      look.parts.masses = true;
      session->inspect(look, control);
    };
    replay(record);
    const auto refusal = [&](auto change, Fault fault, const std::string& part) {
      RecordedSegment other = record;
      change(other);
      std::string problems = unlike(fault, part, [&] { replay(other); });
      InspectRequest look{request(), 3, {}, other};
      look.parts.masses = true;
      return problems + unlike(fault, part, [&] { session->inspect(look, control); });
    };
    QCOMPARE(refusal([](RecordedSegment& r) { r.weights_hash = "0123456789abcdef"; }, Fault::Usage,
                     "0123456789abcdef, and the open model's are " + record.weights_hash),
             std::string());
    QCOMPARE(refusal([](RecordedSegment& r) { r.dtype = DType::BFloat16; }, Fault::Usage, "made in bf16"),
             std::string());
    QCOMPARE(refusal(
                 [](RecordedSegment& r) {
                   for (float& nll : r.target_nll) nll += 0.01f;
                 },
                 Fault::BadInput, "losses differ by 0.01"),
             std::string());
    QCOMPARE(refusal([](RecordedSegment& r) { r.target_nll[5] = std::nanf(""); }, Fault::BadInput, "losses differ"),
             std::string());
    QCOMPARE(refusal([](RecordedSegment& r) { r.target_nll.pop_back(); }, Fault::BadInput, "losses, and the record"),
             std::string());
    QCOMPARE(refusal(
                 [](RecordedSegment& r) {
                   for (Hit& hit : r.hits[0].hits) hit.position += 40;
                 },
                 Fault::BadInput, "retrieved positions are others"),
             std::string());
  }

  /// The bounds are above what rounding does: other threads here, and all of a dtype's rounding (its losses and hits
  /// beside those of fp64) for what another processor may do.
  void a_replay_may_round_otherwise_data() {
    QTest::addColumn<QString>("dtype");
    for (const char* dtype : {"fp32", "bf16", "q8"}) QTest::newRow(dtype) << QString(dtype);
  }

  void a_replay_may_round_otherwise() {
    QFETCH(QString, dtype);
    const auto exact = open(dtype == "fp32" ? DType::Float64 : DType::Float32);
    const auto rounded = open(parse_dtype(dtype.toStdString()));
    const auto recorded = run(*exact, request(1500));
    RunControl control;
    for (std::size_t segment = 0; segment < recorded.size(); ++segment) {
      InspectRequest look{request(1500), static_cast<std::int64_t>(segment), {}};
      look.record = {rounded->model().weights_hash, rounded->model().dtype, recorded[segment]->target_nll,
                     recorded[segment]->hits};
      look.parts.masses = true;
      const auto error = error_of([&] { rounded->inspect(look, control); });
      QVERIFY2(!error, error ? error->what() : "");
    }
  }
};

QTEST_APPLESS_MAIN(IdentityTest)
#include "identity_test.moc"
