// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of finished cells, from folders whose sums can be worked out by hand.
#include "engine/campaigns/experiments/experiment_results.h"

#include <QTest>
#include <cmath>
#include <filesystem>

#include "engine/runs/values/snapshot_check.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/test_program.h"
#include "tests/support/training_records.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

SegmentConfig config_of_32() {
  SegmentConfig config = SegmentConfig::defaults_for(tiny_config());
  config.segment_length = 32;
  config.carry_length = 8;
  return config;
}

/// A token that predicts nothing: the text's last one, and without cross_boundary_target each segment's.
bool predicts(const SegmentConfig& config, std::int64_t place, std::int64_t tokens) {
  return place + 1 < tokens && (config.cross_boundary_target || (place + 1) % config.segment_length != 0);
}

/// Returns the numbers of a run of 96 tokens, with a BOS before them if the settings have one. loss: of the target that
/// a place predicts.
json numbers_of_run(const SegmentConfig& config, float (*loss)(std::int64_t place)) {
  const TempDir temp;
  const std::int64_t tokens = config.bos ? 97 : 96;
  EvaluationCell cell;
  cell.inputs = {{"kind", "evaluation"}};
  cell.settings.config = config;
  cell.settings.dtype = DType::Float32;
  cell.lengths = {64, 96};
  begin_cell(temp.file("cell"), cell.inputs);
  RunDescription run = run_description();
  run.request.config = config;
  run.request.ids = std::make_shared<const std::vector<std::int32_t>>(tokens, 7);
  RunFolder folder(temp.file("cell"), run, false);
  RunSummary summary;
  for (SegmentPlace at; at.first_token < tokens;) {
    SegmentSnapshot segment;
    segment.record.index = at.index;
    segment.record.first_token = at.first_token;
    segment.record.length = std::min(config.segment_length, tokens - at.first_token);
    for (std::int64_t place = at.first_token; place < at.first_token + segment.record.length; ++place)
      if (predicts(config, place, tokens)) segment.target_nll.push_back(loss(place));
    segment.record.targets = std::ssize(segment.target_nll);
    folder.append(segment);
    summary.add(segment.record);
    at = at.after(segment.record);
  }
  folder.finish(summary);
  return evaluation_numbers(temp.file("cell"), cell, {"tiny", "tiny", "0123456789abcdef", tiny_config()});
}

float place_itself(std::int64_t place) {
  return static_cast<float>(place);
}

}  // namespace

class ExperimentResultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void losses_stand_at_their_tokens_data();
  void losses_stand_at_their_tokens();
  void a_run_without_numbers_has_none();
  void steps_that_were_left_out_are_no_losses();
};

void ExperimentResultsTest::losses_stand_at_their_tokens_data() {
  QTest::addColumn<bool>("cross_boundary");
  QTest::addColumn<bool>("bos");
  QTest::newRow("every token") << true << false;
  QTest::newRow("inside segments") << false << false;
  QTest::newRow("behind a BOS") << true << true;
  QTest::newRow("behind a BOS, inside segments") << false << true;
}

void ExperimentResultsTest::losses_stand_at_their_tokens() {
  SegmentConfig config = config_of_32();
  QFETCH(bool, cross_boundary);
  QFETCH(bool, bos);
  config.cross_boundary_target = cross_boundary;
  config.bos = bos;
  const json numbers = numbers_of_run(config, place_itself);
  const std::int64_t tokens = bos ? 97 : 96;
  for (const json& length : numbers.at("lengths")) {
    const std::int64_t read = length.at("tokens").get<std::int64_t>() + (bos ? 1 : 0);
    std::int64_t targets = 0;
    double sum = 0;
    for (std::int64_t place = 0; place + 1 < read; ++place)
      if (predicts(config, place, tokens)) sum += static_cast<double>(place), ++targets;
    QCOMPARE(length.at("targets").get<std::int64_t>(), targets);
    QCOMPARE(length.at("nll_sum").get<double>(), sum);
    if (!cross_boundary && !bos) QCOMPARE(targets, read / 32 * 31);
  }
  QCOMPARE(numbers.at("lengths").back().at("targets"), numbers.at("targets"));
  for (std::size_t i = 0; i < numbers.at("segments").size(); ++i) {
    double sum = 0;
    for (auto place = static_cast<std::int64_t>(32 * i); place < static_cast<std::int64_t>(32 * i + 32); ++place)
      if (predicts(config, place, tokens)) sum += static_cast<double>(place);
    QCOMPARE(numbers.at("segments").at(i).at(1).get<double>(), sum);
  }
  // At offset 0 from the second segment on: places 32 and 64, and the last token behind a BOS predicts nothing.
  QVERIFY(numbers.at("offsets").at(0) == json::array({0, 2, 96.0}));
}

void ExperimentResultsTest::a_run_without_numbers_has_none() {
  const auto diverged = [](std::int64_t place) { return place == 50 ? std::nanf("") : 1.0F; };
  QCOMPARE(unlike(Fault::BadInput, "are not numbers", [&] { numbers_of_run(config_of_32(), diverged); }), "");
}

/// Their losses may be null in metrics.jsonl. A tenth of nothing else has no mean.
void ExperimentResultsTest::steps_that_were_left_out_are_no_losses() {
  const TempDir temp;
  TrainingCell cell;
  cell.plan = training_plan_in(temp);
  cell.plan.training.max_steps = 20;
  cell.inputs = {{"kind", "training"}};
  begin_cell(cell.plan.output_dir, cell.inputs);
  {
    TrainingFolder folder = TrainingFolder::create(cell.plan, json::object());
    for (std::int64_t step = 1; step <= 20; ++step) {
      StepRecord record;
      record.step = step;
      record.loss = static_cast<double>(step);
      record.skipped = step == 4 || step >= 19;
      if (record.skipped) record.loss = step == 19 ? 1000 : std::nan("");
      folder.append(record);
    }
  }
  std::filesystem::create_directory(cell.plan.output_dir + "/final");
  const std::string metrics = read_bytes(cell.plan.output_dir + "/metrics.jsonl");
  QVERIFY(metrics.find("\"loss\":null") != std::string::npos);
  const json numbers = training_numbers(cell);
  QCOMPARE(numbers.at("skipped_steps").get<int>(), 3);
  const json& losses = numbers.at("losses");
  QCOMPARE(losses.size(), 9U);
  QVERIFY(losses.at(1) == json::array({4, 3.0}) && losses.back() == json::array({18, 17.5}));
}

static const carryover::test::TestFile these_tests{__FILE__,
                                                   carryover::test::without_application<ExperimentResultsTest>};
#include "experiment_results_test.moc"
