// SPDX-License-Identifier: GPL-3.0-or-later
// Standard errors against values computed by hand, and what intervals have to hold.
#include "engine/campaigns/evaluations/score_interval.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/evaluations/made_task.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::vector<Scores> matches(const std::vector<double>& values, const std::string& metric = "match") {
  std::vector<Scores> scores;
  for (const double value : values) scores.push_back({{metric, value}});
  return scores;
}

bool is_close(double left, double right) {
  return std::fabs(left - right) <= 1e-12 * std::max(1.0, std::fabs(right));
}

}  // namespace

class ScoreIntervalTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void errors_are_those_of_the_formula() {
    const MadeTask task(TaskKind::Generation);
    const ScoreInterval four = score_intervals(task, matches({0, 1, 1, 1})).at("match");
    QVERIFY(is_close(four.score, 0.75) && is_close(four.error.value(), 0.25));  // 0.5 / √4
    QVERIFY(!four.interval);
    const ScoreInterval five = score_intervals(task, matches({2, 4, 4, 6, 9})).at("match");
    QVERIFY(is_close(five.score, 5) && is_close(five.error.value(), std::sqrt(7.0 / 5)));  // 28 / 4 = 7
    QVERIFY(five.interval->mean == five.score && five.interval->low >= 2 && five.interval->high <= 9);
    const ScoreInterval equal = score_intervals(task, matches({0.5, 0.5, 0.5, 0.5, 0.5})).at("match");
    QVERIFY(equal.error == 0.0 && equal.interval->low == 0.5 && equal.interval->high == 0.5);
  }

  /// Ten right of ten leave doubt; an F1 is no share, and keeps its bootstrap.
  void shares_have_wilsons_interval() {
    for (const char* metric : {"string_match", "exact_match", "accuracy", "acc", "contains", "retrieval_score"}) {
      const MadeTask task(TaskKind::Generation, metric);
      const auto all = score_intervals(task, matches(std::vector<double>(10, 1), metric)).at(metric);
      QVERIFY(all.score == 1 && all.error == 0.0);
      QVERIFY2(std::fabs(all.interval->low - 0.7225) < 1e-4 && all.interval->high == 1, metric);
      QVERIFY(!score_intervals(task, matches(std::vector<double>(4, 1), metric)).at(metric).interval);
    }
    const MadeTask f1(TaskKind::Generation, "qa_f1_score");
    const auto drawn = score_intervals(f1, matches({0, 0.2, 0.4, 0.6, 0.8, 1}, "qa_f1_score")).at("qa_f1_score");
    QVERIFY(is_close(drawn.score, 0.5) && drawn.interval->low > 0.15 && drawn.interval->high < 0.85);
    // A journal may be anybody's: what is no share is not treated as one.
    const MadeTask odd(TaskKind::Generation, "exact_match");
    const auto beyond = score_intervals(odd, matches({2, 3, 4, 5, 6}, "exact_match")).at("exact_match");
    QVERIFY(beyond.score == 4 && beyond.interval->low >= 2 && beyond.interval->high <= 6);
  }

  /// A sample may count in parts, as RULER's do.
  void shares_of_what_a_sample_asks_for_count_samples() {
    const MadeTask task(TaskKind::Generation, "string_match");
    const auto found = score_intervals(task, matches({0.25, 0.75, 0.5, 0.5, 1, 1, 0, 0, 0.5, 0.5}, "string_match"));
    const MeanInterval interval = found.at("string_match").interval.value();
    QVERIFY(std::fabs(interval.low - 0.2366) < 1e-4 && std::fabs(interval.high - 0.7634) < 1e-4);  // of 5 of 10
  }

  void one_sample_has_no_error() {
    const MadeTask task(TaskKind::Generation);
    const ScoreInterval one = score_intervals(task, matches({0.25})).at("match");
    QVERIFY(one.score == 0.25 && !one.error && !one.interval);
    QVERIFY(score_intervals(task, {}).empty());
    const MadeTask perplexity(TaskKind::Perplexity, "perplexity");
    QVERIFY(!score_intervals(perplexity, {{{"nll", 8}, {"tokens", 4}}}).at("perplexity").error);
  }

  /// The bootstrap of a mean has about the formula's standard error, and its interval about twice that on both sides.
  void perplexity_is_drawn_again() {
    const MadeTask task(TaskKind::Perplexity, "perplexity");
    std::mt19937_64 random(3);
    std::vector<Scores> scores;
    double nll = 0, squares = 0;
    constexpr int kTexts = 4000;
    for (int i = 0; i < kTexts; ++i) {
      const double loss = 2 + static_cast<double>(random() % 1000) / 1000;
      scores.push_back({{"nll", 10 * loss}, {"tokens", 10}});
      nll += loss;
      squares += loss * loss;
    }
    const double mean = nll / kTexts, error = std::sqrt((squares / kTexts - mean * mean) / kTexts);
    const ScoreInterval found = score_intervals(task, scores).at("perplexity");
    QVERIFY(is_close(found.score, std::exp(mean)));
    const double expected = std::exp(mean) * error;  // of exp, to first order
    QVERIFY2(std::fabs(found.error.value() / expected - 1) < 0.3, std::to_string(*found.error / expected).c_str());
    QVERIFY(found.interval->low < found.score - 1.2 * expected && found.interval->low > found.score - 3 * expected);
    QVERIFY(found.interval->high > found.score + 1.2 * expected && found.interval->high < found.score + 3 * expected);
    const ScoreInterval again = score_intervals(task, scores).at("perplexity");
    QVERIFY(again.error == found.error && again.interval == found.interval);
  }

  void what_is_not_a_number_has_no_error() {
    const MadeTask task(TaskKind::Generation);
    const ScoreInterval found = score_intervals(task, matches({1, std::nan(""), 1})).at("match");
    QVERIFY(std::isnan(found.score) && !found.error && !found.interval);
  }
};

static const TestFile these_tests{__FILE__, without_application<ScoreIntervalTest>};
#include "score_interval_test.moc"
