// SPDX-License-Identifier: GPL-3.0-or-later
// The measures of an example, on runs that are made up so that every number is known, and the tables of them.
#include "engine/campaigns/prompts/prompt_results.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/campaigns/prompts/prompt_report.h"
#include "engine/formats/output_file.h"
#include "engine/statistics/cluster_bootstrap.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::TempDir;
using nlohmann::json;

namespace {

/// Segments of 10 tokens; the loss of token t is t / 8; segment i > 0 reads what `reads` names.
RunContents made_run(int segments, const std::vector<Hit>& reads) {
  std::vector<std::shared_ptr<const SegmentSnapshot>> made;
  RunContents run;
  for (int i = 0; i < segments; ++i) {
    SegmentSnapshot segment;
    segment.record.index = i;
    segment.record.first_token = 10 * i;
    segment.record.length = 10;
    segment.record.targets = i + 1 == segments ? 9 : 10;
    for (std::int64_t j = 1; j <= segment.record.targets; ++j) {
      segment.target_nll.push_back(static_cast<float>(10 * i + j) / 8);
      segment.record.nll_sum += static_cast<double>(10 * i + j) / 8;
    }
    if (i > 0) segment.hits = {{i, 1, 2, reads}, {i, 1, 3, {{2, HitKind::Anchor, 1, 2, 0}}}};
    run.summary.add(segment.record);
    made.push_back(std::make_shared<const SegmentSnapshot>(std::move(segment)));
  }
  run.summary.tokens = 10 * segments;
  run.segments = std::make_shared<HeldSegments>(std::move(made));
  return run;
}

PromptTokens made_tokens(TokenRange answer, std::vector<TokenRange> targets) {
  return {std::vector<std::int32_t>(30), answer, std::move(targets)};
}

PromptResult made_result(const char* name, std::vector<std::string> tags, double loss, std::optional<double> recall) {
  PromptResult result{name, std::move(tags), std::string("examples/") + name, {}, {}, {}, {}};
  result.own = {100, 99, loss, {}, 40.0, recall};
  return result;
}

}  // namespace

class PromptResultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void measures_are_those_of_the_segments() {
    const std::vector<Hit> reads{
        {4, HitKind::Anchor, 2, 4, 0}, {5, HitKind::Expanded, 2, 4, 0}, {6, HitKind::Padding, 0, -1, -1}};
    const RunContents run = made_run(3, reads);
    // Asked in segment 2, whose last token predicts no more; the targets stand in segments 0 and 1, and in 2 itself.
    const PromptMeasures measures = measure_prompt(run, made_tokens({27, 30}, {{4, 8}, {12, 14}, {24, 26}}));
    QCOMPARE(measures.tokens, 30);
    QCOMPARE(measures.targets, 29);
    QCOMPARE(measures.loss.value(), 29.0 * 30 / 2 / 8 / 29);
    QCOMPARE(measures.answer_loss.value(), (27.0 + 28 + 29) / 8 / 3);
    QCOMPARE(measures.recall.value(), 0.5);                     // 4 and 5 of 4 to 7: padding does not count
    QCOMPARE(measures.hit_distance.value(), (8.0 + 15.0) / 2);  // 6, 5, 8 of segment 1 and 16, 15, 18 of segment 2
  }

  void a_target_that_the_answer_s_segment_holds_itself_is_no_matter_of_retrieval() {
    const RunContents run = made_run(3, {});
    QVERIFY(!measure_prompt(run, made_tokens({27, 30}, {{24, 26}})).recall);
    QVERIFY(!measure_prompt(run, made_tokens({20, 30}, {{12, 14}})).recall);  // token 19, in segment 1, predicts it
    QCOMPARE(measure_prompt(run, made_tokens({21, 30}, {{12, 14}})).recall.value(), 0.0);
    QCOMPARE(measure_prompt(run, made_tokens({}, {{2, 3}})).recall.value(), 1.0);  // no answer: the last segment asks
    QVERIFY(!measure_prompt(run, made_tokens({}, {})).answer_loss && !measure_prompt(made_run(1, {}), {}).hit_distance);
  }

  void slices_are_means_over_their_examples() {
    std::vector<PromptResult> results{made_result("a", {"long"}, 2, 1.0),
                                      made_result("b", {"long", "a rare one"}, 3, {}), made_result("c", {}, 7, 0.0)};
    results[0].against = PromptMeasures{100, 99, 2.5, {}, {}, {}};
    results[1].against = PromptMeasures{100, 99, 2.75, {}, {}, {}};
    results.push_back({"d", {"long"}, "examples/d", {}, {}, {}, "has failed"});
    const json json = prompt_results_json(results);
    QCOMPARE(json.at("examples").size(), std::size_t{4});
    QVERIFY(json.at("examples")[3].at("error") == "has failed" && !json.at("examples")[3].contains("loss"));
    const auto& slices = json.at("slices");
    QVERIFY(slices.size() == 3 && slices[0].at("tag").is_null() && slices[1].at("tag") == "long");
    QVERIFY(slices[2].at("tag") == "a rare one");
    QVERIFY(slices[0].at("examples") == 3 && slices[1].at("examples") == 2 && slices[2].at("examples") == 1);
    QVERIFY(
        (slices[0].at("loss") == nlohmann::json{{"mean", 4.0}, {"low", nullptr}, {"high", nullptr}, {"examples", 3}}));
    QVERIFY(slices[0].at("recall").at("mean") == 0.5 && slices[0].at("recall").at("examples") == 2);
    QVERIFY(slices[1].at("delta_loss").at("mean") == 0.125);  // +0.5 and −0.25: against − own
    QVERIFY(slices[0].at("answer_loss").is_null() && slices[0].at("delta_answer_loss").is_null());
  }

  /// The window's reader has what the command wrote (that it refuses the rest: widgets/prompts_panel, fuzz/experiment).
  void what_was_written_is_read() {
    std::vector<PromptResult> results{made_result("a", {"long"}, 2, 1.0), made_result("b", {}, 3, {})};
    results[0].against_folder = "off/a";
    results[0].against = results[0].own;
    results[1].error = "has failed";
    json written = prompt_results_json(results);
    written.update(
        {{"prompts", "set.jsonl"}, {"model", "demo"}, {"policy", "segmented"}, {"against", "off"}, {"complete", true}});
    written.update({{"model_path", "/models/demo"}, {"adapter", nullptr}});
    const TempDir folder;
    write_file_atomically(folder.file("prompts.json"), written.dump());
    const PromptReport report = read_prompt_report(folder.path().string());
    QVERIFY(report.complete && report.against == "off" && report.model == "demo" && report.prompts == "set.jsonl");
    QVERIFY(report.model_path == "/models/demo" && report.adapter.empty());
    QCOMPARE(report.examples.size(), std::size_t{2});
    QVERIFY(report.examples[0].folder == "examples/a" && report.examples[0].against_folder == "off/a");
    QVERIFY(report.examples[0].tags == std::vector<std::string>{"long"} && report.examples[1].error == "has failed");
    QCOMPARE(report.slices.size(), std::size_t{2});
    QVERIFY(!report.slices[0].tag && report.slices[1].tag == "long" && report.slices[1].examples == 1);
    for (std::size_t i = 0; i < prompt_columns().size(); ++i) {
      const PromptColumn& column = prompt_columns()[i];
      QVERIFY(report.examples[0].values[i] == column.value(results[0]));
      QVERIFY(!report.examples[1].values[i]);  // it failed
      const json& interval = written.at("slices").at(1).at(column.key);
      const std::optional<MeanInterval>& read = report.slices[1].values[i];
      QCOMPARE(read.has_value(), !interval.is_null());
      QVERIFY(!read || (read->mean == interval.at("mean") && !read->has_bounds()));
      QCOMPARE(report.slices[1].counts[i], interval.is_null() ? 0 : 1);
    }
  }

  /// A loss is a mean and keeps the bootstrap; recall is a share: five of five leave doubt.
  void shares_have_wilsons_interval_and_means_a_bootstraps() {
    std::vector<PromptResult> results;
    for (const double loss : {2, 3, 7, 4, 5}) results.push_back(made_result("a", {}, loss, 1.0));
    json written = prompt_results_json(results);
    const MeanInterval drawn = bootstrap_clusters(std::vector<double>{2, 3, 7, 4, 5}).interval;
    const json& slice = written.at("slices").at(0);
    QVERIFY(slice.at("loss").at("low") == drawn.low && slice.at("loss").at("high") == drawn.high);
    QVERIFY(std::abs(slice.at("recall").at("low").get<double>() - 0.5655) < 1e-4);
    QVERIFY(slice.at("recall").at("high") == 1.0);
    QVERIFY(prompt_table(written).find("| 1.000 [0.566, 1.000] |") != std::string::npos);
    written["slices"][0]["recall"]["low"] = 1;  // as an earlier version wrote it
    written.update({{"prompts", "set"}, {"model", "m"}, {"policy", "segmented"}, {"complete", true}});
    const TempDir folder;
    write_file_atomically(folder.file("prompts.json"), written.dump());
    const auto read = read_prompt_report(folder.path().string()).slices[0].values[3];
    QVERIFY(read && std::abs(read->low - 0.5655) < 1e-4);
  }

  void halves_are_rounded_as_in_the_window() {
    std::vector<PromptResult> results{made_result("a", {}, 1, {})};
    results[0].own.hit_distance = 104.5;
    const QString table = QString::fromStdString(prompt_table(prompt_results_json(results)));
    QVERIFY2(table.contains("| 105 (n = 1) |"), qPrintable(table));
  }

  void tables_have_the_numbers() {
    std::vector<PromptResult> results{made_result("a, \"b\"", {"long", "x|y"}, 1.0 / 3, 1.0),
                                      made_result("c", {}, 2, {})};
    const json json = prompt_results_json(results);
    const QStringList examples = QString::fromStdString(prompt_examples_csv(json)).trimmed().split('\n');
    QCOMPARE(examples.size(), 3);
    QCOMPARE(examples[0],
             "name,tags,folder,error,tokens,targets,loss,answer_loss,hit_distance,recall,delta_loss,delta_answer_loss");
    QCOMPARE(examples[1], "\"a, \"\"b\"\"\",long;x|y,\"examples/a, \"\"b\"\"\",,100,99,0.3333333333333333,,40,1,,");
    const QStringList slices = QString::fromStdString(prompt_slices_csv(json)).trimmed().split('\n');
    QCOMPARE(slices.size(), 1 + 3 * 3);  // loss, hit distance and recall of all, long and x|y
    QCOMPARE(slices[6], "long,recall,1,1,,");
    const QString table = QString::fromStdString(prompt_table(json));
    QVERIFY(table.startsWith("| slice | examples | loss | hit distance | recall |\n"));
    QVERIFY(table.contains("| x\\|y | 1 | 0.333 (n = 1) | 40 (n = 1) | 1.000 (n = 1) |"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PromptResultsTest>};
#include "prompt_results_test.moc"
