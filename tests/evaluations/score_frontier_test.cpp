// SPDX-License-Identifier: GPL-3.0-or-later
// Scores against bytes: a point for each policy and length, the task's own or a mean of tasks, and none where one is
// not known.
#include "engine/campaigns/evaluations/score_frontier.h"

#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/evaluations/made_task.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Two tasks at two lengths under two policies. Samples of a cell: `scores(row, column)`.
template <typename ScoresOf>
EvaluationNews made_news(ScoresOf scores, const std::string& metric = "match") {
  EvaluationNews news;
  news.plan.tasks = {"made/a", "made/b"};
  news.plan.lengths = {8192, 4096};
  news.plan.policies = {"segmented", "segmented[retrieval_length=0]"};
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t column = 0; column < 2; ++column) {
      ScoreCell cell;
      cell.policy = news.plan.policies[column];
      cell.task = news.plan.tasks[row / 2];
      cell.length = news.plan.lengths[row % 2];
      for (const double score : scores(row, column)) {
        cell.entries.push_back(made_entry("s", "", {{metric, score}}));
        cell.entries.back().visible_bytes = static_cast<std::int64_t>(1000 * (row + 1) + column);
      }
      measure_cell(cell, MadeTask(TaskKind::Generation, metric));
      news.cells.push_back(std::make_shared<const ScoreCell>(std::move(cell)));
    }
  return news;
}

std::vector<double> some_scores(std::size_t row, std::size_t column) {
  return {0.25 * static_cast<double>(row), 1, column == 0 ? 1.0 : 0.0, 0, 0.5};
}

}  // namespace

class ScoreFrontierTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_task_has_a_point_for_each_policy_and_length() {
    const EvaluationNews news = made_news(some_scores);
    for (std::size_t row = 0; row < 4; ++row) {
      const std::vector<FrontierPoint> points = score_frontier(news, row, false);
      QCOMPARE(points.size(), std::size_t{4});
      for (std::size_t i = 0; i < points.size(); ++i) {
        const FrontierPoint& point = points[i];
        QCOMPARE(point.column, i / 2);
        QCOMPARE(point.length, std::int64_t{i % 2 == 0 ? 4096 : 8192});
        const std::size_t place = row / 2 * 2 + (point.length == 8192 ? 0 : 1);
        const ScoreCell& cell = news.cell(place, point.column);
        QCOMPARE(point.score.score, cell.score()->score);
        QVERIFY(point.score.interval == cell.score()->interval);
        QCOMPARE(point.visible_bytes, cell.visible_bytes);
        QCOMPARE(point.samples, std::size_t{5});
      }
    }
  }

  void a_mean_of_tasks_weighs_them_alike() {
    const EvaluationNews news = made_news(some_scores);
    const std::vector<FrontierPoint> points = score_frontier(news, 0, true);
    QCOMPARE(points.size(), std::size_t{4});
    for (const FrontierPoint& point : points) {
      const std::size_t place = point.length == 8192 ? 0 : 1;
      const ScoreCell &a = news.cell(place, point.column), &b = news.cell(place + 2, point.column);
      QVERIFY(std::fabs(point.score.score - (a.score()->score + b.score()->score) / 2) < 1e-12);
      QVERIFY(std::fabs(*point.score.error - std::hypot(*a.score()->error, *b.score()->error) / 2) < 1e-12);
      const double half = point.score.interval->high - point.score.score;
      QVERIFY(std::fabs(half - 1.96 * *point.score.error) < 1e-4);
      QVERIFY(std::fabs(point.score.score - point.score.interval->low - half) < 1e-12);
      QCOMPARE(point.visible_bytes, std::max(a.visible_bytes, b.visible_bytes));
      QCOMPARE(point.samples, std::size_t{10});
    }
  }

  /// Two tasks of five samples, all right: as ten of ten. Standard errors of zero would say that there is no doubt.
  void a_mean_of_shares_has_wilsons_interval() {
    const EvaluationNews news =
        made_news([](std::size_t, std::size_t) { return std::vector<double>(5, 1); }, "string_match");
    const std::vector<FrontierPoint> points = score_frontier(news, 0, true);
    QCOMPARE(points.size(), std::size_t{4});
    for (const FrontierPoint& point : points) {
      QVERIFY(point.score.score == 1 && point.score.error == 0.0);
      QVERIFY(std::fabs(point.score.interval->low - 0.7225) < 1e-4 && point.score.interval->high == 1);
    }
  }

  void means_of_other_tasks_do_not_compare() {
    const EvaluationNews news = made_news([](std::size_t row, std::size_t column) {
      return row == 2 && column == 1 ? std::vector<double>() : some_scores(row, column);
    });
    for (const auto& [row, all_tasks, wanted] : {std::tuple(0, false, 4), {2, false, 3}, {0, true, 3}}) {
      const auto points = score_frontier(news, static_cast<std::size_t>(row), all_tasks);
      QCOMPARE(points.size(), static_cast<std::size_t>(wanted));
      if (wanted == 3)
        QVERIFY(std::ranges::none_of(points, [](const auto& each) { return each.column == 1 && each.length == 8192; }));
    }
  }

  void single_samples_have_no_interval() {
    const EvaluationNews news = made_news([](std::size_t, std::size_t) { return std::vector{0.5}; });
    for (const bool all_tasks : {false, true})
      for (const FrontierPoint& point : score_frontier(news, 0, all_tasks))
        QVERIFY(point.score.score == 0.5 && !point.score.interval && !point.score.error);
  }
};

static const TestFile these_tests{__FILE__, without_application<ScoreFrontierTest>};
#include "score_frontier_test.moc"
