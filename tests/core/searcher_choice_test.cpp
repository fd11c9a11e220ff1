// SPDX-License-Identifier: GPL-3.0-or-later
// Searchers are chosen one by one by what they find together, on planted scores and beside a plain reference.
#include "engine/heads/choice/searcher_choice.h"

#include <QTest>
#include <algorithm>
#include <random>
#include <set>

#include "engine/runs/values/window_selection.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

constexpr std::int64_t kLayers = 3, kHeads = 4, kEntries = 90;

ModelConfig model() {
  ModelConfig config;
  config.layers = kLayers;
  config.heads = kHeads;
  return config;
}

SegmentConfig config() {
  SegmentConfig config;
  config.window_length = 6;
  config.retrieval_length = 12;
  return config;
}

/// Noise, and a bump over the answer for the heads in `knows`.
SearchTrial trial(std::mt19937& random, bool held_out, const std::vector<HeadRef>& knows) {
  std::normal_distribution<float> noise;
  SearchTrial made{held_out, kEntries, std::uniform_int_distribution<std::int64_t>(0, kEntries - 3)(random), 3, {}};
  for (int layer = 0; layer < kLayers; ++layer)
    for (int head = 0; head < kHeads; ++head) {
      const bool knew = std::ranges::count(knows, HeadRef{layer, head}) > 0;
      for (std::int64_t i = 0; i < kEntries; ++i)
        made.scores.push_back(noise(random) + (knew && i >= made.first && i < made.first + 3 ? 12.F : 0.F));
    }
  return made;
}

/// Returns true if the windows of the sum of these heads' scores hold the answer. A plain implementation.
bool finds(const SearchTrial& trial, const std::vector<HeadRef>& heads) {
  std::vector<double> sum(static_cast<std::size_t>(trial.entries), 0.0);
  for (const HeadRef head : heads)
    for (std::int64_t i = 0; i < trial.entries; ++i)
      sum[static_cast<std::size_t>(i)] += static_cast<double>(
          trial.scores[static_cast<std::size_t>((head.layer * kHeads + head.head) * trial.entries + i)]);
  std::set<std::int64_t> taken;
  for (int window = 0; window < 2; ++window) {
    std::int64_t best = -1;
    double best_mean = 0;
    for (std::int64_t start = 0; start + 6 <= trial.entries; ++start) {
      double mean = 0;
      bool free = true;
      for (std::int64_t i = start; i < start + 6; ++i) {
        mean += sum[static_cast<std::size_t>(i)] / 6;
        free = free && !taken.contains(i);
      }
      if (free && (best < 0 || mean > best_mean)) std::tie(best, best_mean) = std::pair(start, mean);
    }
    for (std::int64_t i = best; i < best + 6; ++i) taken.insert(i);
  }
  return taken.contains(trial.first) && taken.contains(trial.first + 1) && taken.contains(trial.first + 2);
}

}  // namespace

class SearcherChoiceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void two_heads_that_know_different_answers_are_both_chosen() {
    const HeadRef often{1, 2}, seldom{2, 0};
    std::mt19937 random(4);
    SearcherChoice choice(model(), config());
    for (int i = 0; i < 12; ++i) choice.add(trial(random, false, {i % 3 == 0 ? seldom : often}));
    for (int i = 0; i < 4; ++i) choice.add(trial(random, true, {i == 0 ? HeadRef{0, 0} : often}));
    const HeadScores alone = choice.found_alone();
    QVERIFY(alone.at(1, 2) >= 8.0 / 12 && alone.at(2, 0) >= 4.0 / 12);
    std::vector<SearcherStep> steps;
    while (steps.size() < 6) {
      const auto step = choice.next(alone, steps);
      if (!step) break;
      steps.push_back(*step);
    }
    QVERIFY(steps.size() >= 2 && steps.size() < 6);
    QVERIFY(steps[0].head == often && steps[1].head == seldom);
    QCOMPARE(steps[1].found.chosen_by, 1.0);
    QVERIFY(steps[1].found.held_out >= 0.75 && steps[1].found.held_out <= 1);
    for (std::size_t i = 1; i < steps.size(); ++i)
      QVERIFY(steps[i].found.chosen_by > steps[i - 1].found.chosen_by || steps[i].log_rank < steps[i - 1].log_rank);
  }

  void shares_are_those_of_a_plain_search() {
    for (unsigned seed = 0; seed < 10; ++seed) {
      std::mt19937 random(seed);
      SearcherChoice choice(model(), config());
      std::vector<SearchTrial> trials;
      for (int i = 0; i < 9; ++i) {
        std::vector<HeadRef> knows;
        for (int n = 0; n < 2; ++n)
          knows.push_back({static_cast<int>(random() % kLayers), static_cast<int>(random() % kHeads)});
        trials.push_back(trial(random, i > 5, knows));
        choice.add(trials.back());
      }
      const HeadScores alone = choice.found_alone();
      for (int layer = 0; layer < kLayers; ++layer)
        for (int head = 0; head < kHeads; ++head) {
          const auto found = std::ranges::count_if(trials, [&](const SearchTrial& one) {
            return !one.held_out && finds(one, {{layer, head}});
          });
          QCOMPARE(alone.at(layer, head), static_cast<double>(found) / 6);
        }
      std::vector<SearcherStep> steps;
      std::vector<HeadRef> chosen;
      while (const auto step = choice.next(alone, steps)) {
        steps.push_back(*step);
        chosen.push_back(step->head);
        std::int64_t found = 0, held_out = 0;
        for (const SearchTrial& one : trials) (one.held_out ? held_out : found) += finds(one, chosen);
        QCOMPARE(step->found.chosen_by, static_cast<double>(found) / 6);
        QCOMPARE(step->found.held_out, static_cast<double>(held_out) / 3);
        QVERIFY(std::set<HeadRef>(chosen.begin(), chosen.end()).size() == chosen.size());
      }
      QVERIFY(!steps.empty() && steps.front().found.chosen_by == *std::ranges::max_element(alone.values));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SearcherChoiceTest>};
#include "searcher_choice_test.moc"
