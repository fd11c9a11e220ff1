// SPDX-License-Identifier: GPL-3.0-or-later
// Results are pure functions of what a journal has; tables are of results alone; lines are lm-evaluation-harness's.
#include "engine/campaigns/evaluations/evaluation_results.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/campaigns/evaluations/evaluation_table.h"
#include "engine/campaigns/evaluations/sample_lines.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/sha256.h"
#include "tests/evaluations/made_task.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

EvaluationPlan results_plan() {
  EvaluationPlan plan;
  plan.model = "/secret/folder/model.gguf";
  plan.tasks = {"made/task"};
  plan.lengths = {512};
  plan.policies = {"segmented", "full"};
  plan.data = {{"made", "/secret/folder/data.jsonl"}};
  plan.time = "2026-11-26T16-02-27.123456";
  plan.date = 1795622547.123456;
  return plan;
}

EvaluatedModel made_model() {
  EvaluatedModel model;
  model.info.config.name = "made";
  model.info.config.vocabulary = 512;
  model.info.config.context = 2048;
  model.info.weights_hash = "00112233";
  model.tokenizer_hash = "44556677";
  model.eos = "</s>";
  return model;
}

std::vector<SampleEntry> four_entries() {
  return {made_entry("a", "near", {{"match", 1}, {"other", 4}}), made_entry("b", "far", {{"match", 0}, {"other", 2}}),
          failed_entry("c", "far"), made_entry("d", "near", {{"match", 1}, {"other", 0}})};
}

json made_cell(std::vector<SampleEntry> entries) {
  return cell_results(MadeTask(TaskKind::Generation), {"made/task", 512, 9, std::move(entries)}, "hash");
}

json made_results(const std::string& policy, std::vector<SampleEntry> entries) {
  return evaluation_results(results_plan(), policy, made_model(), {made_cell(std::move(entries))});
}

}  // namespace

class EvaluationResultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_cell_counts_what_failed() {
    const json cell = made_cell(four_entries());
    QVERIFY(cell.at("available") == 9 && cell.at("n") == 3 && cell.at("failures") == 1);
    QVERIFY(cell.at("errors") == json::array({{{"id", "c"}, {"error", "it was too long"}}}));
    const json& match = cell.at("scores").at("match");
    QVERIFY(std::fabs(match.at("score").get<double>() - 2.0 / 3) < 1e-12);
    QVERIFY(std::fabs(match.at("stderr").get<double>() - 1.0 / 3) < 1e-12);  // √(2/3 / 2) / √3
    QVERIFY(match.at("low").is_null() && match.at("high").is_null() && match.at("share") == false);  // of 3
    QVERIFY(cell.at("scores").at("other").at("score") == 2.0);
    QVERIFY(cell.at("tokens") == 300 && cell.at("new_tokens") == 21 && cell.at("visible_kv_bytes") == 3 << 20);
    const json& slices = cell.at("slices");
    QVERIFY(slices.size() == 2 && slices[0].at("slice") == "near" && slices[1].at("slice") == "far");
    QVERIFY(slices[0].at("n") == 2 && slices[0].at("scores").at("match").at("score") == 1.0);
    QVERIFY(slices[1].at("n") == 1 && slices[1].at("failures") == 1);
    QVERIFY(slices[1].at("scores").at("match").at("stderr").is_null());
    QVERIFY(made_cell(four_entries()) == cell);
    const json none = made_cell({failed_entry("a", ""), failed_entry("b", "")});
    QVERIFY(none.at("n") == 0 && none.at("failures") == 2 && none.at("scores").empty());
  }

  void times_change_nothing_else() {
    std::vector<SampleEntry> later = four_entries();
    for (SampleEntry& entry : later) {
      entry.prefill_seconds *= 3;
      entry.decode_seconds += 1;
    }
    json first = made_results("full", four_entries()), second = made_results("full", later);
    QVERIFY(first != second);
    for (json* results : {&first, &second}) {
      results->erase("total_evaluation_time_seconds");
      for (json& task : (*results)["carryover"]["tasks"])
        for (const char* key : {"prefill_seconds", "decode_seconds"}) task.erase(key);
    }
    QVERIFY(first == second);
  }

  void losses_are_means_by_place() {
    std::vector<SampleEntry> entries{made_entry("a", "", {{"nll", 6}, {"tokens", 4}}),
                                     made_entry("b", "", {{"nll", 2}, {"tokens", 2}})};
    for (const auto& [place, nll] : {std::pair(1, 1.0), {2, 1.0}, {3, 2.0}, {4, 2.0}})
      entries[0].positions.add(place, nll);
    for (const auto& [place, nll] : {std::pair(1, 2.0), {2, 0.0}}) entries[1].positions.add(place, nll);
    entries[0].offsets.add(0, 5.0);
    const MadeTask task(TaskKind::Perplexity, "perplexity");
    const json cell = cell_results(task, {"ppl/made", 0, 2, entries}, "");
    QVERIFY(cell.at("loss_by_position") == json::array({{1, 2, 1.5}, {2, 3, 1.0}, {4, 1, 2.0}}));
    QVERIFY(cell.at("loss_by_offset") == json::array({{0, 1, 5.0}}));
    QVERIFY(std::fabs(cell.at("scores").at("perplexity").at("score").get<double>() - std::exp(8.0 / 6)) < 1e-12);
    QVERIFY(cell.at("key") == "ppl_made" && cell.at("title") == "ppl/made");
  }

  void results_have_the_harness_s_keys() {
    const json results = made_results("full", four_entries());
    for (const char* key : {"results",
                            "group_subtasks",
                            "configs",
                            "versions",
                            "n-shot",
                            "higher_is_better",
                            "n-samples",
                            "config",
                            "git_hash",
                            "date",
                            "pretty_env_info",
                            "transformers_version",
                            "lm_eval_version",
                            "upper_git_hash",
                            "task_hashes",
                            "model_source",
                            "model_name",
                            "model_name_sanitized",
                            "system_instruction",
                            "system_instruction_sha",
                            "fewshot_as_multiturn",
                            "chat_template",
                            "chat_template_sha",
                            "total_evaluation_time_seconds",
                            "carryover"})
      QVERIFY2(results.contains(key), key);
    const json& task = results.at("results").at("made_task_512");
    QVERIFY(task.at("alias") == "made/task 512" && task.at("sample_len") == 3 && task.at("name") == "made_task_512");
    QVERIFY(task.at("match,none").is_number() && task.at("match_stderr,none").is_number());
    QVERIFY(results.at("n-samples").at("made_task_512") == json({{"original", 9}, {"effective", 3}}));
    QVERIFY(results.at("higher_is_better").at("made_task_512") == json({{"match", true}}));
    QVERIFY(results.at("group_subtasks") == json({{"made", {"made_task_512"}}}));
    const json& config = results.at("configs").at("made_task_512");
    QVERIFY(config.at("metric_list").size() == 1 && config.at("metric_list")[0].at("metric") == "match");
    QVERIFY(config.at("generation_kwargs").at("until") == json::array({"\n"}));
    const json alone = made_results("full", {made_entry("a", "", {{"match", 1}})});
    QVERIFY(alone.at("results").at("made_task_512").at("match_stderr,none") == "N/A");
    QVERIFY(results.dump().find("secret") == std::string::npos);  // no path
    QVERIFY(results.at("carryover").at("data").at("made") == "data.jsonl");
  }

  void lines_are_those_of_the_harness() {
    TaskSample sample;
    sample.id = "s1";
    sample.context = "Context. ";
    sample.question = "Q?";
    sample.references = {"yes", "no"};
    sample.choices = {" a", " b"};
    sample.correct = 1;
    SampleEntry entry = made_entry("s1", "", {{"acc", 1}});
    entry.loglikelihoods = {-2, -0.5};
    entry.greedy = {false, true};
    entry.text.clear();
    const MadeTask choice(TaskKind::Choice, "acc");
    const json line = sample_line(choice, 3, sample, "Context. Q?", entry);
    QVERIFY(line.at("doc_id") == 3 && line.at("target") == "1" && line.at("acc") == 1 && line.at("filter") == "none");
    QCOMPARE(line.at("resps").dump(), std::string(R"([[["-2.0","False"]],[["-0.5","True"]]])"));
    QCOMPARE(line.at("filtered_resps").dump(), std::string(R"([["-2.0","False"],["-0.5","True"]])"));
    QCOMPARE(line.at("arguments").dump(), std::string(R"({"gen_args_0":{"arg_0":"Context. Q?","arg_1":" a"},)"
                                                      R"("gen_args_1":{"arg_0":"Context. Q?","arg_1":" b"}})"));
    QVERIFY(line.at("target_hash") == sha256("1") && line.at("doc").at("context") == "Context. ");

    entry.text = "yes";
    const MadeTask generation(TaskKind::Generation);
    const json said = sample_line(generation, 0, sample, "P", entry);
    QCOMPARE(said.at("resps").dump(), std::string(R"([["yes"]])"));
    QCOMPARE(said.at("filtered_resps").dump(), std::string(R"(["yes"])"));
    QVERIFY(said.at("target") == R"(["yes","no"])");
    QVERIFY(said.at("arguments").at("gen_args_0").at("arg_1").at("max_gen_toks") == 8);

    SampleEntry losses = made_entry("s1", "", {{"nll", 12.5}, {"tokens", 4}});
    const MadeTask perplexity(TaskKind::Perplexity, "perplexity");
    QCOMPARE(sample_line(perplexity, 0, sample, "", losses).at("resps").dump(), std::string(R"([["-12.5"]])"));

    const json failed = sample_line(generation, 0, sample, "P", failed_entry("s1", ""));
    QVERIFY(failed.at("error") == "it was too long" && failed.at("resps").empty() && failed.at("metrics").empty());
    sample.fields = {{"official", true}};
    QVERIFY(sample_line(generation, 0, sample, "P", entry).at("doc") == sample.fields);
    TaskHash hash, other;
    hash.add(line);
    other.add(line);
    QCOMPARE(hash.hex(), other.hex());
    other.add(said);
    QVERIFY(hash.hex() != other.hex());
  }

  void tables_come_from_results_alone() {
    const std::vector<ResultsFile> files{{made_results("segmented", four_entries()), "a.json"},
                                         {made_results("full", {made_entry("a", "", {{"match", 0.25}})}), "b.json"}};
    const std::string table = evaluation_table(files, TableFormat::Markdown);
    QVERIFY2(table.starts_with("| task | length | metric | samples | segmented | full |"), table.c_str());
    QVERIFY2(
        table.find("| made/task | 512 | match | 4 | 0.667 (n = 3) (1 failed) | 0.250 (n = 1) |") != std::string::npos,
        table.c_str());
    QVERIFY2(table.find(" | 3.15 / 5.24 | 3.15 / 5.24 |") != std::string::npos, table.c_str());
    const std::string csv = evaluation_table(files, TableFormat::Csv);
    QCOMPARE(std::ranges::count(csv, '\n'), 3);
    QVERIFY2(csv.find("model,full,made/task,512,match,0.25,,,,1,0,3145728,5242880\n") != std::string::npos,
             csv.c_str());
    const std::string tex = evaluation_table(files, TableFormat::Latex);
    QVERIFY(tex.starts_with("\\begin{tabular}{lllr") && tex.find("made/task & 512") != std::string::npos);
    QCOMPARE(evaluation_table(files, TableFormat::Markdown), table);
  }

  /// Also of results that an earlier version wrote, with a bootstrap's bounds.
  void ten_right_of_ten_leave_doubt_in_every_format() {
    std::vector<SampleEntry> entries;
    for (int i = 0; i < 10; ++i) entries.push_back(made_entry(std::to_string(i), "", {{"string_match", 1}}));
    const MadeTask task(TaskKind::Generation, "string_match");
    json cell = cell_results(task, {"made/task", 512, 10, entries}, "hash");
    json& score = cell["scores"]["string_match"];
    QVERIFY(score.at("share") == true && score.at("high") == 1.0);
    QVERIFY(std::fabs(score.at("low").get<double>() - 0.7225) < 1e-4);
    const auto shows_doubt = [](const json& of) {
      const json results = evaluation_results(results_plan(), "full", made_model(), {of});
      const auto table = [&](TableFormat format) { return evaluation_table({{results, "a.json"}}, format); };
      return table(TableFormat::Markdown).find("| 1.000 [0.722, 1.000] |") != std::string::npos &&
             table(TableFormat::Latex).find("1.000 [0.722, 1.000]") != std::string::npos &&
             table(TableFormat::Csv).find(",string_match,1,0,0.722") != std::string::npos;
    };
    QVERIFY(shows_doubt(cell));
    score = {{"score", 1}, {"stderr", 0}, {"low", 1}, {"high", 1}};
    QVERIFY(shows_doubt(cell));
  }

  /// A mean is taken over the sets of one length that have a score; it has no samples and no bytes of its own.
  void longbench_has_means_of_categories() {
    const auto cell = [](const std::string& task, std::int64_t length, double score) {
      json made = made_cell({made_entry("a", "", {{"match", score}})});
      made["task"] = task;
      made["length"] = length;
      return made;
    };
    const auto table_of = [&](const std::vector<json>& cells, TableFormat format) {
      const json results = evaluation_results(results_plan(), "full", made_model(), cells);
      return evaluation_table({{results, "a.json"}}, format);
    };
    const std::vector<json> cells{cell("longbench/lcc", 512, 0.5),     cell("longbench/hotpotqa", 512, 0.2),
                                  cell("longbench/musique", 512, 0.4), cell("longbench/lsht", 512, 1),
                                  cell("longbench_e/lcc", 512, 0.1),   cell("longbench/lcc", 1024, 0.3)};
    const std::string table = table_of(cells, TableFormat::Markdown);
    for (const char* row : {"| longbench, Multi-Doc QA | 512 | mean |  | 0.300 |  |",
                            "| longbench, Code Completion | 512 | mean |  | 0.500 |  |",
                            "| longbench, mean of 2 categories, 3 of 16 sets | 512 | mean |  | 0.400 |  |"})
      QVERIFY2(table.find(row) != std::string::npos, table.c_str());
    QVERIFY2(table.find("longbench_e,") == std::string::npos && table.find("| 1024 | mean") == std::string::npos,
             table.c_str());
    QVERIFY(table_of(cells, TableFormat::Csv).find("\"longbench, Multi-Doc QA\",512,mean,0.3") != std::string::npos);
    QVERIFY(table_of({cells[0], cells[3], cells[4]}, TableFormat::Markdown).find("mean of") == std::string::npos);
  }

  /// A control stands beside what it controls, with its own settings in its name and in its results.
  void settings_of_a_policy_are_its_own() {
    EvaluationPlan plan = results_plan();
    const std::string control = "segmented[retrieval_length=0]";
    plan.policies = {"segmented", control};
    plan.config.retrieval_length = 32;
    std::vector<ResultsFile> files;
    for (const std::string& policy : plan.policies)
      files.push_back({evaluation_results(plan, policy, made_model(), {made_cell(four_entries())}), policy});
    for (const auto& [column, settings, length] :
         {std::tuple(0, json::object(), 32), {1, json{{"retrieval_length", 0}}, 0}}) {
      const json& ours = files[static_cast<std::size_t>(column)].results.at("carryover");
      QVERIFY(ours.at("policy") == plan.policies[static_cast<std::size_t>(column)]);
      QVERIFY(ours.at("settings") == settings && ours.at("config").at("retrieval_length") == length);
      QVERIFY(ours.at("config").at("carry_length") == plan.config.carry_length);
    }
    const std::string table = evaluation_table(files, TableFormat::Markdown);
    QVERIFY2(table.starts_with("| task | length | metric | samples | segmented | segmented[retrieval_length=0] |"),
             table.c_str());
    QVERIFY(evaluation_table(files, TableFormat::Csv).find("\nmodel,segmented[retrieval_length=0],made/task,512,") !=
            std::string::npos);
    QVERIFY(evaluation_table(files, TableFormat::Latex).find("segmented[retrieval\\_length=0]") != std::string::npos);
  }

  void a_folder_is_read_in_its_policies_order() {
    const TempDir temp;
    const EvaluationPlan plan = results_plan();
    write_bytes(plan_path(temp.path()), evaluation_json(plan).dump());
    QVERIFY(read_results(temp.path()).empty());
    for (const char* policy : {"full", "segmented"}) {
      const std::string folder = policy_folder(plan, temp.path(), policy);
      make_folder(folder);
      write_bytes(results_path(plan, folder), made_results(policy, four_entries()).dump());
      QCOMPARE(read_results(results_path(plan, folder)).size(), 1U);
    }
    for (const std::string& path : {temp.path().string(), plan_path(temp.path())}) {
      const std::vector<ResultsFile> files = read_results(path);
      QVERIFY(files.size() == 2 && files[0].results.at("carryover").at("policy") == "segmented");
    }
    QVERIFY(error_of([&] { read_results(temp.file("none.json")); }));
  }

  void crafted_results_are_refused() {
    const json whole = made_results("full", four_entries());
    const auto refuses = [&](const auto& change) {
      json crafted = whole;
      change(crafted);
      const auto error = error_of([&] { evaluation_table({{crafted, "x.json"}}, TableFormat::Markdown); });
      return error && error->fault() == Fault::BadInput && error->where().starts_with("x.json");
    };
    QVERIFY(refuses([](json& all) { all = json::array(); }));
    QVERIFY(refuses([](json& all) { all.erase("carryover"); }));
    QVERIFY(refuses([](json& all) { all["carryover"]["tasks"] = 1; }));
    QVERIFY(refuses([](json& all) { all["carryover"]["model"] = 1; }));
    QVERIFY(refuses([](json& all) { all["carryover"]["policy"] = 1; }));
    for (const char* key : {"task", "metric", "length", "n", "failures", "visible_kv_bytes", "scores"})
      QVERIFY2(refuses([&](json& all) { all["carryover"]["tasks"][0][key] = json::array(); }), key);
    QVERIFY(refuses([](json& all) { all["carryover"]["tasks"][0]["scores"]["match"] = 1; }));
    QVERIFY(refuses([](json& all) { all["carryover"]["tasks"][0]["scores"]["match"]["low"] = "x"; }));
  }
};

static const TestFile these_tests{__FILE__, without_application<EvaluationResultsTest>};
#include "evaluation_results_test.moc"
