// SPDX-License-Identifier: GPL-3.0-or-later
// Windows and z-scores against slow retrieval on random scores, ties included, and their rules one by one.
#include "engine/runs/values/window_selection.h"

#include <QTest>
#include <limits>

#include "tests/support/slow_retrieval.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

std::vector<std::int64_t> positions_of(const std::vector<Hit>& hits) {
  std::vector<std::int64_t> positions;
  for (const Hit& hit : hits) positions.push_back(hit.position);
  return positions;
}

/// Eighths, so that sums are exact; few values, so that windows tie.
std::vector<double> exact_scores(std::mt19937_64& random, std::size_t count) {
  std::vector<double> scores(count);
  for (double& score : scores) score = static_cast<double>(random() % 9) / 8;
  return scores;
}

SegmentConfig config_of(std::mt19937_64& random) {
  SegmentConfig config;
  config.window_length = std::int64_t{1} << random() % 5;
  config.retrieval_length = config.window_length + static_cast<std::int64_t>(random() % 80);
  config.expand_before = static_cast<std::int64_t>(random() % 5);
  config.expand_after = static_cast<std::int64_t>(random() % 5);
  return config;
}

/// Windows of `least` scores or more, of a number drawn from so many.
void check_windows(std::uint64_t seed, std::uint64_t least, std::uint64_t numbers) {
  std::mt19937_64 random(seed);
  SegmentConfig config = config_of(random);
  config.retrieve = RetrieveBy::Windows;
  const std::vector<double> scores = exact_scores(random, least + random() % numbers);
  const WindowSelection found = select_windows(scores, {config.window_length, config.retrieval_length});
  const std::set<std::int64_t> expected = slow::chosen_positions(scores, config);
  QCOMPARE(positions_of(found.hits), std::vector<std::int64_t>(expected.begin(), expected.end()));
}

}  // namespace

class WindowSelectionTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void windows_equal_slow_retrieval_on_1000_cases() {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) check_windows(seed, 1, 300);
  }

  void windows_of_a_long_pool_equal_slow_retrieval() {
    for (std::uint64_t seed = 0; seed < 40; ++seed) check_windows(seed, 500, 1600);
  }

  void anchors_equal_slow_retrieval_on_1000_cases() {
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      std::mt19937_64 random(seed);
      const SegmentConfig config = config_of(random);
      const std::vector<double> scores = exact_scores(random, 1 + random() % 300);
      const SelectionRule rule{config.anchor_count(), config.expand_before, config.expand_after,
                               config.retrieval_length};
      const auto hits = select_hits(best_positions(scores, rule.anchors, {}).candidates, rule, std::ssize(scores));
      const std::set<std::int64_t> expected = slow::chosen_positions(scores, config);
      QCOMPARE(positions_of(hits), std::vector<std::int64_t>(expected.begin(), expected.end()));
    }
  }

  void a_hit_says_its_window() {
    const std::vector<double> scores{0, 0, 1, 3, 3, 1, 0, 0, 0};
    const WindowSelection found = select_windows(scores, {4, 6});
    QVERIFY(found.hits == std::vector<Hit>({{0, HitKind::Padding, 0, -1, -1},
                                            {1, HitKind::Padding, 0, -1, -1},
                                            {2, HitKind::Expanded, 2, 3, -1},
                                            {3, HitKind::Anchor, 2, 3, -1},
                                            {4, HitKind::Expanded, 2, 3, -1},
                                            {5, HitKind::Expanded, 2, 3, -1}}));
    QCOMPARE(found.last, 2.0);
    QCOMPARE(found.gap, std::numeric_limits<double>::infinity());  // positions 6 to 8 are too few for another
  }

  void the_gap_is_to_the_best_window_left() {
    const std::vector<double> scores{4, 4, 1, 1, 3, 3, 0, 2};
    QCOMPARE(select_windows(scores, {2, 2}).gap, 4 - 3.0);
    QCOMPARE(select_windows(scores, {2, 5}).gap, 3 - 1.0);
    QCOMPARE(select_windows({}, {2, 5}).hits.size(), std::size_t{0});
    constexpr double infinite = std::numeric_limits<double>::infinity();  // where there was nothing to choose
    QCOMPARE(select_windows({}, {2, 5}).gap, infinite);
    QCOMPARE(select_windows(scores, {9, 9}).gap, infinite);
    QCOMPARE(select_windows(scores, {4, 3}).gap, infinite);
    QCOMPARE(select_windows(scores, {2, 5, {{0, 8}}}).gap, infinite);
    QCOMPARE(best_positions(scores, 0, {}).gap, infinite);
  }

  void no_window_holds_a_banned_position() {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      std::mt19937_64 random(seed);
      const SegmentConfig config = config_of(random);
      const std::vector<double> scores = exact_scores(random, 100);
      const auto first = static_cast<std::int64_t>(random() % 100);
      const TokenRange banned{first, first + static_cast<std::int64_t>(random() % 30)};
      const WindowSelection found = select_windows(scores, {config.window_length, config.retrieval_length, {banned}});
      for (const Hit& hit : found.hits) QVERIFY(!banned.contains(hit.position));
      const std::int64_t allowed = 100 - std::max<std::int64_t>(0, std::min<std::int64_t>(100, banned.last) - first);
      QCOMPARE(std::ssize(found.hits), std::min(config.retrieval_length, allowed));
    }
  }

  void a_ban_of_no_position_changes_nothing() {
    const std::vector<double> scores{0, 0, 1, 3, 3, 1, 0, 0, 0};
    const WindowSelection found = select_windows(scores, {4, 4});
    for (std::int64_t at = 0; at <= 9; ++at)
      for (const TokenRange& nothing : {TokenRange{at, at}, TokenRange{at, at - 2}})
        QVERIFY(select_windows(scores, {4, 4, {nothing}}).hits == found.hits);
  }

  void z_scores_are_those_of_the_definition() {
    std::mt19937_64 random(3);
    for (std::size_t count = 1; count < 40; ++count) {
      const std::vector<double> scores = exact_scores(random, count), expected = slow::standardised(scores);
      const std::vector<double> found = z_scores(scores);
      for (std::size_t i = 0; i < count; ++i) QVERIFY(std::abs(found[i] - expected[i]) < 1e-12);
    }
    for (std::size_t count = 0; count < 40; ++count)  // the mean of so many need not be 0.3
      QVERIFY(z_scores(std::vector<double>(count, 0.3)) == std::vector<double>(count, 0.0));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<WindowSelectionTest>};
#include "window_selection_test.moc"
