// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of a small results.json whose numbers can be worked out by hand.
#include "engine/campaigns/experiments/experiment_report.h"

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/text_parts.h"
#include "engine/campaigns/experiments/results_view.h"
#include "engine/campaigns/kernel/text_tables.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// A text of 100 targets at 101 tokens and of 200 at 201, with these mean losses.
json text_of(const char* file, double first, double all, double bytes) {
  return {{"file", file},
          {"cell", "0123456789abcdef"},
          {"lengths",
           {{{"tokens", 101}, {"targets", 100}, {"nll_sum", 100 * first}, {"attention_kv_bytes", bytes / 2}},
            {{"tokens", 201}, {"targets", 200}, {"nll_sum", 200 * all}, {"attention_kv_bytes", bytes}}}},
          {"offsets", {{0, 2, 2 * all + 1}, {1, 2, 2 * all}, {2, 4, 4 * all}}},
          {"peak_memory_bytes", 1000},
          {"seconds", 2}};
}

json run_of(const char* recipe, const char* evaluation, json seed, json texts) {
  return {{"model", "m"},
          {"recipe", recipe},
          {"evaluation", evaluation},
          {"seed", std::move(seed)},
          {"policy", evaluation == std::string("full") ? "full" : "segmented"},
          {"prefix", "search"},
          {"dtype", "fp32"},
          {"config", {{"segment_length", 50}, {"carry_length", 10}, {"retrieval_length", 0}, {"sink_length", 4}}},
          {"texts", std::move(texts)}};
}

constexpr double MiB = 1 << 20;

/// Under "seg", the trained recipe has losses 2.0 and 2.2 (two seeds) for book a, 3.0 and 3.2 for book b; under "none",
/// 2.3 and 3.4 for both seeds.
json results() {
  const auto texts = [](double a, double b, double bytes) {
    return json::array({text_of("a.txt", a + 0.5, a, bytes), text_of("b.txt", b + 0.5, b, bytes)});
  };
  return {
      {"format", 1},
      {"experiment", "mine"},
      {"title", "Mine"},
      {"about", "What was asked."},
      {"lengths", {101, 201}},
      {"seeds", {1, 2}},
      {"dtype", "fp32"},
      {"environment", {{"carryover", "0.1.0"}, {"libraries", "LibTorch 2"}, {"processor", "a | b"}}},
      {"models", {{{"name", "m"}, {"title", "M"}}}},
      {"texts",
       {{{"file", "a.txt"}, {"title", "A"}, {"author", "X"}}, {{"file", "b.txt"}, {"title", "B"}, {"author", "Y"}}}},
      {"recipes", {{{"name", "base"}, {"title", "Base"}}, {{"name", "t"}, {"title", "Trained_1"}}}},
      {"evaluations",
       {{{"name", "seg"}, {"title", "segmented"}},
        {{"name", "none"}, {"title", "M = R = 0"}},
        {{"name", "full"}, {"title", "full"}}}},
      {"comparisons",
       {{{"title", "memory"}, {"of", {"t", "seg"}}, {"against", {"t", "none"}}},
        {{"title", "not run"}, {"of", {"t", "full"}}, {"against", {"t", "none"}}}}},
      {"runs",
       {run_of("base", "seg", nullptr, texts(4, 5, 2 * MiB)), run_of("base", "full", nullptr, texts(1, 2, 8 * MiB)),
        run_of("t", "seg", 1, texts(2.0, 3.0, 2 * MiB)), run_of("t", "none", 1, texts(2.3, 3.4, MiB)),
        run_of("t", "seg", 2, texts(2.2, 3.2, 2 * MiB)), run_of("t", "none", 2, texts(2.3, 3.4, MiB))}},
      {"trainings",
       {{{"model", "m"},
         {"recipe", "t"},
         {"seed", 1},
         {"steps", 9},
         {"tokens", 900},
         {"seconds", 7200},
         {"skipped_steps", 0},
         {"losses", {{5, 3.0}, {9, 2.5}}},
         {"peak_memory_bytes", 1 << 30}}}},
      {"unfinished_cells", 3}};
}

std::string ppl(double loss) {
  return fixed_text(std::exp(loss), 2);
}

}  // namespace

class ExperimentReportTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void books_are_means_over_seeds();
  void perplexities_are_of_means_over_books();
  void comparisons_draw_books();
  void intervals_take_five_books();
  void offsets_are_means_of_bins();
  void the_frontier_marks_what_nothing_beats();
  void tables_of_one_length_are_of_the_one_that_most_have();
  void lost_sinks_are_a_column_where_they_were_measured();
  void lengths_that_were_run_by_themselves_give_the_same_tables();
  void a_training_may_have_no_last_loss();
  void every_format_escapes_its_own();
  void a_report_is_a_function_of_the_results();
  void damaged_results_are_refused_or_read();
};

void ExperimentReportTest::books_are_means_over_seeds() {
  const ResultsView view = results_view(results(), "results.json");
  const auto losses = view.book_losses("m", {"t", "seg"}, 201);
  QCOMPARE(losses.size(), 2U);
  QVERIFY(std::abs(losses.at("a.txt") - 2.1) < 1e-12 && std::abs(losses.at("b.txt") - 3.1) < 1e-12);
  QVERIFY(std::abs(view.book_losses("m", {"t", "seg"}, 101).at("a.txt") - 2.6) < 1e-12);
  QVERIFY(view.book_losses("m", {"t", "full"}, 201).empty() && view.book_losses("m", {"t", "seg"}, 999).empty());
  QCOMPARE(view.runs_of("m", {"t", "seg"}).size(), 2U);
}

void ExperimentReportTest::perplexities_are_of_means_over_books() {
  const std::string table = experiment_table(results(), TableFormat::Markdown, "results.json");
  const std::string expected =
      "| recipe | evaluation | settings | 101 tokens | 201 tokens | books | seeds |\n|---|---|---|---|---|---|---|\n"
      "| Base | segmented | S 50, M 10, R 0, n 4 | " +
      ppl(5.0) + " | " + ppl(4.5) + " | 2 | 1 |\n| Base | full | full | " + ppl(2.0) + " | " + ppl(1.5) +
      " | 2 | 1 |\n| Trained_1 | segmented | S 50, M 10, R 0, n 4 | " + ppl(3.1) + " | " + ppl(2.6) +
      " | 2 | 2 |\n| Trained_1 | M = R = 0 | S 50, M 10, R 0, n 4 | " + ppl(3.35) + " | " + ppl(2.85) + " | 2 | 2 |\n";
  QCOMPARE(table, expected);
  const std::string by_text = "| Trained_1 | segmented | " + ppl(2.1) + " | " + ppl(3.1) + " |\n";
  const std::string report = experiment_report(results(), "results.json");
  QVERIFY2(report.find(by_text) != std::string::npos && report.find("| A, X | B, Y |") != std::string::npos,
           report.c_str());
}

void ExperimentReportTest::comparisons_draw_books() {
  const std::string report = experiment_report(results(), "results.json");
  // Book a changes by −0.2, book b by −0.3: two books are too few for an interval.
  QVERIFY2(report.find("| memory | 201 | −0.250 | n = 2 | −22.1 % | 2 of 2 |") != std::string::npos, report.c_str());
  QVERIFY(report.find("| memory | 101 | −0.250 |") != std::string::npos);
  QVERIFY(report.find("not run") == std::string::npos);
}

/// Five books are drawn with replacement; of their segments, the share is one sample a book.
void ExperimentReportTest::intervals_take_five_books() {
  json five = results();
  for (json& run : five["runs"])
    for (const char* file : {"c.txt", "d.txt", "e.txt"}) {
      json text = run["texts"][0];
      text["file"] = file;
      run["texts"].push_back(text);
    }
  for (const char* file : {"c.txt", "d.txt", "e.txt"})
    five["texts"].push_back({{"file", file}, {"title", file}, {"author", ""}});
  for (json& run : five["runs"])
    for (json& text : run["texts"]) text["sinks_lost_share"] = 1;
  const std::string report = experiment_report(five, "results.json");
  QVERIFY2(report.find("| memory | 201 | −0.220 | −0.260 … −0.200 |") != std::string::npos, report.c_str());
  const std::string table = experiment_table(five, TableFormat::Markdown, "r");
  QVERIFY2(table.find("| 5 | 2 | 100.0 % [56.6, 100.0] |") != std::string::npos, table.c_str());
}

void ExperimentReportTest::offsets_are_means_of_bins() {
  const std::string report = experiment_report(results(), "results.json");
  QVERIFY2(report.find("| recipe | evaluation | 0 | 1 | 2–3 |") != std::string::npos, report.c_str());
  QVERIFY2(report.find("| Trained_1 | segmented | 3.100 | 2.600 | 2.600 |") != std::string::npos, report.c_str());
}

void ExperimentReportTest::the_frontier_marks_what_nothing_beats() {
  const std::string report = experiment_report(results(), "results.json");
  const std::string expected = "| Trained_1 | M = R = 0 | 1.00 | 0.125 | " + ppl(2.85) +
                               " | • |\n| Base | segmented | 2.00 | 0.250 | " + ppl(4.5) +
                               " |  |\n| Trained_1 | segmented | 2.00 | 0.250 | " + ppl(2.6) +
                               " | • |\n| Base | full | 8.00 | 1.000 | " + ppl(1.5) + " | • |\n";
  QVERIFY2(report.find(expected) != std::string::npos, report.c_str());
}

/// A column where runs measured it, and nothing of it in results of earlier versions; runs that did not are left out.
void ExperimentReportTest::lost_sinks_are_a_column_where_they_were_measured() {
  for (const TableFormat format : {TableFormat::Markdown, TableFormat::Csv, TableFormat::Latex})
    QVERIFY(experiment_table(results(), format, "r").find("sinks") == std::string::npos);
  json measured = results();
  measured["runs"][2]["texts"][0]["sinks_lost_share"] = 0.5;  // t, seg: two texts of seed 1, and one of seed 2
  measured["runs"][2]["texts"][1]["sinks_lost_share"] = 1;
  measured["runs"][4]["texts"][1]["sinks_lost_share"] = 0.25;
  measured["runs"][3]["texts"][0]["sinks_lost_share"] = 0;
  const std::string table = experiment_table(measured, TableFormat::Markdown, "r");
  QVERIFY2(table.find("| books | seeds | sinks lost |\n") != std::string::npos, table.c_str());
  QVERIFY(table.find(ppl(2.6) + " | 2 | 2 | 58.3 % (n = 2) |\n") != std::string::npos);
  QVERIFY(table.find(ppl(2.85) + " | 2 | 2 | 0.0 % (n = 1) |\n") != std::string::npos);
  QVERIFY(table.find(ppl(4.5) + " | 2 | 1 |  |\n") != std::string::npos);
  const std::string csv = experiment_table(measured, TableFormat::Csv, "r");
  QVERIFY(csv.find(",seconds,sinks_lost_share\n") != std::string::npos &&
          csv.find(",2.0,0.5000\n") != std::string::npos);
  QVERIFY(csv.find("m,base,full,,a.txt,201,200,1.000000,2.7183,8388608,1000,2.0,\n") != std::string::npos);
  for (const json& wrong : {json(1.5), json(-0.5), json("x")}) {
    measured["runs"][2]["texts"][0]["sinks_lost_share"] = wrong;
    QCOMPARE(unlike(Fault::BadInput, "r", [&] { experiment_table(measured, TableFormat::Csv, "r"); }), "");
  }
}

/// One condition was read further than the others.
void ExperimentReportTest::tables_of_one_length_are_of_the_one_that_most_have() {
  json further = results();
  further["lengths"].push_back(401);
  for (json& text : further["runs"][2]["texts"])
    text["lengths"].push_back({{"tokens", 401}, {"targets", 400}, {"nll_sum", 900}, {"attention_kv_bytes", MiB}});
  const std::string report = experiment_report(further, "results.json");
  QVERIFY2(report.find("Perplexity of the first 201 tokens of each text") != std::string::npos, report.c_str());
  QVERIFY(report.find("Perplexity at 201 tokens against") != std::string::npos);
  QVERIFY(report.find(" | " + ppl(2.25) + " | 2 | 2 |") != std::string::npos);
}

/// Each length has a time and a peak of its own; what is said once of a text is said of its longest run.
void ExperimentReportTest::lengths_that_were_run_by_themselves_give_the_same_tables() {
  json each = results();
  for (json& run : each["runs"]) {
    json texts = json::array();
    for (const json& text : run["texts"])
      for (const json& length : text["lengths"]) {
        json& entry = texts.emplace_back(text);
        entry["lengths"] = json::array({length});
        if (length["tokens"] != 101) continue;
        entry["seconds"] = 1;
        entry["offsets"] = json::array({json::array({0, 1, 99})});
        entry["sinks_lost_share"] = 1;
      }
    run["texts"] = texts;
  }
  QCOMPARE(experiment_report(each, "r"), experiment_report(results(), "r"));
  const std::string csv = experiment_table(each, TableFormat::Csv, "r");
  QVERIFY(csv.find("m,t,seg,2,b.txt,101,100,3.700000,40.4473,1048576,1000,1.0\n") != std::string::npos);
  QVERIFY2(csv.find("m,t,seg,2,b.txt,201,200,3.200000,24.5325,2097152,1000,2.0\n") != std::string::npos, csv.c_str());
}

/// Results of earlier versions may lack the loss of the last tenth.
void ExperimentReportTest::a_training_may_have_no_last_loss() {
  json skipped = results();
  QVERIFY(experiment_report(skipped, "r").find("| 900 | 2.500 | 2.00 |") != std::string::npos);
  for (const json& losses : {json::array({{5, 3.0}, {9, nullptr}}), json::array()}) {
    skipped["trainings"][0]["losses"] = losses;
    const std::string report = experiment_report(skipped, "r");
    QVERIFY2(report.find("| 900 |  | 2.00 |") != std::string::npos, report.c_str());
  }
  skipped["trainings"][0]["losses"] = json::array({{9, "x"}});
  QCOMPARE(unlike(Fault::BadInput, "r", [&] { experiment_report(skipped, "r"); }), "");
}

void ExperimentReportTest::every_format_escapes_its_own() {
  QCOMPARE(csv_row({"a,b", "c\"d", "", "e"}), "\"a,b\",\"c\"\"d\",,e\n");
  QCOMPARE(markdown_table({"a|b"}, {{"x\ny"}}), "| a\\|b |\n|---|\n| x y |\n");
  const std::string latex = experiment_table(results(), TableFormat::Latex, "results.json");
  QVERIFY(latex.find("Trained\\_1 & M = R = 0") != std::string::npos && latex.starts_with("\\begin{tabular}{lllrrrr}"));
  const std::string csv = experiment_table(results(), TableFormat::Csv, "results.json");
  QCOMPARE(std::ranges::count(csv, '\n'), 1 + 6 * 2 * 2);  // a row for each run, text and length
  QVERIFY(csv.find("m,t,seg,2,b.txt,201,200,3.200000,24.5325,2097152,1000,2.0\n") != std::string::npos);
}

void ExperimentReportTest::a_report_is_a_function_of_the_results() {
  const std::string report = experiment_report(results(), "results.json");
  QCOMPARE(experiment_report(json::parse(results().dump()), "another/results.json"), report);
  QVERIFY(
      report.starts_with("# Mine\n\nWhat was asked.\n\nCarryover 0.1.0, LibTorch 2, a | b, 3 cells are not finished"));
  QVERIFY(report.find("| Trained_1 | 1 | 9 | 900 | 2.500 | 2.00 | 1.00 |") != std::string::npos);
  json published = results();
  published["commit"] = "abc1234";
  QVERIFY(experiment_report(published, "r").find("commit abc1234") != std::string::npos);
}

/// Results may come from anybody.
void ExperimentReportTest::damaged_results_are_refused_or_read() {
  const std::string text = results().dump();
  Mutator mutator(text, text.size(), 3);
  int refused = 0, read = 0;
  for (int i = 0; i < 1500; ++i) {
    json mutant = json::parse(mutator.next(), nullptr, false);
    if (mutant.is_discarded()) continue;
    try {
      QVERIFY(!experiment_report(mutant, "results.json").empty());
      QVERIFY(!experiment_table(mutant, TableFormat::Csv, "results.json").empty());
      ++read;
    } catch (const EngineError& error) {
      QVERIFY2(error.fault() == Fault::BadInput, error.what());
      ++refused;
    }
  }
  QVERIFY2(refused > 100 && read > 100, qPrintable(QString("%1 refused, %2 read").arg(refused).arg(read)));
  const auto refuses = [](const json& wrong) {
    return unlike(Fault::BadInput, "r.json", [&] { experiment_report(wrong, "r.json"); }).empty();
  };
  for (const json& wrong : {json(), json::array(), json::object()}) QVERIFY(refuses(wrong));
  json later = results(), huge = results(), endless = results();
  later["format"] = 2;
  QVERIFY(refuses(later));
  huge["runs"][0]["texts"][0]["lengths"][0]["nll_sum"] = 1e300;  // sums of such are no numbers
  QVERIFY(refuses(huge));
  for (const json& lengths : {json::array(), json{101, 101}, json{201, 101}}) {
    endless["lengths"] = lengths;
    QVERIFY(refuses(endless));
  }
  for (const char* list : {"models", "recipes", "evaluations"}) {
    json twice = results(), long_title = results();
    twice[list].push_back(twice[list][0]);
    QVERIFY(refuses(twice));
    long_title[list][0]["title"] = std::string(1001, 'x');
    QVERIFY(refuses(long_title));
  }
}

static const TestFile these_tests{__FILE__, without_application<ExperimentReportTest>};
#include "experiment_report_test.moc"
