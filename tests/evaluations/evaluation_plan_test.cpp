// SPDX-License-Identifier: GPL-3.0-or-later
// evaluation.json gives back what was written, names what differs, and takes no crafted names into paths.
#include "engine/campaigns/evaluations/evaluation_plan.h"

#include <QTest>
#include <filesystem>
#include <functional>

#include "engine/formats/json_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

EvaluationPlan made_plan() {
  EvaluationPlan plan;
  plan.model = "/models/some model.gguf";
  plan.adapter = "/adapters/lora";
  plan.tasks = {"ruler/cwe", "ppl/disjoint", "file:/data/mine.jsonl"};
  plan.lengths = {4096, 8192};
  plan.policies = {"segmented", "segmented[sink_length=0,retrieval_length=0]", "full"};
  plan.samples = 200;
  plan.limit = 5;
  plan.seed = 18446744073709551615U;
  plan.data = {{"ppl", "/data/books"}};
  plan.chat = true;
  plan.question = QuestionPlace::Outside;
  plan.config.segment_length = 512;
  plan.config.sink_length = 4;
  plan.dtype = "bf16";
  plan.device = "cpu";
  start_plan(plan);
  plan.weights_hash = "0123456789abcdef";
  plan.loaded_dtype = "bf16";
  plan.loaded_device = "cpu";
  return plan;
}

using Change = std::function<void(EvaluationPlan&)>;

/// Everything that decides numbers, once each, by the key that a message has to name.
const std::vector<std::pair<std::string, Change>> kChanges{
    {"model", [](EvaluationPlan& plan) { plan.model += "x"; }},
    {"adapter", [](EvaluationPlan& plan) { plan.adapter.clear(); }},
    {"tasks", [](EvaluationPlan& plan) { plan.tasks.pop_back(); }},
    {"lengths",
     [](EvaluationPlan& plan) {
       plan.lengths = {8192, 4096};
     }},
    {"policies", [](EvaluationPlan& plan) { plan.policies = {"full"}; }},
    {"samples", [](EvaluationPlan& plan) { plan.samples = 0; }},
    {"limit", [](EvaluationPlan& plan) { plan.limit = 6; }},
    {"seed", [](EvaluationPlan& plan) { plan.seed = 1; }},
    {"data", [](EvaluationPlan& plan) { plan.data["ppl"] = "/data/other"; }},
    {"chat", [](EvaluationPlan& plan) { plan.chat = false; }},
    {"question", [](EvaluationPlan& plan) { plan.question = QuestionPlace::Inside; }},
    {"dtype", [](EvaluationPlan& plan) { plan.dtype = "fp32"; }},
    {"device", [](EvaluationPlan& plan) { plan.device = "cuda"; }},
    {"config.sink_length", [](EvaluationPlan& plan) { plan.config.sink_length = 0; }}};

}  // namespace

class EvaluationPlanTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_plan_comes_back() {
    const EvaluationPlan plan = made_plan();
    const json written = evaluation_json(plan),
               again = evaluation_json(plan_of(parse_json(written.dump(), "plan"), "plan"));
    QVERIFY(written == again);
    QCOMPARE(plan_difference(plan, plan_of(written, "plan")), std::string());
    QVERIFY(evaluation_json(plan_of(evaluation_json(EvaluationPlan(plan)), "plan")) == written);
  }

  void each_setting_makes_a_difference() {
    const EvaluationPlan plan = made_plan();
    for (const auto& [key, change] : kChanges) {
      EvaluationPlan other = plan;
      change(other);
      const std::string difference = plan_difference(plan, other);
      QVERIFY2(difference.starts_with(key + " is "), (key + ": " + difference).c_str());
      QCOMPARE(plan_difference(other, other), std::string());
    }
    EvaluationPlan later = plan;
    start_plan(later);
    later.weights_hash.clear();
    QCOMPARE(plan_difference(plan, later), std::string());
  }

  void a_folder_holds_one_evaluation() {
    const TempDir temp;
    EvaluationPlan asked = made_plan();
    asked.time.clear();
    const EvaluationPlan begun = begin_evaluation(temp.path(), asked);
    QVERIFY(begun.time.size() == 26 && begun.date > 1.7e9);
    const std::string written = read_bytes(plan_path(temp.path()));
    QCOMPARE(begin_evaluation(temp.path(), asked).time, begun.time);  // of the first start
    QCOMPARE(read_bytes(plan_path(temp.path())), written);
    for (const auto& [key, change] : kChanges) {
      EvaluationPlan other = asked;
      change(other);
      const std::string problem =
          unlike(Fault::Usage, "another evaluation: " + key, [&] { begin_evaluation(temp.path(), other); });
      QVERIFY2(problem.empty(), problem.c_str());
    }
  }

  void files_have_names_of_their_own() {
    QCOMPARE(cell_key("ruler/cwe", 4096), std::string("ruler_cwe_4096"));
    QCOMPARE(cell_key("file:/a/b/mine-1.jsonl", 0), std::string("file_mine_1_jsonl"));
    QCOMPARE(cell_title("file:/a/b/mine.jsonl", 8), std::string("file:mine.jsonl 8"));
    for (const auto& [path, name] : {std::pair("/a/SmolLM2-135M.Q8_0.gguf", "SmolLM2-135M.Q8_0"),
                                     {"/a/some model/", "some_model"},
                                     {"/a/..hidden", "model..hidden"},
                                     {"/hub/models--Qwen--Qwen3-0.6B/snapshots/0123abcd", "Qwen3-0.6B"},
                                     {"/", "model"}})
      QCOMPARE(evaluated_name(path), std::string(name));
    const EvaluationPlan plan = made_plan();
    QCOMPARE(results_path(plan, policy_folder(plan, "out", "full")),
             "out/some_model__full/results_" + plan.time + ".json");
    QCOMPARE(policy_folder(plan, "out", plan.policies[1]),
             std::string("out/some_model__segmented-sink_length=0,retrieval_length=0"));
    EvaluationPlan same = plan;
    same.tasks = {"file:/a/x.jsonl", "file:/b/x.jsonl"};
    QVERIFY(unlike(Fault::Usage, "file_x_jsonl", [&] { check_plan(same); }).empty());
    same.tasks = {"a", "a"};
    QVERIFY(unlike(Fault::Usage, "the same twice", [&] { check_plan(same); }).empty());
    same.tasks.clear();
    QVERIFY(unlike(Fault::Usage, "names nothing", [&] { check_plan(same); }).empty());
    same = plan;
    same.policies.push_back("segmented[search_heads=" + std::string(200, '1') + ".1]");
    QVERIFY(unlike(Fault::Usage, "too long", [&] { check_plan(same); }).empty());
    check_plan(plan);
  }

  /// As an earlier version wrote it.
  void plans_without_settings_still_open() {
    EvaluationPlan plan = made_plan();
    plan.policies = {"streaming", "segmented"};
    const json written = evaluation_json(plan);
    QVERIFY(written.at("policies") == json::array({"streaming", "segmented"}));
    QVERIFY(plan_of(written, "plan").policies == plan.policies);
    QCOMPARE(policy_folder(plan, "out", "segmented"), std::string("out/some_model__segmented"));
  }

  void settings_that_a_model_can_not_run_are_refused() {
    ModelConfig model;
    model.layers = 2;
    model.heads = 2;
    model.kv_heads = 1;
    model.head_dim = 8;
    EvaluationPlan plan = made_plan();
    plan.config = SegmentConfig::defaults_for(model);
    plan.config.segment_length = 64;
    plan.config.carry_length = 16;
    plan.policies = {"segmented", "infllm[attention_window=64]"};
    check_policies(plan, model, "command line");
    const auto refused = [&](const std::string& policy, Fault fault, const std::string& part) {
      EvaluationPlan other = plan;
      other.policies = {"segmented", policy};
      return unlike(fault, part, [&] { check_policies(other, model, "command line"); });
    };
    QCOMPARE(refused("segmented[retrieval_length=-1]", Fault::BadInput,
                     "segmented[retrieval_length=-1]: retrieval_length is -1"),
             std::string());
    QCOMPARE(refused("segmented[long_range_layers=7]", Fault::BadInput, "segmented[long_range_layers=7]"),
             std::string());
    QCOMPARE(refused("infllm[attention_window=32]", Fault::BadInput, "infllm[attention_window=32]: segment_length"),
             std::string());
    plan.question = QuestionPlace::Inside;
    QCOMPARE(refused("segmented[question_pass=true]", Fault::Usage, "question_pass to run twice"), std::string());
    plan.config.carry_length = 100;
    QCOMPARE(refused("full", Fault::BadInput, "command line: carry_length is 100"), std::string());
  }

  void crafted_plans_are_refused() {
    const json whole = evaluation_json(made_plan());
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, json>>{{"time", "../../../etc/passwd"},
                                                   {"time", "2026-11-26T16-02-27.12345x"},
                                                   {"policies", json::array({"../full"})},
                                                   {"policies", "full"},
                                                   {"policies", json::array({"segmented[bos=../x]"})},
                                                   {"policies", json::array({"segmented[bos= true]"})},
                                                   {"policies", json::array({"full[sink_length=0]"})},
                                                   {"lengths", json::array({-1})},
                                                   {"lengths", json::array({1.5})},
                                                   {"lengths", json::array({1L << 40})},
                                                   {"samples", "200"},
                                                   {"data", json::array()},
                                                   {"data", {{"ppl", 1}}},
                                                   {"seed", -1},
                                                   {"format", 2},
                                                   {"config", {{"unknown", 1}}},
                                                   {"chat", 1}}) {
      json crafted = whole;
      crafted[key] = value;
      const auto error = error_of([&] { plan_of(crafted, "evaluation.json"); });
      QVERIFY2(error && error->fault() == Fault::BadInput, (key + " " + value.dump()).c_str());
    }
    for (const auto& [key, value] : whole.items()) {
      if (key == "adapter") continue;
      json without = whole;
      without.erase(key);
      QVERIFY2(error_of([&] { plan_of(without, "evaluation.json"); }), key.c_str());
    }
  }
};

static const TestFile these_tests{__FILE__, without_application<EvaluationPlanTest>};
#include "evaluation_plan_test.moc"
