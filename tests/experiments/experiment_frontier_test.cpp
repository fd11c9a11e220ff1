// SPDX-License-Identifier: GPL-3.0-or-later
// The frontier of perplexity against bytes, of random conditions beside its definition.
#include "engine/campaigns/experiments/experiment_frontier.h"

#include <QTest>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Returns results of one book with one number for each recipe under "e" at 100 tokens; the first has full attention.
ResultsView results(const std::vector<std::pair<double, double>>& bytes_and_losses) {
  ResultsView view;
  view.lengths = {100};
  view.models = {{"m", "M"}};
  view.evaluations = {{"e", "E"}};
  for (std::size_t i = 0; i < bytes_and_losses.size(); ++i) {
    const auto& [bytes, loss] = bytes_and_losses[i];
    const std::string recipe = "r" + std::to_string(i);
    view.recipes.push_back({recipe, recipe});
    ResultsView::Text text;
    text.file = "a.txt";
    text.lengths = {{100, 10, 10 * loss, bytes}};
    ResultsView::Run run;
    run.model = "m";
    run.condition = {recipe, "e"};
    run.policy = i == 0 ? "full" : "segmented";
    run.carry = static_cast<std::int64_t>(i);
    run.texts = {text};
    view.runs.push_back(run);
  }
  return view;
}

}  // namespace

class ExperimentFrontierTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_condition_is_best_where_no_cheaper_one_is_better() {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::pair<double, double>> points(1 + random() % 12);
      for (auto& [bytes, loss] : points) bytes = 1 + random() % 5, loss = 1 + random() % 5;  // with many ties
      const ExperimentFrontier found = experiment_frontier(results(points), "m", 100);
      QCOMPARE(found.conditions.size(), points.size());
      QCOMPARE(found.full_bytes, points[0].first);
      QVERIFY(std::ranges::is_sorted(found.conditions, {}, &FrontierCondition::bytes));
      for (const FrontierCondition& one : found.conditions) {
        const auto& [bytes, loss] = points[std::stoul(one.condition.recipe.substr(1))];
        QVERIFY(one.bytes == bytes && std::abs(one.loss - loss) < 1e-12);
        bool beaten = false;
        for (const auto& [other_bytes, other_loss] : points)
          beaten = beaten || (other_bytes <= bytes && other_loss < loss);
        QCOMPARE(one.best, !beaten);
      }
    }
  }

  void recipes_that_are_left_out_beat_nothing() {
    const ResultsView view = results({{1, 1}, {2, 3}, {3, 2}});
    const ExperimentFrontier some = experiment_frontier(view, "m", 100, {"r1", "r2"});
    QCOMPARE(some.conditions.size(), 2U);
    QVERIFY(some.conditions[0].best && some.conditions[1].best);
    QCOMPARE(some.full_bytes, 0.0);
    QCOMPARE(some.conditions[1].settings, std::string("S 0, M 2, R 0"));
    QVERIFY(experiment_frontier(view, "m", 99).conditions.empty());
    QVERIFY(experiment_frontier(view, "other", 100).conditions.empty());
  }

  /// Whatever a file has many of would be looked through for minutes.
  void only_results_of_a_likely_size_are_drawable() {
    const auto of = [](std::size_t count) { return results(std::vector<std::pair<double, double>>(count, {1, 1})); };
    QVERIFY(is_drawable(of(300)));
    QVERIFY(!is_drawable(of(1000)));
    ResultsView many = of(1);
    many.recipes.resize(1414);
    many.evaluations.resize(1414);
    QVERIFY(!is_drawable(many));
    many = of(1);
    many.lengths.resize(1000);
    many.runs[0].texts.resize(1000);  // that say nothing
    QVERIFY(!is_drawable(many));
    many = of(1);
    many.runs[0].texts[0].lengths.resize(1'000'001);
    QVERIFY(!is_drawable(many));
    many = of(1);  // books, from which the bootstrap draws
    many.comparisons.resize(100);
    for (int i = 0; i < 300; ++i) {
      many.runs[0].texts.push_back(many.runs[0].texts[0]);
      many.runs[0].texts.back().file = std::to_string(i);
    }
    QVERIFY(!is_drawable(many));
    many.comparisons.resize(10);
    QVERIFY(is_drawable(many));
  }
};

static const TestFile these_tests{__FILE__, without_application<ExperimentFrontierTest>};
#include "experiment_frontier_test.moc"
