// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/head_scores.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/core/error.h"
#include "tests/support/tiny_model.h"

using namespace carryover;

namespace {

HeadScores random_scores(const ModelConfig& model, unsigned seed) {
  std::mt19937 random(seed);
  HeadScores scores{model.layers, model.heads, {}};
  for (std::int64_t i = 0; i < model.layers * model.heads; ++i)
    scores.values.push_back(std::uniform_real_distribution<double>(0, 1)(random));
  return scores;
}

/// Every pair looks from a token to the one that follows its earlier occurrence, and there the same comes next.
void check_pairs(const HeadProbe& probe) {
  QVERIFY(!probe.pairs.empty());
  for (const AttentionPair& pair : probe.pairs) {
    QVERIFY(pair.key >= 1 && pair.key < pair.query && pair.query + 1 < std::ssize(probe.ids));
    const auto id = [&](std::int64_t place) { return probe.ids[static_cast<std::size_t>(place)]; };
    QCOMPARE(id(pair.key - 1), id(pair.query));
    QCOMPARE(id(pair.key), id(pair.query + 1));
  }
}

}  // namespace

class HeadScoresTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void probes_ask_for_what_stood_before() {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const HeadProbe probe = copy_probe(500, 64 + static_cast<std::int64_t>(seed), seed);
      check_pairs(probe);
      QVERIFY(probe.ids == copy_probe(500, 64 + static_cast<std::int64_t>(seed), seed).ids);
    }
    std::vector<std::int32_t> text;
    for (std::int32_t i = 0; i < 300; ++i) text.push_back(i * 7 % 300);
    for (const double depth : {0.0, 0.3, 1.0}) {
      const HeadProbe probe = needle_probe(text, 128, 16, depth);
      QCOMPARE(std::ssize(probe.ids), std::ptrdiff_t{128});
      check_pairs(probe);
    }
    QVERIFY_EXCEPTION_THROWN(needle_probe(text, 1000, 16, 0), EngineError);
    QVERIFY_EXCEPTION_THROWN(needle_probe(text, 20, 16, 0), EngineError);
  }

  void a_proposal_holds_the_best_heads_of_the_best_layers() {
    for (unsigned seed = 0; seed < 30; ++seed) {
      const ModelConfig model = test::tiny_config(5, 8, 4, 8, 160);
      const HeadScores scores = random_scores(model, seed);
      const Grouping proposal = propose_grouping(scores, 2, 3);
      proposal.validate(model);
      QCOMPARE(proposal.long_range_layers().size(), std::size_t{2});
      double least = 1e9;  // sum of the proposed layers' heads
      for (int layer = 0; layer < model.layers; ++layer) {
        double sum = 0, best_left = 0, worst_taken = 1e9;
        std::vector<double> sorted;
        for (int head = 0; head < model.heads; ++head) {
          sorted.push_back(scores.at(layer, head));
          if (!proposal.is_long(layer, head)) best_left = std::max(best_left, scores.at(layer, head));
          if (proposal.is_long(layer, head)) worst_taken = std::min(worst_taken, scores.at(layer, head));
        }
        std::sort(sorted.rbegin(), sorted.rend());
        sum = sorted[0] + sorted[1] + sorted[2];
        QCOMPARE(proposal.long_heads(layer).size(), proposal.is_long_layer(layer) ? std::size_t{3} : std::size_t{0});
        if (proposal.is_long_layer(layer)) {
          QVERIFY(worst_taken >= best_left);
          least = std::min(least, sum);
        }
      }
      for (int layer = 0; layer < model.layers; ++layer) {
        std::vector<double> sorted;
        for (int head = 0; head < model.heads; ++head) sorted.push_back(scores.at(layer, head));
        std::sort(sorted.rbegin(), sorted.rend());
        QVERIFY(proposal.is_long_layer(layer) || sorted[0] + sorted[1] + sorted[2] <= least + 1e-12);
      }
      for (const GroupingPreset& preset : grouping_presets(model)) {
        const double share = captured_share(scores, preset.grouping);
        QVERIFY(share >= 0 && share <= 1 + 1e-12);
      }
    }
  }

  void scores_survive_both_formats() {
    const ModelConfig model = test::tiny_config(3, 8, 4, 8, 160);
    const HeadScores scores = random_scores(model, 7);
    const HeadScores again = scores_from_json(head_score_json(scores), model, "scores.json");
    for (std::size_t i = 0; i < scores.values.size(); ++i) QCOMPARE(again.values[i], scores.values[i]);

    const HeadScores grouped = scores_from_tsv(duo_tsv(scores, model), model, "heads.tsv");
    const double most = *std::max_element(scores.values.begin(), scores.values.end());
    for (int layer = 0; layer < 3; ++layer)
      for (int head = 0; head < 8; head += 2) {
        const double best = std::max(scores.at(layer, head), scores.at(layer, head + 1)) / most;
        QVERIFY(std::abs(grouped.at(layer, head) - best) < 1e-6);
        QCOMPARE(grouped.at(layer, head + 1), grouped.at(layer, head));
      }
  }

  void what_is_no_table_of_scores_is_refused() {
    const ModelConfig model = test::tiny_config(2, 4, 2, 8, 160);
    for (const char* bad : {"", "0.1\t0.2\n", "0.1\t0.2\n0.3\n", "0.1\t0.2\n0.3\tx\n", "0.1\t0.2\n0.3\t-1\n",
                            "0\t0\n0\t0\n0\t0\n", "nan\t0\n0\t0\n"})
      QVERIFY_EXCEPTION_THROWN(scores_from_tsv(bad, model, "heads.tsv"), EngineError);
    for (const char* bad : {"[]", "{}", R"({"2-0": [1]})", R"({"0-4": [1]})", R"({"0": [1]})", R"({"0-1x": [1]})",
                            R"({"0-1": []})", R"({"0-1": ["a"]})", R"({"0-1": [-1]})"})
      QVERIFY_EXCEPTION_THROWN(scores_from_json(nlohmann::json::parse(bad), model, "scores.json"), EngineError);
  }
};

QTEST_APPLESS_MAIN(HeadScoresTest)
#include "head_scores_test.moc"
