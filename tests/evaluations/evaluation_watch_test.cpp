// SPDX-License-Identifier: GPL-3.0-or-later
// An evaluation's folder as it grows: each whole line once, what is torn or cut, what lies, and tables as far as it
// got.
#include "engine/campaigns/evaluations/evaluation_watch.h"

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/campaigns/evaluations/evaluation_command.h"
#include "engine/campaigns/evaluations/evaluation_results.h"
#include "engine/formats/folder_lock.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "tests/evaluations/made_task.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

EvaluationPlan followed_plan() {
  EvaluationPlan plan;
  plan.model = "/models/small.gguf";
  plan.tasks = {"passkey", "recall/names"};
  plan.lengths = {256, 512};
  plan.policies = {"segmented", "segmented[retrieval_length=0]"};
  plan.samples = 4;
  return plan;
}

struct Folder {
  explicit Folder(const std::string& path) : out(path) {
    fs::create_directories(out);
    plan = begin_evaluation(out, followed_plan());
    for (const std::string& policy : plan.policies) fs::create_directories(policy_folder(plan, out, policy));
  }
  std::string journal(std::size_t row, std::size_t column) const {
    const std::string& task = plan.tasks[row / plan.lengths.size()];
    return journal_path(policy_folder(plan, out, plan.policies[column]),
                        cell_key(task, plan.lengths[row % plan.lengths.size()]));
  }
  void append(std::size_t row, std::size_t column, const std::string& text) const {
    std::ofstream(journal(row, column), std::ios::app | std::ios::binary) << text;
  }
  std::string out;
  EvaluationPlan plan;
};

std::string line_of(int n, double score) {
  return json_text(
             entry_json(made_entry("s" + std::to_string(n), n % 2 == 0 ? "near" : "far", {{"string_match", score}}))) +
         "\n";
}

}  // namespace

class EvaluationWatchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_whole_line_comes_once() {
    const Folder folder(temp_.file("grows"));
    EvaluationWatch watch(folder.out);
    auto news = watch.poll();
    QVERIFY(news && news->rows() == 4 && news->columns() == 2 && !news->running);
    QVERIFY(!watch.poll());
    std::string text;
    for (int n = 0; n < 4; ++n) text += line_of(n, n < 3 ? 1 : 0);
    std::size_t written = 0, whole = 0;
    for (const std::size_t upto :
         {std::size_t{10}, text.find('\n'), text.find('\n') + 1, text.size() / 2, text.size() - 1, text.size()}) {
      folder.append(1, 1, text.substr(written, upto - written));
      written = upto;
      const auto next = watch.poll();
      const auto lines =
          static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(upto), '\n'));
      QCOMPARE(next != nullptr, lines != whole);
      whole = lines;
      if (next) QCOMPARE(next->cell(1, 1).entries.size(), whole);
      if (next) news = next;
    }
    const ScoreCell& cell = news->cell(1, 1);
    QCOMPARE(cell.task, std::string("passkey"));
    QCOMPARE(cell.length, std::int64_t{512});
    QCOMPARE(cell.policy, std::string("segmented[retrieval_length=0]"));
    QVERIFY(cell.score() != nullptr && !cell.score()->interval);  // four samples are too few for one
    QCOMPARE(cell.score()->score, 0.75);
    QCOMPARE(cell.slices.size(), std::size_t{2});
    QCOMPARE(*cell.slices[0].score, 1.0);
    QCOMPARE(*cell.slices[1].score, 0.5);
    QCOMPARE(cell.visible_bytes, std::int64_t{3} << 20);
    QVERIFY(!cell.done && news->cell(1, 0).entries.empty());
    QVERIFY(!is_wrong(cell, cell.entries[0]) && is_wrong(cell, cell.entries[3]));
  }

  void what_a_kill_left_is_cut_and_goes_on() {
    const Folder folder(temp_.file("killed"));
    EvaluationWatch watch(folder.out);
    folder.append(0, 0, line_of(0, 1) + "{\"id\": \"s1\", \"sli");
    QCOMPARE(watch.poll()->cell(0, 0).entries.size(), std::size_t{1});
    {
      SampleJournal journal(folder.journal(0, 0));  // cuts the torn line off
      journal.append(made_entry("s1", "", {{"string_match", 0}}));
    }
    const auto news = watch.poll();
    QVERIFY(news);
    QCOMPARE(news->cell(0, 0).entries.size(), std::size_t{2});
    QCOMPARE(news->cell(0, 0).entries[1].id, std::string("s1"));
    QVERIFY(news->problem.empty());
  }

  void a_replaced_journal_is_read_anew() {
    const Folder folder(temp_.file("replaced"));
    EvaluationWatch watch(folder.out);
    folder.append(0, 0, line_of(0, 1) + line_of(1, 1));
    QCOMPARE(watch.poll()->cell(0, 0).entries.size(), std::size_t{2});
    write_file_atomically(folder.journal(0, 0), line_of(7, 0));
    const auto news = watch.poll();
    QVERIFY(news);
    QCOMPARE(news->cell(0, 0).entries.size(), std::size_t{1});
    QCOMPARE(news->cell(0, 0).entries[0].id, std::string("s7"));
  }

  void damaged_lines_are_named_and_others_stay() {
    const Folder folder(temp_.file("damaged"));
    EvaluationWatch watch(folder.out);
    folder.append(0, 0, line_of(0, 1) + "{\"id\": 3}\n");
    folder.append(0, 1, line_of(0, 1));
    const auto news = watch.poll();
    QVERIFY2(news->problem.find(folder.journal(0, 0) + ":2") != std::string::npos, news->problem.c_str());
    QCOMPARE(news->cell(0, 0).entries.size(), std::size_t{1});
    QCOMPARE(news->cell(0, 1).entries.size(), std::size_t{1});
    QVERIFY(!watch.poll());  // nothing else is wrong
  }

  void a_lock_says_that_it_runs_and_lines_that_a_cell_is_done() {
    const Folder folder(temp_.file("locked"));
    EvaluationWatch watch(folder.out);
    QVERIFY(!watch.poll()->running);
    {
      const FolderLock lock(folder.out);
      QVERIFY(watch.poll()->running);
    }
    QVERIFY(!watch.poll()->running);
    folder.append(0, 0, line_of(0, 1) + line_of(1, 0));
    QCOMPARE(*watch.poll()->samples_of_row(0), std::size_t{4});  // as asked for
    write_file_atomically(
        sample_lines_path(folder.plan, policy_folder(folder.plan, folder.out, "segmented"), cell_key("passkey", 256)),
        "{}\n");
    const auto news = watch.poll();
    QVERIFY(news->cell(0, 0).done && !news->cell(0, 1).done);
    QCOMPARE(*news->samples_of_row(0), std::size_t{2});
  }

  void a_plan_that_lies_is_refused() {
    const Folder folder(temp_.file("lies"));
    json plan = read_json_file(plan_path(folder.out));
    for (int i = 0; i < 6000; ++i) plan["lengths"].push_back(1000 + i);
    write_file_atomically(plan_path(folder.out), plan.dump());
    EvaluationWatch watch(folder.out);
    QCOMPARE(unlike(Fault::BadInput, "5000", [&] { watch.poll(); }), std::string());
    write_file_atomically(plan_path(folder.out), "{");
    QCOMPARE(unlike(Fault::BadInput, "evaluation.json", [&] { watch.poll(); }), std::string());
    write_file_atomically(plan_path(folder.out), json_text(evaluation_json(folder.plan)));
    QVERIFY(watch.poll());  // it looks again
  }

  void tables_are_those_of_results() {
    const Folder folder(temp_.file("tables"));
    EvaluationWatch watch(folder.out);
    std::vector<ResultsFile> files;
    for (std::size_t column = 0; column < 2; ++column) {
      json tasks = json::array();
      for (std::size_t row = 0; row < 4; ++row) {
        SampleJournal journal(folder.journal(row, column));
        for (int n = 0; n < 4; ++n)
          journal.append(
              made_entry("s" + std::to_string(n), "", {{"string_match", (n + row + column) % 2 ? 1.0 : 0.5}}));
        const std::string& task = folder.plan.tasks[row / 2];
        tasks.push_back(cell_results(*task_for_scores(task, {}),
                                     {task, folder.plan.lengths[row % 2], 4, journal.entries()}, "hash"));
      }
      files.push_back({json{{"carryover",
                             {{"policy", folder.plan.policies[column]},
                              {"model", {{"file", evaluated_name(folder.plan.model)}}},
                              {"tasks", std::move(tasks)}}}},
                       "made"});
    }
    const auto news = watch.poll();
    for (const TableFormat format : {TableFormat::Markdown, TableFormat::Csv, TableFormat::Latex})
      QCOMPARE(evaluation_table(live_results(*news), format), evaluation_table(files, format));
  }

  void commands_name_what_is_not_usual() {
    EvaluationRequest request{followed_plan(), "out folder", 2};
    request.plan.data = {{"ruler", "/data/ruler"}};
    request.plan.seed = 7;
    const std::vector<std::string> words = evaluation_command(request);
    const auto value_of = [&](const std::string& flag) {
      const auto found = std::ranges::find(words, flag);
      return found == words.end() ? std::string("absent") : *(found + 1);
    };
    QCOMPARE(value_of("--tasks"), std::string("passkey,recall/names"));
    QCOMPARE(value_of("--lengths"), std::string("256,512"));
    QCOMPARE(value_of("--policies"), std::string("segmented,segmented[retrieval_length=0]"));
    QCOMPARE(value_of("--seed"), std::string("7"));
    QCOMPARE(value_of("--data"), std::string("ruler=/data/ruler"));
    QCOMPARE(value_of("--out"), std::string("out folder"));
    QCOMPARE(value_of("--limit"), std::string("absent"));
    QCOMPARE(value_of("--dtype"), std::string("absent"));
    request.plan.lengths = {0, 256};
    QCOMPARE(unlike(Fault::Usage, "--lengths", [&] { evaluation_command(request); }), std::string());
    request.plan.lengths = {0};
    request.plan.tasks = {"file:/a,b.jsonl"};
    QCOMPARE(unlike(Fault::Usage, "comma", [&] { evaluation_command(request); }), std::string());
  }

 private:
  TempDir temp_;
};

static const TestFile these_tests{__FILE__, without_application<EvaluationWatchTest>};
#include "evaluation_watch_test.moc"
