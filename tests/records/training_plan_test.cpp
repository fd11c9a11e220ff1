// SPDX-License-Identifier: GPL-3.0-or-later
// A training plan: one flat JSON object of every field, refused by name where it is wrong; presets.
#include "engine/training/records/training_plan.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/checkpoints/model_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

const std::string demo = demo_folder().string();

ModelConfig demo_config() {
  return ModelSource::open(demo)->config();
}

std::string refusal(json fields, const std::string& part) {
  if (!fields.contains("model")) fields["model"] = demo;
  return unlike(Fault::BadInput, part, [&] { plan_from_json(fields, "run.json").validate(demo_config(), "run.json"); });
}

}  // namespace

class TrainingPlanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void defaults_are_the_models();
  void survives_json();
  void a_whole_plan_needs_no_model_at_hand();
  void lone_texts_are_lists();
  void a_runs_environment_is_passed_over();
  void each_field_is_checked_data();
  void each_field_is_checked();
  void wrong_types_are_refused_by_name();
  void a_model_is_needed();
  void samples_have_their_length();
  void presets_are_valid_and_leave_no_traces();
};

void TrainingPlanTest::defaults_are_the_models() {
  const TrainingPlan plan = plan_from_json({{"model", demo}}, "run.json");
  QVERIFY(plan.config == SegmentConfig::defaults_for(demo_config()));
  QVERIFY(plan.training == TrainingConfig());
  QVERIFY(plan.text_field == "text" && plan.policy == "segmented" && plan.data.empty() && plan.output_dir.empty());
  plan.validate(demo_config(), "run.json");  // data and output are looked at where they are used
}

void TrainingPlanTest::survives_json() {
  TrainingPlan plan = plan_from_json({{"model", demo}}, "run.json");
  plan.data = {"a.txt", "b"};
  plan.text_field = "content";
  plan.output_dir = "out";
  plan.policy = "full";
  plan.dtype = DType::BFloat16;
  plan.device = Device::Cpu;
  plan.threads = 3;
  plan.config.segment_length = 96;
  plan.config.carry_length = 24;
  plan.config.anchors = 5;
  plan.config.grouping = Grouping({1, 3}, {{0}, {1}, {2}, {0, 7}});
  plan.training.max_steps = 12;
  plan.training.train_segments = 5;
  plan.training.lora.rank = 4;
  const json object = plan_json(plan);
  for (const auto& [key, value] : object.items()) QVERIFY2(!value.is_object(), key.c_str());  // flat
  const TrainingPlan back = plan_from_json(json::parse(object.dump()), "run.json");
  QVERIFY(plan_json(back) == object);
  QVERIFY(back.config == plan.config && back.training == plan.training && back.dtype == plan.dtype);
  const json defaults = plan_json({});
  QCOMPARE(object.size(), defaults.size());
}

/// A finished run is read where its model is not.
void TrainingPlanTest::a_whole_plan_needs_no_model_at_hand() {
  json object = plan_json(plan_from_json({{"model", demo}, {"segment_length", 48}, {"carry_length", 8}}, "run.json"));
  object["model"] = "/nowhere/model";
  QCOMPARE(plan_from_json(object, "run.json").config.segment_length, 48);
  object.erase("top_k");
  QVERIFY(error_of([&] { plan_from_json(object, "run.json"); }).has_value());
}

void TrainingPlanTest::lone_texts_are_lists() {
  const TrainingPlan plan = plan_from_json({{"model", demo}, {"data", "a"}, {"lora_target_modules", "q_proj"}}, "x");
  QVERIFY(plan.data == std::vector<std::string>{"a"});
  QVERIFY(plan.training.lora.target_modules == std::vector<std::string>{"q_proj"});
}

void TrainingPlanTest::a_runs_environment_is_passed_over() {
  json object = plan_json(plan_from_json({{"model", demo}}, "run.json"));
  const json plain = object;
  object["environment"] = {{"compiler", "c++"}};
  QVERIFY(plan_json(plan_from_json(object, "config.json")) == plain);
}

void TrainingPlanTest::each_field_is_checked_data() {
  QTest::addColumn<QString>("fields");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, const char* fields, const char* part) {
    QTest::newRow(name) << QString(fields) << QString(part);
  };
  row("unknown", R"({"colour": 1})", "colour is not a field of a training run");
  row("misspelt", R"({"learning_rte": 1})", "Do you mean learning_rate?");
  row("misspelt segment", R"({"segment_lenght": 1})", "Do you mean segment_length?");
  row("another trainer's", R"({"num_train_epochs": 1})", "num_train_epochs is not a field");
  row("policy", R"({"policy": "sparse"})", "policy is 'sparse'");
  row("dtype", R"({"dtype": "int8"})", "dtype is 'int8'");
  row("device", R"({"device": "tpu"})", "device is 'tpu'");
  row("threads", R"({"threads": -1})", "threads is -1");
  row("text field", R"({"text_field": ""})", "text_field is empty");
  row("carry", R"({"segment_length": 16, "carry_length": 17})", "carry_length is 17");
  row("K", R"({"truncation_depth": -1})", "truncation_depth is -1");
  row("rate", R"({"learning_rate": 0})", "learning_rate is 0");
  row("many segments", R"({"truncation_depth": 1048576})", "truncation_depth asks for 1048577 segments");
  row("one token", R"({"segment_length": 1, "carry_length": 0, "truncation_depth": 0})", "samples of one token");
  row("a head too many", R"({"long_range_layers": [1], "long_range_heads": [8]})", "run.json");
}

void TrainingPlanTest::each_field_is_checked() {
  QFETCH(QString, fields);
  QFETCH(QString, part);
  const std::string wrong = refusal(json::parse(fields.toStdString()), part.toStdString());
  QVERIFY2(wrong.empty(), wrong.c_str());
  const std::string unnamed = refusal(json::parse(fields.toStdString()), "run.json");
  QVERIFY2(unnamed.empty(), unnamed.c_str());
}

void TrainingPlanTest::wrong_types_are_refused_by_name() {
  const json defaults = plan_json({});
  for (const auto& [key, value] : defaults.items()) {
    const json other = value.is_string() ? json(1) : json{{"an", "object"}};
    const std::string wrong = refusal({{key, other}}, key == "rope" ? "rope" : "run.json: " + key);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  QVERIFY(unlike(Fault::BadInput, "is not a JSON object", [] { plan_from_json(json::array(), "run.json"); }).empty());
}

void TrainingPlanTest::a_model_is_needed() {
  const std::string wrong = unlike(Fault::BadInput, "run.json: names no model", [] {
    plan_from_json({{"max_steps", 3}}, "run.json");
  });
  QVERIFY2(wrong.empty(), wrong.c_str());
  const auto error = error_of([] { plan_from_json({{"model", "/nowhere"}}, "run.json"); });
  QVERIFY(error && std::string(error->what()).find("/nowhere") != std::string::npos);
}

void TrainingPlanTest::samples_have_their_length() {
  TrainingPlan plan = plan_from_json({{"model", demo}, {"segment_length", 100}, {"truncation_depth", 2}}, "x");
  QCOMPARE(plan.segments_per_sample(), 3);
  QCOMPARE(plan.tokens_per_sample(), 300);
  plan.training.train_segments = 8;
  QCOMPARE(plan.tokens_per_sample(), 800);
}

void TrainingPlanTest::presets_are_valid_and_leave_no_traces() {
  QCOMPARE(training_presets().size(), std::size_t{4});
  TrainingPlan plan = plan_from_json({{"model", demo}, {"data", "a"}, {"output_dir", "o"}}, "x");
  plan.config.grouping = Grouping({2}, {{3}});
  const TrainingPlan before = plan;
  for (const TrainingPreset& first : training_presets()) {
    for (const TrainingPreset& second : training_presets()) {
      TrainingPlan direct = before, detour = before;
      second.apply(direct);
      first.apply(detour);
      second.apply(detour);
      QVERIFY2(plan_json(direct) == plan_json(detour), (first.name + " then " + second.name).c_str());
      QVERIFY(direct.model == before.model && direct.data == before.data && direct.output_dir == "o");
      QVERIFY(direct.config.grouping == before.config.grouping);
      direct.validate(demo_config(), second.name);
    }
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TrainingPlanTest>};
#include "training_plan_test.moc"
