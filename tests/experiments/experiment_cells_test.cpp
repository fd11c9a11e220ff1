// SPDX-License-Identifier: GPL-3.0-or-later
// Cells: which there are, in which order, and that the hash of a cell is that of all that decides its numbers.
#include "engine/campaigns/experiments/experiment_cells.h"

#include <QTest>
#include <filesystem>
#include <map>
#include <set>

#include "engine/checkpoints/model_source.h"
#include "engine/cost/model_work.h"
#include "tests/support/demo_plan.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

ExperimentCells cells_of(const json& plan) {
  return experiment_cells(experiment_plan(plan.dump(), "plan.json", ""), "out");
}

struct Ids {
  std::vector<std::string> trainings, evaluations;
  bool operator==(const Ids&) const = default;
};

/// Returns the ids for the recipe "all" with the first seed, for its first evaluation and text, and for the untrained
/// model.
Ids ids_of(const json& plan) {
  const ExperimentCells cells = cells_of(plan);
  Ids ids;
  for (const CellGroup& group : cells.groups) {
    if (group.recipe == "lora" || group.seed.value_or(1) != 1) continue;
    if (group.training) ids.trainings.push_back(cells.trainings[*group.training].id);
    for (const std::size_t use : group.uses) ids.evaluations.push_back(cells.evaluations[cells.uses[use].cell].id);
  }
  return ids;
}

void set(json& plan, const std::string& pointer, json value) {
  plan[json::json_pointer(pointer)] = std::move(value);
}

}  // namespace

class ExperimentCellsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_combination_has_a_cell();
  void what_says_the_same_is_one_cell();
  void each_length_may_be_a_run();
  void sinks_are_written_out();
  void inputs_change_the_hash_data();
  void inputs_change_the_hash();
  void contents_change_the_hash();
  void what_decides_nothing_leaves_it_data();
  void what_decides_nothing_leaves_it();
  void hashes_are_those_of_earlier_versions();
  void faults_name_the_part_of_the_plan();
  void documents_of_recall_are_read_forward();
  void a_teacher_reads_each_sample_once();
  void shipped_plans_fit_their_models();
};

void ExperimentCellsTest::every_combination_has_a_cell() {
  const ExperimentCells cells = cells_of(demo_plan());
  QCOMPARE(cells.trainings.size(), 4U);              // two recipes, two seeds
  QCOMPARE(cells.groups.size(), 5U);                 // and the model as it is
  QCOMPARE(cells.evaluations.size(), 5U * 4U * 2U);  // four evaluations of two texts
  QCOMPARE(cells.uses.size(), cells.evaluations.size());
  QVERIFY(!cells.groups[0].training && !cells.groups[0].seed);  // what needs no training comes first
  QVERIFY(cells.groups[1].seed == 1U && cells.groups[2].seed == 1U && cells.groups[3].seed == 2U);
  std::set<std::string> ids;
  for (const TrainingCell& cell : cells.trainings) {
    QVERIFY(ids.insert(cell.id).second && cell.id.size() == 16 && cell.flops > 0);
    QCOMPARE(cell.plan.output_dir, "out/cells/" + cell.id);
    QVERIFY(cell.plan.training.seed == cell.seed && cell.plan.training.on_alert != AlertPolicy::Pause);
  }
  for (const EvaluationCell& cell : cells.evaluations) {
    QVERIFY(ids.insert(cell.id).second && cell.flops > 0);
    QVERIFY(*cell.settings.tokens == 512 && cell.settings.dtype == DType::Float32);  // the longest has the others
  }
}

void ExperimentCellsTest::what_says_the_same_is_one_cell() {
  json plan = demo_plan();
  plan["recipes"] = {{"base", nullptr}, {"all", plan["recipes"]["all"]}, {"again", plan["recipes"]["all"]}};
  plan["evaluations"]["off"] = {{"prefix", "off"}};
  plan["evaluations"]["no_retrieval"] = {{"retrieval_length", 0}};
  plan["seeds"] = {1};
  const ExperimentCells cells = cells_of(plan);
  QCOMPARE(cells.trainings.size(), 1U);
  QCOMPARE(cells.groups.size(), 3U);
  QCOMPARE(cells.uses.size(), 3U * 6U * 2U);
  QCOMPARE(cells.evaluations.size(), 2U * 5U * 2U);
}

/// The longest is the same run as that of a plan which reads the shorter ones from it.
void ExperimentCellsTest::each_length_may_be_a_run() {
  json plan = demo_plan();
  const ExperimentCells once = cells_of(plan);
  plan["each_length"] = true;
  plan["evaluations"]["none"]["tokens"] = 300;
  const ExperimentCells each = cells_of(plan);
  using Lengths = std::vector<std::int64_t>;
  std::map<std::int64_t, int> runs;
  for (const EvaluationCell& cell : each.evaluations) {
    ++runs[*cell.settings.tokens];
    QVERIFY(cell.lengths == Lengths{*cell.settings.tokens});
  }
  QVERIFY((runs == std::map<std::int64_t, int>{{256, 5 * 4 * 2}, {512, 5 * 3 * 2}}));  // five groups, two texts
  std::set<std::string> ids;
  for (const EvaluationCell& cell : each.evaluations) ids.insert(cell.id);
  std::size_t shared = 0;
  for (const EvaluationCell& cell : once.evaluations) {
    QVERIFY((cell.lengths == Lengths{256, 512}));
    shared += ids.count(cell.id);
  }
  QCOMPARE(shared, 5U * 3U * 2U);
}

/// An untrained model that is given none would open with four; what is run says how many.
void ExperimentCellsTest::sinks_are_written_out() {
  json plan = demo_plan();
  plan["models"]["demo"] = "random:tiny";  // the demo says what it was trained under
  plan.erase("config");
  for (const EvaluationCell& cell : cells_of(plan).evaluations) QCOMPARE(cell.settings.config.sink_length, 0);
  plan["config"] = {{"sink_length", 2}};
  plan["evaluations"]["paper"] = {{"sink_length", 0}};
  const ExperimentCells cells = cells_of(plan);
  for (const TrainingCell& cell : cells.trainings) QCOMPARE(cell.plan.config.sink_length, 2);
  for (const CellUse& use : cells.uses)
    QCOMPARE(cells.evaluations[use.cell].settings.config.sink_length, use.evaluation == "paper" ? 0 : 2);
}

void ExperimentCellsTest::inputs_change_the_hash_data() {
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("value");
  QTest::addColumn<bool>("trainings");   // whether the training's changes
  QTest::addColumn<int>("evaluations");  // how many of the 16 evaluations' change
  const auto row = [](const char* pointer, const char* value, bool trainings, int evaluations) {
    QTest::newRow(pointer + QByteArray(" ") + value) << QString(pointer) << QString(value) << trainings << evaluations;
  };
  row("/recipes/all/max_steps", "5", true, 8);
  row("/recipes/all/learning_rate", "0.002", true, 8);
  row("/recipes/all/truncation_depth", "2", true, 8);
  row("/recipes/all/carry_length", "8", true, 8);
  row("/recipes/all/policy", "\"full\"", true, 8);
  row("/recipes/all/dtype", "\"bf16\"", true, 8);
  row("/recipes/all/lora_rank", "3", true, 8);
  row("/recipes/all/text_field", "\"body\"", true, 8);
  row("/recipes/all/on_alert", "\"skip\"", true, 8);
  row("/recipes/all/distillation", "0.5", true, 8);
  row("/recipes/all/recall_samples", "1", true, 8);
  row("/training/max_grad_norm", "0.5", true, 8);
  row("/seeds", "[5, 6]", true, 8);
  row("/config/segment_length", "32", true, 16);
  row("/config/sink_length", "1", true, 16);
  row("/dtype", "\"bf16\"", true, 16);
  row("/lengths", "[256, 300]", false, 16);
  row("/evaluations/segmented/retrieval_length", "16", false, 4);
  row("/evaluations/segmented/prefix", "\"recent\"", false, 4);
  row("/evaluations/random/seed", "4", false, 4);
  row("/evaluations/full/segment_length", "32", false, 4);
  row("/evaluations/none/tokens", "100", false, 4);
  row("/evaluations/none/bos", "true", false, 4);
  row("/evaluations/none/dtype", "\"bf16\"", false, 4);
}

void ExperimentCellsTest::inputs_change_the_hash() {
  QFETCH(QString, pointer);
  QFETCH(QString, value);
  QFETCH(bool, trainings);
  QFETCH(int, evaluations);
  json plan = demo_plan();
  plan["evaluations"]["segmented"] = json::object();
  const Ids before = ids_of(plan);
  QCOMPARE(before.evaluations.size(), 16U);
  set(plan, pointer.toStdString(), json::parse(value.toStdString()));
  const ExperimentCells cells = cells_of(plan);
  Ids after;
  for (const CellGroup& group : cells.groups) {
    if (group.recipe == "lora" || (group.seed && *group.seed != cells.groups[1].seed)) continue;
    if (group.training) after.trainings.push_back(cells.trainings[*group.training].id);
    for (const std::size_t use : group.uses) after.evaluations.push_back(cells.evaluations[cells.uses[use].cell].id);
  }
  QVERIFY((before.trainings != after.trainings) == trainings);
  QCOMPARE(after.evaluations.size(), 16U);
  int changed = 0;
  for (std::size_t i = 0; i < 16; ++i) changed += before.evaluations[i] != after.evaluations[i] ? 1 : 0;
  QCOMPARE(changed, evaluations);
}

void ExperimentCellsTest::contents_change_the_hash() {
  const TempDir temp;
  for (const char* folder : {"resources/demo", "examples/experiments/demo"})
    fs::copy(fs::path(CARRYOVER_SOURCE_DIR) / folder, temp.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  json plan = demo_plan();
  plan["models"]["demo"] = temp.path().string();
  plan["data"] = {temp.file("train/story_1.txt"), temp.file("train/story_2.txt")};
  plan["texts"] = {temp.file("test/story_1.txt"), temp.file("test/story_2.txt")};
  const Ids before = ids_of(plan);
  QVERIFY(before == ids_of(demo_plan()));  // wherever the same files are

  write_bytes(temp.file("test/story_2.txt"), read_bytes(temp.file("test/story_2.txt")) + " It rained.");
  const Ids another_text = ids_of(plan);
  QVERIFY(another_text.trainings == before.trainings);
  for (std::size_t i = 0; i < 16; ++i)
    QCOMPARE(another_text.evaluations[i] == before.evaluations[i], i % 2 == 0);  // each evaluation reads both texts

  write_bytes(temp.file("train/story_2.txt"), read_bytes(temp.file("train/story_2.txt")) + " It rained.");
  const Ids more_data = ids_of(plan);
  QVERIFY(more_data.trainings != another_text.trainings);
  for (std::size_t i = 0; i < 16; ++i) QCOMPARE(more_data.evaluations[i] == another_text.evaluations[i], i < 8);

  std::string weights = read_bytes(temp.file("model.safetensors"));
  weights.back() = static_cast<char>(weights.back() ^ 1);
  write_bytes(temp.file("model.safetensors"), weights);
  const Ids another_model = ids_of(plan);
  QVERIFY(another_model.trainings != more_data.trainings);
  for (std::size_t i = 0; i < 16; ++i) QVERIFY(another_model.evaluations[i] != more_data.evaluations[i]);
}

void ExperimentCellsTest::what_decides_nothing_leaves_it_data() {
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("value");
  const auto row = [](const char* pointer, const char* value) {
    QTest::newRow(pointer + QByteArray(" ") + value) << QString(pointer) << QString(value);
  };
  row("/name", "\"other\"");
  row("/title", "\"Other\"");
  row("/about", "\"Other\"");
  row("/threads", "2");
  row("/device", "\"auto\"");
  row("/recipes/all/title", "\"Other\"");
  row("/recipes/all/save_steps", "7");
  row("/recipes/all/save_total_limit", "1");
  row("/recipes/all/threads", "2");
  row("/training/max_steps", "9");         // which the recipe has its own of
  row("/recipes/all/weight_decay", "0");   // its default
  row("/recipes/all/distillation", "0");   // likewise
  row("/recipes/all/carry_length", "16");  // what it is
  row("/evaluations/none/title", "\"M = R = 0\"");
  row("/evaluations/none/seed", "5");  // nothing is drawn
  row("/evaluations/none/sink_length", "0");
  row("/evaluations/none/truncation_depth", "3");  // of training alone
  row("/comparisons", "[]");
  row("/recipes/more", "{\"max_steps\": 9}");
  row("/evaluations/more", "{\"carry_length\": 4}");
}

void ExperimentCellsTest::what_decides_nothing_leaves_it() {
  QFETCH(QString, pointer);
  QFETCH(QString, value);
  json plan = demo_plan();
  const Ids before = ids_of(plan);
  set(plan, pointer.toStdString(), json::parse(value.toStdString()));
  const Ids after = ids_of(plan);
  const std::set<std::string> now(after.evaluations.begin(), after.evaluations.end());
  for (const std::string& id : before.evaluations) QVERIFY(now.contains(id));
  QVERIFY(std::ranges::find(after.trainings, before.trainings.at(0)) != after.trainings.end());
}

/// The hashes by which long trainings are found: a change here makes all of them run again. A hash leaves out fields at
/// their defaults, so that a new field changes none; therefore a default that changes needs a higher version in
/// experiment_cells.cpp.
void ExperimentCellsTest::hashes_are_those_of_earlier_versions() {
  const Ids ids = ids_of(demo_plan());
  QVERIFY2(ids.trainings.at(0) == "457263a50283f63f", ids.trainings.at(0).c_str());
  QVERIFY2(ids.evaluations.at(0) == "b80b51e855e41b31", ids.evaluations.at(0).c_str());
  const json segment = SegmentConfig{}, training = TrainingConfig{};
  const json known_segment = json::parse(R"({"segment_length": 4096, "carry_length": 512, "retrieval_length": 512,
    "sink_length": 0, "truncation_depth": 1, "long_range_layers": [], "long_range_heads": [], "query_length": 64,
    "summary_window": 8, "summary_stride": 4, "summary_tail": 4, "top_k": 16, "anchors": null, "expand_before": 3,
    "expand_after": 4, "bos": false, "cross_boundary_target": true, "boundary_at_prompt_end": false,
    "pool_on_host": false, "pool_keys": "model", "rope": null})");
  const json known_training = json::parse(R"({"max_steps": 1000, "micro_batch_size": 1,
    "gradient_accumulation_steps": 8, "train_segments": null, "learning_rate": 2e-5, "lr_scheduler_type": "constant",
    "warmup_steps": 20, "weight_decay": 0.0, "adam_beta1": 0.9, "adam_beta2": 0.999, "adam_epsilon": 1e-8,
    "max_grad_norm": 1.0, "gradient_checkpointing": true, "validation_fraction": 0.05, "eval_steps": 0,
    "eval_lengths": [], "on_alert": "pause", "spike_factor": 3.0, "lora_rank": 0, "lora_alpha": 16.0,
    "lora_dropout": 0.0, "lora_target_modules": ["q_proj", "k_proj", "v_proj", "o_proj"], "use_rslora": false})");
  for (const auto& [key, value] : known_segment.items()) QVERIFY2(segment.at(key) == value, key.c_str());
  for (const auto& [key, value] : known_training.items()) QVERIFY2(training.at(key) == value, key.c_str());
}

void ExperimentCellsTest::faults_name_the_part_of_the_plan() {
  const auto refusal = [](const char* pointer, const json& value, Fault fault, const char* named) {
    json plan = demo_plan();
    set(plan, pointer, value);
    return unlike(fault, named, [&] { cells_of(plan); });
  };
  const auto check = [&](const char* pointer, const json& value, Fault fault, const char* named) {
    const std::string other = refusal(pointer, value, fault, named);
    QVERIFY2(other.empty(), other.c_str());
  };
  check("/models/demo", "/nowhere", Fault::Io, "--model demo=PATH");
  check("/texts", {"/nowhere.txt"}, Fault::Io, "--texts PATH");
  check("/data", {"/nowhere.txt"}, Fault::Io, "/nowhere.txt");
  check("/config/carry_lenght", 3, Fault::BadInput, "plan.json: config");
  check("/recipes/all/max_stepz", 3, Fault::BadInput, "plan.json: recipes.all");
  check("/recipes/all/carry_length", 3000, Fault::BadInput, "plan.json: recipes.all");
  check("/evaluations/none/top", 3, Fault::BadInput, "plan.json: evaluations.none");
  check("/evaluations/none/policy", "ful", Fault::BadInput, "plan.json: evaluations.none");
  check("/texts/1",
        {{"path", std::string(CARRYOVER_SOURCE_DIR) + "/examples/experiments/demo/test/story_2.txt"},
         {"sha256", std::string(64, '0')}},
        Fault::BadInput, "is another text than the plan's");
  check("/texts/1", std::string(CARRYOVER_SOURCE_DIR) + "/examples/experiments/demo/test/story_1.txt", Fault::BadInput,
        "has the name of another text");
}

void ExperimentCellsTest::documents_of_recall_are_read_forward() {
  json plan = demo_plan();
  const ExperimentCells alone = cells_of(plan);
  plan["recipes"]["all"]["recall_samples"] = 3;
  plan["recipes"]["all"]["recall_segments"] = 4;
  const ExperimentCells more = cells_of(plan);
  const TrainingCell &before = alone.trainings.at(0), &after = more.trainings.at(0);
  const ModelWork work{alone.models[0].config, after.plan.config, "segmented"};
  const std::int64_t segment = after.plan.config.segment_length;
  const double mean = (work.forward_flops(2 * segment, 0) + work.forward_flops(4 * segment, 0)) / 2;
  QCOMPARE(after.flops, before.flops + 4 * 3 * mean);  // four steps of three documents
}

void ExperimentCellsTest::a_teacher_reads_each_sample_once() {
  json plan = demo_plan();
  const ExperimentCells alone = cells_of(plan);
  plan["recipes"]["all"]["distillation"] = 0.5;
  const ExperimentCells distilled = cells_of(plan);
  const TrainingCell &before = alone.trainings.at(0), &after = distilled.trainings.at(0);
  QVERIFY(before.recipe == "all" && after.plan.training.distillation == 0.5);
  const ModelWork full{alone.models[0].config, after.plan.config, "full"};
  const std::int64_t tokens = after.plan.tokens_per_sample();
  QCOMPARE(after.flops, before.flops + 4 * full.forward_flops(tokens, tokens));  // four steps of one sample
}

/// Every setting of every cell is valid for the model that the plan is for; the demo's plans find all of their files.
void ExperimentCellsTest::shipped_plans_fit_their_models() {
  const std::string folder = CARRYOVER_SOURCE_DIR "/examples/experiments/", demo = folder + "demo/";
  int plans = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    ExperimentPlan plan = read_experiment_plan(entry.path().string());
    const bool of_demo = plan.name.starts_with("demo");
    if (!of_demo) {
      const std::map<std::string, std::string> shapes{
          {"smollm2", "random:smollm2-135m"}, {"gemma3", "random:gemma3-270m"}, {"qwen2.5", "random:qwen2.5-0.5b"}};
      std::vector<PlanModel> models;
      for (const PlanModel& model : plan.models) models.push_back({model.name, shapes.at(model.name)});
      apply_overrides(plan, {models, {demo + "train"}, {demo + "test/story_1.txt"}, {}, -1});
      for (PlanText& text : plan.texts) text.sha256.clear();
    }
    const ExperimentCells cells = experiment_cells(plan, "out");
    ++plans;
    for (const EvaluationCell& cell : cells.evaluations)
      QVERIFY2(cell.flops > 0 && cell.settings.config.sink_length >= 0, plan.name.c_str());
    QVERIFY2(cells.trainings.empty() != plan.file.contains("data"), plan.name.c_str());
    std::size_t trained = 0;  // no two recipes of a plan are the same
    for (const PlanRecipe& recipe : plan.recipes) trained += recipe.kind == PlanRecipe::Kind::Training ? 1 : 0;
    QCOMPARE(cells.trainings.size(), trained * plan.seeds.size());
  }
  QVERIFY(plans >= 13);
}

static const TestFile these_tests{__FILE__, without_application<ExperimentCellsTest>};
#include "experiment_cells_test.moc"
