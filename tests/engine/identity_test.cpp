// SPDX-License-Identifier: GPL-3.0-or-later
// The weights that a session names after training, and the results that others compute with those.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/runs/records/run_id.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/demo_session.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using namespace carryover::test::demo;
namespace fs = std::filesystem;

namespace {

/// Checks that a session and one that opens what it names have the same identity, and compute the same to the last bit.
void compare_with_a_fresh_one(Session& session) {
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

}  // namespace

class IdentityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
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

  /// A stop may come between a step and its validation: whoever continues makes up for it.
  void a_stopped_run_has_the_validations_of_a_whole_one() {
    const TempDir temp;
    const auto request_in = [&](const std::string& folder) {
      TrainRequest request = training(temp.file(folder), 4, 0);
      auto plan = std::make_shared<TrainingPlan>(*request.plan);
      plan->training.eval_steps = 2;
      plan->training.eval_lengths = {128};
      auto corpus = std::make_shared<Corpus>(*request.corpus);
      corpus->held_out.push_back({"held out", {demo_ids().begin() + 2000, demo_ids().begin() + 2600}});
      return TrainRequest{plan, corpus, false, false};
    };
    const auto validations = [&](const std::string& folder) {
      const auto all = read_training_folder(temp.file(folder)).validations;
      return nlohmann::json(std::vector<nlohmann::json>(all.begin(), all.end()));
    };
    train(*open(DType::Float32), request_in("whole"));
    QCOMPARE(validations("whole").size(), std::size_t{2});
    for (const int stop : {2, 3, 4}) {
      const std::string folder = "stopped after " + std::to_string(stop);
      const auto session = open(DType::Float32);
      QVERIFY(train(*session, request_in(folder), stop).stopped);
      QCOMPARE(validations(folder).size(), std::size_t{stop == 3 ? 1u : static_cast<unsigned>(stop / 2 - 1)});
      TrainRequest resume = request_in(folder);
      resume.resume = true;
      train(*open(DType::Float32), resume);
      QVERIFY2(validations(folder) == validations("whole"), folder.c_str());
    }
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
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<IdentityTest>};
#include "identity_test.moc"
