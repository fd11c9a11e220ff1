// SPDX-License-Identifier: GPL-3.0-or-later
// A plan: read in the order of its text, refused by name where it is wrong, changed by the command line.
#include "engine/campaigns/experiments/experiment_plan.h"

#include <QTest>
#include <filesystem>
#include <fstream>
#include <set>
#include <tuple>

#include "engine/campaigns/experiments/plan_needs.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const json whole = {
    {"name", "mine"},
    {"title", "Mine"},
    {"about", "Why."},
    {"models", {{"demo", "models/demo"}}},
    {"data", {"train"}},
    {"texts", {"test", {{"path", "dracula.txt"}, {"title", "Dracula"}, {"author", "Bram Stoker"}}}},
    {"lengths", {2048, 512}},
    {"each_length", true},
    {"seeds", {3, 1}},
    {"dtype", "fp32"},
    {"device", "cpu"},
    {"threads", 2},
    {"config", {{"segment_length", 64}}},
    {"recipes",
     {{"base", nullptr},
      {"shipped", {{"adapter", "adapters/one"}}},
      {"trained", {{"title", "Trained"}, {"max_steps", 5}, {"evaluations", {"none"}}}}}},
    {"evaluations", {{"segmented", nullptr}, {"none", {{"title", "M = R = 0"}, {"carry_length", 0}}}}},
    {"comparisons", {{{"title", "better"}, {"of", {"trained", "none"}}, {"against", {"base", "segmented"}}}}}};

std::string refusal(const json& plan, const std::string& part) {
  return unlike(Fault::BadInput, part, [&] { experiment_plan(plan.dump(), "plan.json", ""); });
}

}  // namespace

class ExperimentPlanTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_plan_is_read();
  void names_keep_the_order_of_the_text();
  void paths_are_relative_to_the_plan();
  void faults_are_named_data();
  void faults_are_named();
  void what_a_plan_needs_is_named();
  void what_has_to_be_there_is_listed();
  void the_command_line_has_the_last_word();
  void folders_give_the_texts_that_the_plan_lists();
  void shipped_plans_are_read();
  void damaged_plans_are_refused_or_read();
};

void ExperimentPlanTest::a_plan_is_read() {
  const ExperimentPlan plan = experiment_plan(whole.dump(), "plan.json", "");
  QCOMPARE(plan.name, "mine");
  QCOMPARE(plan.title, "Mine");
  QCOMPARE(plan.about, "Why.");
  QCOMPARE(plan.models.size(), 1U);
  QCOMPARE(plan.texts.size(), 2U);
  QVERIFY(plan.texts[0].path == "test" && plan.texts[0].title.empty());
  QVERIFY(plan.texts[1].title == "Dracula" && plan.texts[1].author == "Bram Stoker");
  QVERIFY((plan.lengths == std::vector<std::int64_t>{512, 2048}) && plan.each_length);  // ascending
  QVERIFY((plan.seeds == std::vector<std::uint64_t>{3, 1}));                            // as they are to be run
  QVERIFY(plan.dtype == DType::Float32 && plan.device == Device::Cpu && plan.threads == 2);
  QCOMPARE(plan.recipes.size(), 3U);
  QVERIFY(plan.recipes[0].kind == PlanRecipe::Kind::Untrained);
  QVERIFY(plan.recipes[1].kind == PlanRecipe::Kind::Adapter && plan.recipes[1].adapter == "adapters/one");
  const PlanRecipe& trained = plan.recipes[2];
  QVERIFY(trained.kind == PlanRecipe::Kind::Training && trained.title == "Trained");
  QVERIFY(trained.fields == json({{"max_steps", 5}}));  // what a training reads, and nothing else
  QVERIFY((trained.evaluations == std::vector<std::string>{"none"}));
  QVERIFY((plan.recipes[0].evaluations.size() == 2));
  QVERIFY(plan.find_evaluation("none")->fields == json({{"carry_length", 0}}));
  QVERIFY(plan.find_evaluation("none")->title == "M = R = 0" &&
          plan.find_evaluation("segmented")->title == "segmented");
  QVERIFY(plan.find_recipe("nobody") == nullptr && plan.find_evaluation("nobody") == nullptr);
  QCOMPARE(plan.comparisons.size(), 1U);
  QVERIFY(plan.comparisons[0].of.recipe == "trained" && plan.comparisons[0].against.evaluation == "segmented");
}

void ExperimentPlanTest::names_keep_the_order_of_the_text() {
  const std::string text = R"({"name": "x", "models": {"z": "1", "a": "2"}, "texts": "t",
    "recipes": {"second": null, "first": null}, "evaluations": {"q": {}, "b": {}, "m": {}}})";
  const ExperimentPlan plan = experiment_plan(text, "plan.json", "");
  QCOMPARE(plan.models[0].name, "z");
  QCOMPARE(plan.recipes[0].name, "second");
  QCOMPARE(plan.recipes[1].name, "first");
  QVERIFY((plan.recipes[0].evaluations == std::vector<std::string>{"q", "b", "m"}));
  QCOMPARE(plan.title, "x");
}

void ExperimentPlanTest::paths_are_relative_to_the_plan() {
  const TempDir temp;
  write_bytes(temp.file("plan.json"), whole.dump());
  const ExperimentPlan plan = read_experiment_plan(temp.file("plan.json"));
  QCOMPARE(plan.models[0].path, temp.file("models/demo"));
  QCOMPARE(plan.data[0], temp.file("train"));
  QCOMPARE(plan.texts[1].path, temp.file("dracula.txt"));
  QCOMPARE(plan.recipes[1].adapter, temp.file("adapters/one"));
  json absolute = whole;
  absolute["models"]["demo"] = "/models/demo";
  QCOMPARE(experiment_plan(absolute.dump(), "plan.json", temp.path().string()).models[0].path, "/models/demo");
  absolute["models"]["demo"] = "random:llama-2-7b";  // a name, and no path
  QCOMPARE(experiment_plan(absolute.dump(), "plan.json", temp.path().string()).models[0].path, "random:llama-2-7b");
}

void ExperimentPlanTest::faults_are_named_data() {
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("named");
  const auto row = [](const char* pointer, const char* value, const char* named) {
    QTest::newRow(pointer + QByteArray(" ") + value) << QString(pointer) << QString(value) << QString(named);
  };
  row("/recipies", "{}", "Do you mean recipes?");
  row("/name", "\"../up\"", "is named '../up'");
  row("/name", "7", "name is not a string");
  row("/models", "{}", "models has 0 entries");
  row("/models", "[1]", "models is not a JSON object");
  row("/models/demo", "3", "models.demo");
  row("/models/a b", "\"x\"", "is named 'a b'");
  row("/texts", "3", "texts");
  row("/texts/1/titl", "\"x\"", "Do you mean title?");
  row("/texts/1/sha256", "\"abc\"", "is not 64 hex digits");
  row("/texts/1", "{\"title\": \"x\"}", "without a path");
  row("/lengths", "[]", "lengths");
  row("/lengths", "[8, 8]", "names a number twice");
  row("/lengths", "[1]", "out of range");
  row("/lengths", "[2.5]", "lengths");
  row("/each_length", "1", "each_length");
  row("/seeds", "[-1]", "seeds");
  row("/dtype", "\"fp8\"", "dtype is 'fp8'");
  row("/device", "\"tpu\"", "device is 'tpu'");
  row("/threads", "5000", "threads is 5000");
  row("/config", "[]", "config is not a JSON object");
  row("/recipes/trained/model", "\"x\"", "is the experiment's own");
  row("/recipes/trained/output_dir", "\"x\"", "is the experiment's own");
  row("/training", "3", "training is not a JSON object");
  row("/training/data", "\"x\"", "is the experiment's own");
  row("/recipes/trained/evaluations", "[\"nine\"]", "Do you mean none?");
  row("/recipes/shipped/max_steps", "3", "has an adapter and fields of a training");
  row("/recipes/base", "3", "recipes.base is not a JSON object");
  row("/evaluations/none/force_hits", "\"x\"", "is not an evaluation's");
  row("/evaluations/none/title", "3", "evaluations.none.title");
  row("/comparisons/0/of", "[\"trained\"]", "is not [recipe, evaluation]");
  row("/comparisons/0/of", "[\"trainde\", \"none\"]", "Do you mean trained?");
  row("/comparisons/0/of", "[\"trained\", \"segmented\"]", "segmented");  // which does not apply to it
  row("/comparisons/0/than", "3", "comparisons.than");
  row("/comparisons", "{}", "is not a list");
}

void ExperimentPlanTest::faults_are_named() {
  QFETCH(QString, pointer);
  QFETCH(QString, value);
  QFETCH(QString, named);
  json plan = whole;
  plan[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
  const std::string other = refusal(plan, named.toStdString());
  QVERIFY2(other.empty(), other.c_str());
}

void ExperimentPlanTest::what_a_plan_needs_is_named() {
  for (const char* needed : {"name", "models", "texts", "recipes", "evaluations", "data"}) {
    json plan = whole;
    plan.erase(needed);
    const std::string other = refusal(plan, needed);
    QVERIFY2(other.empty(), other.c_str());
  }
  json plan = whole;
  plan.erase("data");
  plan["recipes"]["trained"]["data"] = "own";  // its own is enough
  QVERIFY(experiment_plan(plan.dump(), "plan.json", "/x").recipes[2].fields["data"] == json::array({"/x/own"}));
  QVERIFY(unlike(Fault::BadInput, "twice", [] { experiment_plan(R"({"name": "a", "name": "b"})", "p", ""); }).empty());
  QVERIFY(unlike(Fault::BadInput, "p", [] { experiment_plan("[1]", "p", ""); }).empty());
}

void ExperimentPlanTest::what_has_to_be_there_is_listed() {
  using Kind = PlanNeed::Kind;
  const TempDir temp;
  json file = whole;
  file["texts"].push_back("books/one.txt");
  file["texts"].push_back("books/two.txt");
  file["recipes"]["own"] = {{"max_steps", 1}, {"data", {"other", "train"}}};
  const ExperimentPlan plan = experiment_plan(file.dump(), "plan.json", temp.path().string());
  const auto listed = [&] {
    std::multiset<std::tuple<Kind, std::string, std::string, std::size_t, bool>> all;
    for (const PlanNeed& need : plan_needs(plan))
      all.insert(
          {need.kind, need.name, fs::path(need.path).lexically_relative(temp.path()).string(), need.count, need.there});
    return all;
  };
  decltype(listed()) expected{{Kind::Model, "demo", "models/demo", 1, false},
                              {Kind::Adapter, "shipped", "adapters/one", 1, false},
                              {Kind::Data, "", "other", 1, false},
                              {Kind::Data, "", "train", 1, false},
                              {Kind::Texts, "", "books", 2, false},
                              {Kind::Texts, "", ".", 2, false}};  // the folder "test", not there, counts as a file
  QVERIFY(listed() == expected && !all_there(plan_needs(plan)));
  for (const char* folder : {"models/demo", "adapters/one", "other", "train", "test", "books"})
    fs::create_directories(temp.file(folder));
  write_bytes(temp.file("dracula.txt"), "");
  write_bytes(temp.file("books/one.txt"), "");
  expected = {{Kind::Model, "demo", "models/demo", 1, true},
              {Kind::Adapter, "shipped", "adapters/one", 1, true},
              {Kind::Data, "", "other", 1, true},
              {Kind::Data, "", "train", 1, true},
              {Kind::Texts, "", "test", 1, true},
              {Kind::Texts, "", ".", 1, true},
              {Kind::Texts, "", "books", 2, false}};
  QVERIFY(listed() == expected && !all_there(plan_needs(plan)));
  write_bytes(temp.file("books/two.txt"), "");
  QVERIFY(all_there(plan_needs(plan)));
}

void ExperimentPlanTest::the_command_line_has_the_last_word() {
  ExperimentPlan plan = experiment_plan(whole.dump(), "plan.json", "");
  plan.recipes[2].fields["data"] = {"own"};
  apply_overrides(plan, {{{"demo", "other.gguf"}}, {"books"}, {}, {"trained"}, 7});
  QCOMPARE(plan.models[0].path, "other.gguf");
  QVERIFY(plan.data == std::vector<std::string>{"books"});
  QVERIFY(!plan.recipes[2].fields.contains("data"));
  QCOMPARE(plan.threads, 7);
  QVERIFY(plan.only == std::vector<std::string>{"trained"} && plan.recipes.size() == 3);  // tables keep all of them
  ExperimentPlan same = experiment_plan(whole.dump(), "plan.json", "");
  apply_overrides(same, {});
  QVERIFY(same.threads == 2 && same.texts.size() == 2 && same.only.empty());
  QVERIFY(unlike(Fault::Usage, "'x' is not a model", [&] {
            apply_overrides(plan, {{{"x", "y"}}, {}, {}, {}, -1});
          }).empty());
  QVERIFY(unlike(Fault::Usage, "'x' is not a recipe", [&] { apply_overrides(plan, {{}, {}, {}, {"x"}, -1}); }).empty());
}

void ExperimentPlanTest::folders_give_the_texts_that_the_plan_lists() {
  const TempDir temp;
  write_bytes(temp.file("dracula.txt"), "It was dark.");
  write_bytes(temp.file("another.txt"), "It was light.");
  ExperimentPlan plan = experiment_plan(whole.dump(), "plan.json", "");
  plan.texts.erase(plan.texts.begin());
  const ExperimentPlan listed = plan;
  apply_overrides(plan, {{}, {}, {temp.path().string()}, {}, -1});
  QCOMPARE(plan.texts.size(), 1U);
  QVERIFY(plan.texts[0].path == temp.file("dracula.txt") && plan.texts[0].title == "Dracula");
  plan = listed;
  apply_overrides(plan, {{}, {}, {temp.file("another.txt"), temp.file("dracula.txt")}, {}, -1});
  QVERIFY(plan.texts.size() == 2 && plan.texts[0].title.empty() && plan.texts[1].author == "Bram Stoker");
  plan = listed;
  const TempDir empty;
  const auto nothing = [&] { apply_overrides(plan, {{}, {}, {empty.path().string()}, {}, -1}); };
  QVERIFY(unlike(Fault::Io, "has none of the plan's texts", nothing).empty());
}

void ExperimentPlanTest::shipped_plans_are_read() {
  int plans = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(CARRYOVER_SOURCE_DIR "/examples/experiments")) {
    if (entry.path().extension() != ".json") continue;
    ++plans;
    const ExperimentPlan plan = read_experiment_plan(entry.path().string());
    QCOMPARE(plan.name, entry.path().stem().string());  // so that its folder and its file are called alike
    QVERIFY2(!plan.about.empty() && !plan.comparisons.empty(), plan.name.c_str());
  }
  QVERIFY(plans > 0);
}

/// A plan may come from anybody: damage is refused as bad input, or is a plan.
void ExperimentPlanTest::damaged_plans_are_refused_or_read() {
  const std::string text = whole.dump(1);
  Mutator mutator(text, text.size(), 11);
  int refused = 0, read = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string mutant = mutator.next();
    try {
      const ExperimentPlan plan = experiment_plan(mutant, "plan.json", "");
      QVERIFY(!plan.name.empty() && !plan.models.empty() && !plan.recipes.empty() && !plan.lengths.empty());
      ++read;
    } catch (const EngineError& error) {
      QVERIFY2(error.fault() == Fault::BadInput, error.what());
      ++refused;
    }
  }
  QVERIFY2(refused > 500 && read > 100, qPrintable(QString("%1 refused, %2 read").arg(refused).arg(read)));
}

static const TestFile these_tests{__FILE__, without_application<ExperimentPlanTest>};
#include "experiment_plan_test.moc"
