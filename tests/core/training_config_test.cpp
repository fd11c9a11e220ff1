// SPDX-License-Identifier: GPL-3.0-or-later
// Training's settings, records and forecast: JSON and back, refusals by name, schedules.
#include "engine/config/training_config.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/config_fields.h"
#include "engine/config/training_fields.h"
#include "engine/cost/training_cost.h"
#include "engine/families/weight_rows.h"
#include "engine/training/records/training_values.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using carryover::test::unlike;
using nlohmann::json;

namespace {

TrainingConfig changed(const json& fields) {
  TrainingConfig config;
  for (const auto& [key, value] : fields.items())
    if (!update_field(config, key, value, "run.json")) throw std::runtime_error("unknown: " + key);
  return config;
}

std::string refusal(const json& fields, const std::string& part) {
  return unlike(Fault::BadInput, part, [&] { changed(fields).validate(test::tiny_config(), "run.json"); });
}

/// Every field away from its default.
TrainingConfig unusual(std::mt19937& random) {
  TrainingConfig config;
  config.max_steps = 1 + random() % 1000;
  config.micro_batch_size = 1 + random() % 8;
  config.gradient_accumulation_steps = 1 + random() % 8;
  config.train_segments = 1 + random() % 6;
  config.learning_rate = 1e-6 * (1 + random() % 1000);
  config.lr_scheduler_type = LrSchedule::Cosine;
  config.warmup_steps = random() % 50;
  config.weight_decay = 0.01 * (random() % 10);
  config.adam_beta1 = 0.5;
  config.adam_beta2 = 0.75;
  config.adam_epsilon = 1e-7;
  config.max_grad_norm = random() % 3;
  config.distillation = 0.125 * static_cast<double>(1 + random() % 8);
  config.recall_samples = static_cast<std::int64_t>(random() % 4);
  config.recall_segments = 2 + static_cast<std::int64_t>(random() % 60);
  config.recall_weight = 0.5 * static_cast<double>(1 + random() % 30);
  config.gradient_checkpointing = false;
  config.seed = (std::uint64_t{1} << 63) + random();
  config.validation_fraction = 0.25;
  config.eval_steps = random() % 20;
  config.eval_lengths = {2, 1 + static_cast<std::int64_t>(1 + random() % 4096)};
  config.save_steps = random() % 20;
  config.save_total_limit = 1 + random() % 5;
  config.on_alert = AlertPolicy::Stop;
  config.spike_factor = 2.5;
  config.lora = {static_cast<std::int64_t>(1 + random() % 32), 24, 0.125, true, {"down_proj", "q_proj"}};
  return config;
}

StepRecord some_step() {
  StepRecord record;
  record.step = 7;
  record.tokens = 7168;
  record.targets = 1022;
  record.loss = 3.25;
  record.segment_loss = {3.5, 3.0};
  record.learning_rate = 1e-4;
  record.gradient_norm = 0.75;
  record.reach = {{0, 1, 1, 0.5}, {1, 2, 3, 0.25}};
  record.tokens_per_second = 512;
  record.seconds = 2;
  record.skipped = true;
  record.memory.graph = 99;
  return record;
}

}  // namespace

class TrainingConfigTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void defaults_are_valid();
  void each_row_is_a_field_of_json();
  void survives_json();
  void each_field_is_checked_data();
  void each_field_is_checked();
  void wrong_types_are_refused_by_name();
  void unknown_names_are_left_to_others();
  void warm_up_rises_and_then_stays();
  void cosine_falls_to_nothing();
  void adapters_scale();
  void records_survive_json();
  void what_is_no_number_is_null();
  void nearest_names();
  void adapters_are_counted_tensor_by_tensor();
  void forecast_counts_what_training_adds();
  void forecast_of_graphs_stops_growing();
  void absurd_forecasts_do_not_wrap();
};

void TrainingConfigTest::defaults_are_valid() {
  TrainingConfig().validate(test::tiny_config(), "run.json");
  QCOMPARE(TrainingConfig().samples_per_step(), 8);
}

void TrainingConfigTest::each_row_is_a_field_of_json() {
  const json defaults = TrainingConfig();
  QCOMPARE(defaults.size(), training_fields().size());
  for (const TrainingField& field : training_fields()) {
    QVERIFY2(defaults.contains(field.key), field.key);
    QCOMPARE(find_training_field(field.key), &field);
    QVERIFY(!field.has_flag() ||
            (*field.flag.help != '\0' && (*field.flag.type == '\0') == (field.as<bool>() != nullptr)));
  }
  QVERIFY(find_training_field("no_such_field") == nullptr);
}

void TrainingConfigTest::survives_json() {
  std::mt19937 random(1);
  QVERIFY(changed(json(TrainingConfig())) == TrainingConfig());
  for (int i = 0; i < 100; ++i) {
    const TrainingConfig config = unusual(random);
    const json object = config;
    QVERIFY(changed(json::parse(object.dump())) == config);
    config.validate(test::tiny_config(), "run.json");
    const json defaults = TrainingConfig();
    for (const auto& [key, value] : defaults.items()) QVERIFY2(object.contains(key), key.c_str());
  }
}

void TrainingConfigTest::each_field_is_checked_data() {
  QTest::addColumn<QString>("fields");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, const char* fields, const char* part) {
    QTest::newRow(name) << QString(fields) << QString(part);
  };
  row("no step", R"({"max_steps": 0})", "max_steps is 0");
  row("absurd steps", R"({"max_steps": 1099511627776})", "max_steps is 1099511627776");
  row("empty micro-batch", R"({"micro_batch_size": 0})", "micro_batch_size is 0");
  row("no accumulation", R"({"gradient_accumulation_steps": -1})", "gradient_accumulation_steps is -1");
  row("no segment", R"({"train_segments": 0})", "train_segments is 0");
  row("no rate", R"({"learning_rate": 0})", "learning_rate is 0");
  row("negative rate", R"({"learning_rate": -1e-5})", "learning_rate is -1e-05");
  row("negative warm-up", R"({"warmup_steps": -1})", "warmup_steps is -1");
  row("negative decay", R"({"weight_decay": -0.5})", "weight_decay is -0.5");
  row("beta 1", R"({"adam_beta1": 1})", "adam_beta1 is 1");
  row("beta 2", R"({"adam_beta2": -0.25})", "adam_beta2 is -0.25");
  row("epsilon", R"({"adam_epsilon": 0})", "adam_epsilon is 0");
  row("clipping", R"({"max_grad_norm": -1})", "max_grad_norm is -1");
  row("negative distillation", R"({"distillation": -0.1})", "distillation is -0.1");
  row("recall of one segment", R"({"recall_segments": 1})", "recall_segments is 1");
  row("negative recall samples", R"({"recall_samples": -1})", "recall_samples is -1");
  row("recall without weight", R"({"recall_weight": 0})", "recall_weight is 0");
  row("distillation above one", R"({"distillation": 1.001})", "distillation is 1.001");
  row("everything held out", R"({"validation_fraction": 1})", "validation_fraction is 1");
  row("one token", R"({"eval_lengths": [1024, 1]})", "eval_lengths is 1");
  row("keep none", R"({"save_total_limit": 0})", "save_total_limit is 0");
  row("spike below", R"({"spike_factor": 0.5})", "spike_factor is 0.5");
  row("rank", R"({"lora_rank": -1})", "lora_rank is -1");
  row("rank above the width", R"({"lora_rank": 65})", "lora_rank is 65, above the model's width of 64");
  row("alpha", R"({"lora_alpha": 0})", "lora_alpha is 0");
  row("dropout", R"({"lora_dropout": 1})", "lora_dropout is 1");
  row("unknown module", R"({"lora_target_modules": ["q_proj", "lm_head"]})", "lora_target_modules names 'lm_head'");
  row("twice", R"({"lora_target_modules": ["q_proj", "q_proj"]})", "lora_target_modules names q_proj twice");
  row("no module", R"({"lora_rank": 4, "lora_target_modules": []})", "lora_target_modules is empty");
  row("schedule", R"({"lr_scheduler_type": "linear"})", "lr_scheduler_type is 'linear'");
  row("alert", R"({"on_alert": "panic"})", "on_alert is 'panic'");
  row("negative seed", R"({"seed": -1})", "seed is not a whole number of 0 or more");
}

void TrainingConfigTest::each_field_is_checked() {
  QFETCH(QString, fields);
  QFETCH(QString, part);
  const std::string wrong = refusal(json::parse(fields.toStdString()), "run.json: " + part.toStdString());
  QVERIFY2(wrong.empty(), wrong.c_str());
}

void TrainingConfigTest::wrong_types_are_refused_by_name() {
  const json defaults = TrainingConfig();
  for (const auto& [key, value] : defaults.items()) {
    const json other = value.is_string() ? json(1) : json{{"an", "object"}};
    const std::string wrong = refusal({{key, other}}, "run.json: " + key);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
}

void TrainingConfigTest::unknown_names_are_left_to_others() {
  TrainingConfig config;
  QVERIFY(!update_field(config, "segment_length", 512, "run.json"));
  QVERIFY(!update_field(config, "", 512, "run.json"));
  QVERIFY(config == TrainingConfig());
}

void TrainingConfigTest::warm_up_rises_and_then_stays() {
  TrainingConfig config;
  config.learning_rate = 0.5;
  config.warmup_steps = 10;
  for (int step = 0; step < 10; ++step) QCOMPARE(config.rate_at(step), 0.05 * (step + 1));
  for (int step = 10; step < 1000; step += 99) QCOMPARE(config.rate_at(step), 0.5);
  config.warmup_steps = 0;
  QCOMPARE(config.rate_at(0), 0.5);
}

void TrainingConfigTest::cosine_falls_to_nothing() {
  TrainingConfig config;
  config.learning_rate = 1;
  config.warmup_steps = 4;
  config.max_steps = 104;
  config.lr_scheduler_type = LrSchedule::Cosine;
  QCOMPARE(config.rate_at(4), 1.0);
  QVERIFY(std::abs(config.rate_at(54) - 0.5) < 1e-12);
  for (int step = 5; step < 104; ++step) QVERIFY(config.rate_at(step) < config.rate_at(step - 1));
  QVERIFY(config.rate_at(103) > 0 && config.rate_at(103) < 1e-3);
  QVERIFY(config.rate_at(1000) < 1e-12);  // past the end
  config.max_steps = 2;                   // all warm-up
  QCOMPARE(config.rate_at(1), 0.5);
}

void TrainingConfigTest::adapters_scale() {
  LoraConfig lora{16, 32, 0, false, {"q_proj"}};
  QCOMPARE(lora.scale(), 2.0);
  lora.rslora = true;
  QCOMPARE(lora.scale(), 8.0);
}

void TrainingConfigTest::records_survive_json() {
  const json step = some_step();
  QVERIFY(json(json::parse(step.dump()).get<StepRecord>()) == step);
  QVERIFY(step.at("reach").at(1) == json({{"transition", 1}, {"age", 2}, {"terms", 3}, {"norm", 0.25}}));
  const json validation = ValidationRecord{7, {{1024, 1023, 2.0}, {4096, 4095, 1.5}}};
  QVERIFY(json(json::parse(validation.dump()).get<ValidationRecord>()) == validation);
  QVERIFY(std::abs(validation.at("validation").at(0).at("ppl").get<double>() - std::exp(2.0)) < 1e-12);
  QVERIFY_THROWS_EXCEPTION(json::exception, validation.get<StepRecord>());
  QVERIFY(!step.contains("distillation_loss") && !step.get<StepRecord>().distillation_loss);
  StepRecord distilled = some_step();
  distilled.distillation_loss = 1.75;
  QVERIFY(json(distilled).get<StepRecord>().distillation_loss == 1.75);
  QVERIFY(!step.contains("recall_loss") && !json(distilled).get<StepRecord>().recall_loss);
  distilled.recall_loss = 0.25;
  QVERIFY(json(distilled).get<StepRecord>().recall_loss == 0.25);
  distilled.distillation_loss = std::numeric_limits<double>::quiet_NaN();
  QVERIFY(json(distilled).at("distillation_loss").is_null());
  QVERIFY(std::isnan(json(distilled).get<StepRecord>().distillation_loss.value()));
}

void TrainingConfigTest::what_is_no_number_is_null() {
  StepRecord record = some_step();
  record.loss = std::numeric_limits<double>::quiet_NaN();
  record.gradient_norm = std::numeric_limits<double>::infinity();
  record.segment_loss[1] = record.loss;
  const json object = record;
  QVERIFY(object.at("loss").is_null() && object.at("gradient_norm").is_null());
  const auto back = json::parse(object.dump()).get<StepRecord>();
  QVERIFY(std::isnan(back.loss) && std::isnan(back.gradient_norm) && std::isnan(back.segment_loss[1]));
  QCOMPARE(back.segment_loss[0], 3.5);
}

void TrainingConfigTest::nearest_names() {
  const std::vector<std::string> names{"learning_rate", "max_steps", "warmup_steps"};
  QCOMPARE(nearest_name("learning_rte", names), std::string("learning_rate"));
  QCOMPARE(nearest_name("lerning_rat", names), std::string("learning_rate"));
  QCOMPARE(nearest_name("maxsteps", names), std::string("max_steps"));
  QCOMPARE(nearest_name("colour", names), std::string());
  QCOMPARE(nearest_name("", names), std::string());
}

void TrainingConfigTest::adapters_are_counted_tensor_by_tensor() {
  const ModelConfig model = test::tiny_config();
  const LoraConfig lora{8, 16, 0, false, lora_modules_of(ModelConfig{})};
  std::int64_t expected = 0;
  for (const auto& [name, shape] : test::hf_tensor_shapes(model))
    for (const std::string& module : lora.target_modules)
      if (name.find("." + module + ".") != std::string::npos) expected += 8 * (shape[0] + shape[1]);
  QCOMPARE(lora_parameters(model, lora), expected);
  QVERIFY(expected > 0);
}

void TrainingConfigTest::forecast_counts_what_training_adds() {
  const ModelConfig model = test::tiny_config();
  const SegmentConfig config = SegmentConfig::defaults_for(model);
  TrainingConfig training;
  const TrainingCost full = training_cost(model, config, training, "segmented", 4);
  QCOMPARE(full.trainable_parameters, model.parameters());
  QCOMPARE(full.memory.weights, 4 * model.parameters());
  QCOMPARE(full.memory.gradients, 4 * model.parameters());
  QCOMPARE(full.memory.optimizer, 8 * model.parameters());
  const TrainingCost bf16 = training_cost(model, config, training, "segmented", 2);
  QCOMPARE(bf16.memory.weights, 2 * model.parameters());
  QCOMPARE(bf16.memory.gradients, 4 * model.parameters());
  QCOMPARE(bf16.memory.optimizer, 10 * model.parameters());
  training.lora.rank = 4;
  const TrainingCost lora = training_cost(model, config, training, "segmented", 4);
  QCOMPARE(lora.trainable_parameters, lora_parameters(model, training.lora));
  QCOMPARE(lora.memory.optimizer, 8 * lora.trainable_parameters);
  QVERIFY(lora.memory.graph < full.memory.graph);
  for (const TrainingCost& cost : {full, bf16, lora})
    QCOMPARE(cost.memory.device_peak,
             cost.memory.weights + cost.memory.gradients + cost.memory.optimizer + cost.memory.graph);
}

/// At most K + 1 graphs are alive, whatever the number of segments; beyond them the pool alone grows.
void TrainingConfigTest::forecast_of_graphs_stops_growing() {
  const ModelConfig model = test::tiny_config();
  SegmentConfig config = SegmentConfig::defaults_for(model);
  config.truncation_depth = 2;
  TrainingConfig training;
  training.gradient_checkpointing = false;
  std::vector<std::int64_t> graphs;
  for (std::int64_t segments = 1; segments <= 6; ++segments) {
    training.train_segments = segments;
    const MemoryBytes memory = training_cost(model, config, training, "segmented", 4).memory;
    graphs.push_back(memory.graph - memory.pool);
  }
  QVERIFY(graphs[0] < graphs[1] && graphs[1] < graphs[2]);
  for (std::size_t i = 3; i < graphs.size(); ++i) QCOMPARE(graphs[i], graphs[2]);
  const std::int64_t plain = training_cost(model, config, training, "full", 4).memory.graph;
  QVERIFY(plain > graphs[5]);
  training.gradient_checkpointing = true;
  QVERIFY(training_cost(model, config, training, "segmented", 4).memory.graph < graphs[5]);
}

void TrainingConfigTest::absurd_forecasts_do_not_wrap() {
  ModelConfig model = test::tiny_config();
  SegmentConfig config = SegmentConfig::defaults_for(model);
  config.segment_length = std::int64_t{1} << 40;
  config.truncation_depth = std::int64_t{1} << 20;
  for (const char* policy : {"segmented", "full"}) {
    const MemoryBytes memory = training_cost(model, config, {}, policy, 8).memory;
    QVERIFY(memory.graph > std::int64_t{1} << 60 && memory.device_peak >= memory.graph && memory.pool >= 0);
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TrainingConfigTest>};
#include "training_config_test.moc"
