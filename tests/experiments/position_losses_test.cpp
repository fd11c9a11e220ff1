// SPDX-License-Identifier: GPL-3.0-or-later
// The loss along a text, of results whose parts can be worked out by hand.
#include "engine/campaigns/experiments/position_losses.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Segments of 10 targets: the first has a mean of `first`, each further one 1 more.
ResultsView::Text text_of(const char* file, double first, int segments) {
  ResultsView::Text text;
  text.file = file;
  text.lengths = {{10 * segments, 10 * segments, 0, 100.0 * segments}};
  for (int i = 0; i < segments; ++i) text.segments.push_back({10, 10 * (first + i)});
  return text;
}

ResultsView::Run run_of(const char* evaluation, std::optional<std::uint64_t> seed,
                        std::vector<ResultsView::Text> texts) {
  ResultsView::Run run;
  run.model = "m";
  run.condition = {"base", evaluation};
  run.seed = seed;
  run.texts = std::move(texts);
  return run;
}

ResultsView results() {
  ResultsView view;
  view.recipes = {{"base", "Base"}};
  view.evaluations = {{"b", "B"}, {"a", "A"}, {"none", "None"}};
  view.runs = {run_of("a", 1, {text_of("x.txt", 1, 4), text_of("y.txt", 9, 4)}),
               run_of("a", 2, {text_of("x.txt", 3, 4)}),
               run_of("b", {}, {text_of("x.txt", 0, 2), text_of("x.txt", 5, 4)}), run_of("none", {}, {})};
  return view;
}

using Points = std::vector<std::pair<double, double>>;

}  // namespace

class PositionLossesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void curves_are_of_the_longest_runs_and_means_over_seeds() {
    const auto curves = position_losses(results(), "m", "x.txt");
    QCOMPARE(curves.size(), 2U);
    QVERIFY(curves[0].condition.evaluation == "b" && curves[1].condition.evaluation == "a");  // the plan's order
    QVERIFY((curves[0].points == Points{{5, 5}, {15, 6}, {25, 7}, {35, 8}}));
    QVERIFY((curves[1].points == Points{{5, 2}, {15, 3}, {25, 4}, {35, 5}}));
    QCOMPARE(curves[0].attention_kv_bytes, 400.0);
    QCOMPARE(position_losses(results(), "m", "y.txt").size(), 1U);
    QVERIFY(position_losses(results(), "m", "z.txt").empty() && position_losses(results(), "other", "x.txt").empty());
  }

  /// Whatever the parts are, they are of all targets.
  void segments_are_joined() {
    for (const int segments : {1, 3, 4, 7, 16, 33}) {
      ResultsView view = results();
      view.runs = {run_of("a", {}, {text_of("x.txt", 0, segments)})};
      for (const std::size_t parts : {1U, 2U, 3U, 16U}) {
        const Points points = position_losses(view, "m", "x.txt", parts).at(0).points;
        QCOMPARE(points.size(), std::min<std::size_t>(parts, static_cast<std::size_t>(segments)));
        double before = 0, sum = 0;
        for (const auto& [middle, loss] : points) {
          const double targets = 2 * (middle - before);
          QVERIFY(targets > 0);
          sum += targets * loss;
          before += targets;
        }
        QCOMPARE(before, 10.0 * segments);
        QCOMPARE(sum, 10.0 * segments * (segments - 1) / 2);
      }
    }
  }
};

static const TestFile these_tests{__FILE__, without_application<PositionLossesTest>};
#include "position_losses_test.moc"
