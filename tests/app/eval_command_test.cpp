// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover eval` on the demo: results that no interruption changes, scores that `run` and `generate` give too.
#include <signal.h>

#include <QTest>
#include <QThread>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/json_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// One thread and fp32, so that numbers repeat.
QStringList eval_demo(const std::string& out, const QStringList& more) {
  return QStringList{"eval",      demo_model(), "--dtype", "fp32",  "--device", "cpu",
                     "--threads", "1",          "--quiet", "--out", text(out)} +
         more;
}

const QStringList kNames{"--tasks",    "recall/names",   "--lengths", "256,512",
                         "--policies", "segmented,full", "--samples", "14"};

std::vector<std::string> files_in(const std::string& out, const std::string& part) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out))
    if (entry.is_regular_file() && entry.path().filename().string().find(part) != std::string::npos)
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

std::vector<json> lines_of(const std::string& path) {
  std::vector<json> lines;
  const std::string all = read_bytes(path);
  for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1)
    lines.push_back(json::parse(all.substr(at, all.find('\n', at) - at)));
  return lines;
}

/// Returns the numbers without those of a clock: times, and names that have one.
json numbers_of(const std::string& out) {
  json all = json::object();
  for (const std::string& path : files_in(out, "results_")) {
    json results = read_json_file(path);
    for (const char* key : {"date", "total_evaluation_time_seconds"}) results.erase(key);
    for (json& task : results["carryover"]["tasks"])
      for (const char* key : {"prefill_seconds", "decode_seconds"}) task.erase(key);
    all["results"].push_back(std::move(results));
  }
  for (const std::string& path : files_in(out, "samples_")) {
    std::vector<json> lines = lines_of(path);
    for (json& line : lines)
      for (const char* key : {"prefill_seconds", "decode_seconds"}) line.erase(key);
    all["samples"].push_back(std::move(lines));
  }
  for (const char* table : {"/table.md", "/table.csv", "/table.tex"}) all["tables"].push_back(read_bytes(out + table));
  return all;
}

std::size_t journal_lines(const std::string& out) {
  std::size_t lines = 0;
  if (!fs::exists(out)) return 0;
  for (const std::string& path : files_in(out, "samples_")) {
    if (path.find('T', path.rfind('/')) != std::string::npos) continue;  // a finished task's, with the time
    const std::string all = read_bytes(path);
    lines += static_cast<std::size_t>(std::ranges::count(all, '\n'));
  }
  return lines;
}

}  // namespace

class EvalCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void a_folder_has_what_was_asked_for();
  void a_second_call_changes_nothing();
  void kills_change_nothing();
  void ctrl_c_stops_and_the_same_command_continues();
  void other_settings_are_refused();
  void a_control_stands_in_the_same_table();
  void choices_have_the_losses_of_run();
  void texts_are_those_of_generate();
  void perplexity_is_that_of_run();
  void a_sample_that_fails_leaves_the_others();
  void longbench_answers_are_files_of_the_project();
  void a_dry_run_writes_nothing();
  void samples_are_written();
  void a_limit_takes_the_first_ones();
  void tables_are_rendered();
  void wrong_usage_is_refused();

 private:
  TempDir temp_;
  std::string out_;
};

/// One undisturbed evaluation, which others are held against.
void EvalCommandTest::initTestCase() {
  out_ = temp_.file("undisturbed");
  const CliResult result = run_cli(eval_demo(out_, kNames));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("| recall/names | 512 | string_match | 14 |"), result.out);
}

void EvalCommandTest::a_folder_has_what_was_asked_for() {
  const EvaluationPlan plan = plan_of(read_json_file(plan_path(out_)), "evaluation.json");
  QVERIFY(plan.loaded_dtype == "fp32" && plan.weights_hash.size() == 16);
  QCOMPARE(files_in(out_, "results_").size(), 2U);
  for (const std::string& policy : plan.policies) {
    const std::string folder = policy_folder(plan, out_, policy);
    const json results = read_json_file(results_path(plan, folder));
    QVERIFY(results.at("carryover").at("policy") == policy);
    for (const std::int64_t length : plan.lengths) {
      const std::string key = cell_key("recall/names", length);
      const std::vector<json> entries = lines_of(journal_path(folder, key)),
                              lines = lines_of(sample_lines_path(plan, folder, key));
      QVERIFY(entries.size() == 14 && lines.size() == 14);
      double sum = 0;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        QVERIFY(lines[i].at("doc_id") == i && lines[i].at("prompt_hash") == entries[i].at("prompt_hash"));
        QVERIFY(entries[i].at("tokens").get<std::int64_t>() <= length);
        sum += lines[i].at("string_match").get<double>();
      }
      QVERIFY(std::fabs(results.at("results").at(key).at("string_match,none").get<double>() - sum / 14) < 1e-12);
    }
  }
  for (const char* file : {"/table.md", "/table.csv", "/table.tex"}) QVERIFY(fs::file_size(out_ + file) > 50);
  const std::string written = numbers_of(out_).at("results").dump();
  for (const std::string& folder : {std::string(CARRYOVER_SOURCE_DIR), temp_.path().string()})
    QVERIFY(written.find(folder) == std::string::npos);
}

void EvalCommandTest::a_second_call_changes_nothing() {
  std::map<std::string, std::string> before;
  for (const std::string& path : files_in(out_, "")) before[path] = read_bytes(path);
  QVERIFY(before.size() == 2 * (1 + 2 * 2) + 4);
  const json printed = json_of(run_cli(eval_demo(out_, kNames + QStringList{"--json"})));
  QVERIFY(printed.at("samples") == 56 && printed.at("failures") == 0 && printed.at("stopped") == false);
  for (const std::string& path : files_in(out_, "")) QVERIFY2(read_bytes(path) == before[path], path.c_str());
  fs::remove(out_ + "/demo__full/results_" + plan_of(read_json_file(plan_path(out_)), "evaluation.json").time +
             ".json");
  QCOMPARE(run_cli(eval_demo(out_, kNames)).code, 0);
  for (const std::string& path : files_in(out_, "")) QVERIFY2(read_bytes(path) == before[path], path.c_str());
}

void EvalCommandTest::kills_change_nothing() {
  const std::string out = temp_.file("killed");
  std::mt19937 random(7);
  int kills = 0;
  for (const std::size_t least : {0U, 1U, 9U, 17U, 30U, 41U, 55U}) {
    QProcess process;
    prepare_cli(process, eval_demo(out, kNames));
    process.start();
    while (process.state() != QProcess::NotRunning && journal_lines(out) < least) process.waitForFinished(1);
    QThread::usleep(random() % 3000);
    process.kill();
    process.waitForFinished();
    kills += process.exitStatus() == QProcess::CrashExit ? 1 : 0;
    if (least == 17) {  // a line that was being written
      const std::string journal = files_in(out, "samples_recall_names_256.jsonl").front();
      const std::string whole = read_bytes(journal);
      write_bytes(journal, whole.substr(0, whole.size() - 5));
    }
  }
  QVERIFY(kills >= 4);
  const CliResult result = run_cli(eval_demo(out, kNames));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(numbers_of(out) == numbers_of(out_));
  QVERIFY(files_in(out, ".tmp-").empty());  // of files that the kills left unfinished
}

void EvalCommandTest::ctrl_c_stops_and_the_same_command_continues() {
  const std::string out = temp_.file("stopped");
  QStringList many = kNames;
  many.replace(many.indexOf("14"), "2000");
  QProcess process;
  prepare_cli(process, eval_demo(out, many));
  process.start();
  QVERIFY(QTest::qWaitFor([&] { return journal_lines(out) > 3; }, 60000));
  QCOMPARE(kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
  const CliResult stopped = finish_cli(process);
  QVERIFY2(stopped.code == 130, qPrintable(QString::number(stopped.code) + stopped.err));
  QVERIFY2(stopped.out.contains("run the same command again to continue"), stopped.out);
  const std::size_t done = journal_lines(out);
  QVERIFY(done > 3 && done < 8000);
  QVERIFY(files_in(out, "results_").empty());
  QProcess again;
  prepare_cli(again, eval_demo(out, many));
  again.start();
  QVERIFY(QTest::qWaitFor([&] { return journal_lines(out) > done; }, 60000));
  QCOMPARE(kill(static_cast<pid_t>(again.processId()), SIGTERM), 0);
  QCOMPARE(finish_cli(again).code, 130);
}

void EvalCommandTest::other_settings_are_refused() {
  const auto refused = [&](const QStringList& more, const char* difference) {
    const CliResult result = run_cli(eval_demo(out_, kNames + more));
    return result.code == 2 && result.err.contains("holds another evaluation: " + QByteArray(difference));
  };
  QVERIFY(refused({"--limit", "3"}, "limit is 0 there and 3 here"));
  QVERIFY(refused({"--seed", "3"}, "seed is 42 there and 3 here"));
  QVERIFY(refused({"--question", "outside"}, "question is"));
  QVERIFY(refused({"--carry-length", "8"}, "config.carry_length is 16 there and 8 here"));
  const FolderLock lock(out_);
  const CliResult result = run_cli(eval_demo(out_, kNames));
  QVERIFY2(result.code == 2 && result.err.contains("another process"), result.err);
}

/// It has the numbers of the policy under its settings, alone in a folder of its own.
void EvalCommandTest::a_control_stands_in_the_same_table() {
  const std::string both = temp_.file("control"), alone = temp_.file("alone");
  QStringList names{"--tasks", "recall/names", "--lengths", "256", "--samples", "14", "--limit", "6", "--policies"};
  const CliResult result = run_cli(eval_demo(both, names + QStringList{"segmented, segmented[retrieval_length=0]"}));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("| segmented | segmented[retrieval_length=0] |"), result.out);
  const EvaluationPlan plan = plan_of(read_json_file(plan_path(both)), "evaluation.json");
  QVERIFY((plan.policies == std::vector<std::string>{"segmented", "segmented[retrieval_length=0]"}));
  QCOMPARE(run_cli(eval_demo(alone, names + QStringList{"segmented", "--retrieval-length", "0"})).code, 0);
  const std::string key = cell_key("recall/names", 256);
  std::vector<json> control = lines_of(journal_path(policy_folder(plan, both, plan.policies[1]), key)),
                    wanted = lines_of(journal_path(policy_folder(plan, alone, "segmented"), key)),
                    with = lines_of(journal_path(policy_folder(plan, both, "segmented"), key));
  QCOMPARE(control.size(), std::size_t{6});
  for (std::vector<json>* lines : {&control, &wanted, &with})
    for (json& line : *lines)
      for (const char* time : {"prefill_seconds", "decode_seconds"}) line.erase(time);
  QVERIFY(control == wanted && control != with);
  for (std::size_t i = 0; i < control.size(); ++i)  // the same questions
    QVERIFY(control[i].at("prompt_hash") == with[i].at("prompt_hash"));
  QVERIFY(control[0].at("visible_bytes").get<int>() < with[0].at("visible_bytes").get<int>());
  QVERIFY(files_in(both, ".tmp-").empty());
}

/// The sum over a choice's tokens of what `run` gives for prompt and choice.
void EvalCommandTest::choices_have_the_losses_of_run() {
  const std::string long_talk = " It rained all day. A ship came. The sea was calm. We drank our tea.";
  std::string context = "Here comes Zoe Moon.";
  for (int i = 0; i < 8; ++i) context += long_talk;
  const std::vector<json> samples{
      {{"prompt", "Here comes May Snow. Who is May? May"},
       {"choices", {"Snow.", "Hill.", "Fox. It rained"}},
       {"answer", 0}},
      {{"context", context}, {"question", " Who is Zoe? Zoe"}, {"choices", {"Fox.", "Moon."}}, {"answer", 1}}};
  std::string lines;
  for (const json& sample : samples) lines += sample.dump() + "\n";
  write_bytes(temp_.file("choices.jsonl"), lines);
  const std::string out = temp_.file("choices");
  const QStringList tasks{"--tasks", "file:" + text(temp_.file("choices.jsonl")), "--policies", "segmented,full"};
  const CliResult result = run_cli(eval_demo(out, tasks));
  QVERIFY2(result.code == 0, result.err);
  for (const char* policy : {"segmented", "full"}) {
    const std::vector<json> entries = lines_of(out + "/demo__" + policy + "/samples_file_choices_jsonl.jsonl");
    QCOMPARE(entries.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::string prompt =
          samples[i].value("prompt", samples[i].value("context", "") + samples[i].value("question", ""));
      for (std::size_t c = 0; c < samples[i].at("choices").size(); ++c) {
        const std::string whole = prompt + " " + samples[i].at("choices")[c].get<std::string>();
        const auto tokens = json_of(run_cli({"tokenize", demo_model(), "-"}, QByteArray::fromStdString(whole))).size() -
                            json_of(run_cli({"tokenize", demo_model(), "-"}, QByteArray::fromStdString(prompt))).size();
        write_bytes(temp_.file("text"), whole);
        json_of(run_cli(run_demo({text(temp_.file("text")), "--policy", policy, "--threads", "1", "--out",
                                  text(temp_.file("run")), "--overwrite", "--json"})));
        const auto nll = json::parse(read_bytes(temp_.file("run/nll.json"))).get<std::vector<double>>();
        const double sum = std::accumulate(nll.end() - static_cast<std::ptrdiff_t>(tokens), nll.end(), 0.0);
        const double found = entries[i].at("loglikelihoods")[c].get<double>();
        QVERIFY2(std::fabs(found + sum) <= 1e-6 * std::max(1.0, sum), std::to_string(found + sum).c_str());
      }
    }
    QVERIFY(entries[0].at("greedy")[0] == true && entries[0].at("greedy")[1] == false);
  }
  // The same numbers from where the context is read alone, as long as a policy forgets nothing at its end.
  const std::string outside = temp_.file("outside");
  QCOMPARE(run_cli(eval_demo(outside, tasks + QStringList{"--question", "outside"})).code, 0);
  const std::string file = "/demo__full/samples_file_choices_jsonl.jsonl";
  const std::vector<json> inside = lines_of(out + file), apart = lines_of(outside + file);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    QVERIFY(inside[i].at("greedy") == apart[i].at("greedy"));
    for (std::size_t c = 0; c < inside[i].at("loglikelihoods").size(); ++c)
      QVERIFY(std::fabs(inside[i].at("loglikelihoods")[c].get<double>() -
                        apart[i].at("loglikelihoods")[c].get<double>()) < 1e-4);
  }
}

void EvalCommandTest::texts_are_those_of_generate() {
  const EvaluationPlan plan = plan_of(read_json_file(plan_path(out_)), "evaluation.json");
  const std::string folder = policy_folder(plan, out_, "segmented"), key = cell_key("recall/names", 512);
  const std::vector<json> lines = lines_of(sample_lines_path(plan, folder, key));
  for (std::size_t i = 0; i < 3; ++i) {
    const json& arguments = lines[i].at("arguments").at("gen_args_0");
    write_bytes(temp_.file("prompt"), arguments.at("arg_0").get<std::string>());
    const json said =
        json_of(run_cli({"generate", demo_model(), "--dtype", "fp32", "--threads", "1", "--prompt-file",
                         text(temp_.file("prompt")), "--max-new-tokens",
                         QString::number(arguments.at("arg_1").at("max_gen_toks").get<int>()), "--json", "--quiet"}));
    const auto whole = said.at("text").get<std::string>();
    std::size_t end = whole.size();
    for (const json& stop : arguments.at("arg_1").at("until")) end = std::min(end, whole.find(stop.get<std::string>()));
    QCOMPARE(lines[i].at("resps")[0][0].get<std::string>(), whole.substr(0, end));
  }
}

void EvalCommandTest::perplexity_is_that_of_run() {
  const std::string out = temp_.file("perplexity");
  const CliResult result = run_cli(
      eval_demo(out, {"--tasks", "ppl/disjoint", "--lengths", "300", "--limit", "1", "--data", "ppl=" + demo_text()}));
  QVERIFY2(result.code == 0, result.err);
  const json entry = lines_of(out + "/demo__segmented/samples_ppl_disjoint_300.jsonl").front();
  const json summary = json_of(run_cli(run_demo({demo_text(), "--tokens", "300", "--threads", "1", "--json"})));
  QVERIFY(entry.at("scores").at("tokens") == summary.at("targets"));
  QVERIFY(std::fabs(entry.at("scores").at("nll").get<double>() / summary.at("targets").get<double>() -
                    summary.at("nll_mean").get<double>()) < 1e-6);
  const json task = read_json_file(files_in(out, "results_").front()).at("carryover").at("tasks")[0];
  for (const auto& [list, targets] : {std::pair("loss_by_position", 299), {"loss_by_offset", 299 - 64}}) {
    std::int64_t count = 0;
    for (const json& bin : task.at(list)) count += bin.at(1).get<std::int64_t>();
    QCOMPARE(count, targets);
  }
}

void EvalCommandTest::a_sample_that_fails_leaves_the_others() {
  // The question is longer than a segment where it is run twice.
  std::string question;
  for (int i = 0; i < 80; ++i) question += " It rained.";
  write_bytes(temp_.file("long.jsonl"),
              json{{"context", "A ship came."}, {"question", " Who is May?"}, {"answers", {"x"}}}.dump() + "\n" +
                  json{{"context", "A ship came."}, {"question", question}, {"answers", {"x"}}}.dump() + "\n");
  const std::string out = temp_.file("failing");
  const QStringList more{"--tasks", "file:" + text(temp_.file("long.jsonl")), "--question-pass"};
  for (int time = 0; time < 2; ++time) {  // recorded, and not tried again
    const CliResult result = run_cli(eval_demo(out, more + QStringList{"--json"}));
    QVERIFY2(result.code == 1, result.err);
    const json printed = json::parse(result.out.toStdString());
    QVERIFY(printed.at("samples") == 2 && printed.at("failures") == 1);
  }
  const json task = read_json_file(files_in(out, "results_").front()).at("carryover").at("tasks")[0];
  QVERIFY(task.at("n") == 1 && task.at("failures") == 1 && task.at("errors").size() == 1);
  const auto error = task.at("errors")[0].at("error").get<std::string>();
  QVERIFY2(error.find("fit one segment") != std::string::npos, error.c_str());
  QVERIFY(read_bytes(out + "/table.md").find("(1 failed)") != std::string::npos);
}

/// A line for each sample that was answered, where eval.py and result.py look, and by whose scores ours are.
void EvalCommandTest::longbench_answers_are_files_of_the_project() {
  const fs::path data = temp_.file("longbench");
  fs::create_directories(data / "config");
  write_bytes((data / "config/dataset2prompt.json").string(),
              json{{"hotpotqa", "{context}\nQuestion: {input}\nAnswer:"}, {"lcc", "{context}{input}"}}.dump());
  const auto record = [](const char* id, const char* answer) {
    return json{{"_id", id},           {"input", "Who rowed?"}, {"context", "May rowed."},
                {"answers", {answer}}, {"length", 7},           {"all_classes", nullptr}}
               .dump() +
           "\n";
  };
  for (const char* set : {"hotpotqa", "lcc"})
    write_bytes((data / (std::string(set) + ".jsonl")).string(), record("one", "May") + record("two", "Al"));
  const std::string out = temp_.file("longbench-out");
  const CliResult result =
      run_cli(eval_demo(out, {"--tasks", "longbench/hotpotqa,longbench/lcc", "--data",
                              "longbench=" + text(data.string()), "--lengths", "256", "--policies", "full"}));
  QVERIFY2(result.code == 0, result.err);
  for (const char* set : {"hotpotqa", "lcc"}) {
    const auto predictions = lines_of(out + "/pred/demo__full_256/" + set + ".jsonl");
    const auto samples = lines_of(files_in(out, std::string("samples_longbench_") + set + "_256_").front());
    QCOMPARE(predictions.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
      QVERIFY(predictions[i].at("pred") == samples[i].at("filtered_resps")[0]);
      QVERIFY(predictions[i].at("answers") == samples[i].at("doc").at("answers"));
      QVERIFY(predictions[i].at("length") == 7 && predictions[i].at("all_classes").is_null());
    }
  }
  QVERIFY(result.out.contains("| longbench, mean of 2 categories, 2 of 16 sets | 256 |"));
}

void EvalCommandTest::a_dry_run_writes_nothing() {
  const std::string out = temp_.file("dry");
  const CliResult result = run_cli(eval_demo(out, kNames + QStringList{"--dry-run", "--limit", "5"}));
  QVERIFY2(result.code == 0 && result.out.contains("recall/names 512: 5 samples, "), result.err + result.out);
  QVERIFY(result.out.contains("Nothing was run.") && !fs::exists(out));
  const json all = json_of(run_cli(eval_demo(out, kNames + QStringList{"--dry-run", "--json"})));
  QVERIFY(all.at("tasks").size() == 2 && all.at("tasks")[1].at("samples") == 14 && all.at("seconds") > 0.0);
  QVERIFY(all.at("tasks")[0].at("seconds").size() == 2 && !fs::exists(out));
}

void EvalCommandTest::samples_are_written() {
  const std::string folder = temp_.file("written");
  const CliResult result =
      run_cli(eval_demo(temp_.file("none"), kNames + QStringList{"--write-samples", text(folder)}));
  QVERIFY2(result.code == 0, result.err);
  const EvaluationPlan plan = plan_of(read_json_file(plan_path(out_)), "evaluation.json");
  for (const std::int64_t length : plan.lengths) {
    const std::string key = cell_key("recall/names", length);
    const std::vector<json> docs = lines_of(folder + "/" + key + ".jsonl"),
                            lines = lines_of(sample_lines_path(plan, policy_folder(plan, out_, "full"), key));
    QCOMPARE(docs.size(), lines.size());
    for (std::size_t i = 0; i < docs.size(); ++i) QVERIFY(docs[i] == lines[i].at("doc"));
  }
  QVERIFY(!fs::exists(temp_.file("none")));
}

void EvalCommandTest::a_limit_takes_the_first_ones() {
  const std::string out = temp_.file("limited");
  QCOMPARE(run_cli(eval_demo(out, kNames + QStringList{"--limit", "4"})).code, 0);
  for (const char* file :
       {"/demo__full/samples_recall_names_512.jsonl", "/demo__segmented/samples_recall_names_256.jsonl"}) {
    const std::vector<json> some = lines_of(out + file), all = lines_of(out_ + file);
    QCOMPARE(some.size(), 4U);
    for (std::size_t i = 0; i < some.size(); ++i)
      for (const char* key : {"id", "prompt_hash", "scores", "text"})
        QVERIFY(some[i].value(key, json()) == all[i].value(key, json()));
  }
  const json results = read_json_file(files_in(out, "results_").front());
  QVERIFY(results.at("n-samples").at("recall_names_512") == json({{"original", 14}, {"effective", 4}}));
}

void EvalCommandTest::tables_are_rendered() {
  for (const auto& [format, file] : {std::pair("md", "/table.md"), {"csv", "/table.csv"}, {"tex", "/table.tex"}}) {
    const CliResult result = run_cli({"eval", "--render", text(out_), "--format", format});
    QVERIFY2(result.code == 0, result.err);
    QCOMPARE(result.out.toStdString(), read_bytes(out_ + file));
  }
  const CliResult one = run_cli({"eval", "--render", text(files_in(out_, "results_").front())});
  QVERIFY2(one.code == 0 && one.out.contains("| full |") && !one.out.contains("segmented"), one.out);
}

void EvalCommandTest::wrong_usage_is_refused() {
  const auto refused = [&](const QStringList& more, const char* part, int code = 2) {
    const CliResult result = run_cli(eval_demo(temp_.file("refused"), more));
    if (result.code == code && result.err.contains(part) && !fs::exists(temp_.file("refused"))) return true;
    qWarning() << more << result.code << result.err;
    return false;
  };
  QVERIFY(refused({}, "needs a MODEL and --tasks"));
  QVERIFY(refused({"--tasks", "nothing/at_all"}, "nothing/at_all"));
  QVERIFY(refused({"--tasks", "recall/names", "--policies", "segmented,nothing"}, "nothing"));
  QVERIFY(refused({"--tasks", "recall/names", "--policies", "full,full"}, "the same twice"));
  QVERIFY(refused(
      {"--tasks", "recall/names", "--policies", "segmented[sink_length=0,bos=true],segmented[bos=true,sink_length=0]"},
      "the same twice"));
  QVERIFY(refused({"--tasks", "recall/names", "--policies", "full[sink_length=0]"}, "full does not read sink_length"));
  QVERIFY(refused({"--tasks", "recall/names", "--policies", "segmented[carry_length=1000]"},
                  "segmented[carry_length=1000]: carry_length is 1000, more than segment_length", 3));
  QVERIFY(refused({"--tasks", "recall/names", "--data", "recall"}, "FAMILY=PATH"));
  QVERIFY(refused({"--tasks", "recall/names", "--data", "nothing=x"}, "nothing"));
  QVERIFY(refused({"--tasks", "recall/names", "--lengths", "0"}, "--lengths"));
  QVERIFY(refused({"--tasks", "recall/names", "--chat"}, "has no chat template", 3));
  QVERIFY(refused({"--tasks", "recall/names", "--question", "inside", "--question-pass"}, "run twice"));
  QVERIFY(refused({"--tasks", "recall/names", "--config", R"({"tokens": 5})"}, "to one text only"));
  const CliResult list = run_cli({"eval", "--list"});
  QVERIFY(list.code == 0 && list.out.contains("recall/names: generation, string_match"));
  const json families = json_of(run_cli({"eval", "--list", "--json"}));
  QVERIFY(families.is_array() && families.size() > 3 && families[0].at("tasks").is_array());
}

static const TestFile these_tests{__FILE__, without_application<EvalCommandTest>};
#include "eval_command_test.moc"
