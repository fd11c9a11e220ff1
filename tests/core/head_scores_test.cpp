// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/head_scores.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/error.h"
#include "engine/heads/choice/head_agreement.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/test_program.h"
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

HeadScores turned_around(HeadScores scores) {
  std::reverse(scores.values.begin(), scores.values.end());
  return scores;
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
      const HeadProbe probe = passage_probe(text, 128, 16, depth);
      QCOMPARE(std::ssize(probe.ids), std::ptrdiff_t{128});
      check_pairs(probe);
    }
    QVERIFY_THROWS_EXCEPTION(EngineError, passage_probe(text, 1000, 16, 0));
    QVERIFY_THROWS_EXCEPTION(EngineError, passage_probe(text, 20, 16, 0));
  }

  void a_needle_is_hidden_at_its_depth_and_only_its_value_is_looked_at() {
    for (const std::int64_t tokens : {16, 100, 129})
      for (const std::int64_t needle : {2, 5, 8})
        for (const double depth : {0.0, 0.4, 1.0}) {
          const HeadProbe probe = needle_probe(500, tokens, needle, depth, 3);
          QCOMPARE(std::ssize(probe.ids), static_cast<std::ptrdiff_t>(tokens));
          check_pairs(probe);
          const std::int64_t key = std::max<std::int64_t>(1, needle / 4);
          QCOMPARE(std::ssize(probe.pairs), static_cast<std::ptrdiff_t>(needle - key));
          const auto hidden = static_cast<std::int64_t>(std::lround(depth * static_cast<double>(tokens - 2 * needle)));
          QCOMPARE(probe.pairs.front().key, hidden + key);
          QCOMPARE(probe.pairs.back(), (AttentionPair{tokens - 2, hidden + needle - 1}));
          QVERIFY(probe.ids == needle_probe(500, tokens, needle, depth, 3).ids);
          QVERIFY(probe.ids != needle_probe(500, tokens, needle, depth, 4).ids);
        }
    QCOMPARE(test::unlike(Fault::BadInput, "needle", [] { needle_probe(500, 15, 8, 0, 1); }), std::string());
    QCOMPARE(test::unlike(Fault::BadInput, "needle", [] { needle_probe(500, 15, 1, 0, 1); }), std::string());
  }

  void a_request_makes_as_many_probes_of_each_kind() {
    HeadProfileRequest request;
    request.tokens = 64;
    request.needle = 8;
    request.text = std::make_shared<const std::vector<std::int32_t>>(100, 7);
    request.kinds = {ProbeKind::Needle, ProbeKind::Passage, ProbeKind::Copy};
    const auto probes = make_probes(request, 300);
    QCOMPARE(probes.size(), std::size_t{9});
    for (std::size_t i = 0; i < probes.size(); ++i) QVERIFY(probes[i].kind == request.kinds[i / 3]);
    QVERIFY(probes[0].pairs.front().key < probes[1].pairs.front().key);  // at other depths
    for (const ProbeKind kind : request.kinds) QVERIFY(parse_probe_kind(std::string(probe_kind_name(kind))) == kind);
    request.text = nullptr;
    QCOMPARE(test::unlike(Fault::BadInput, "need a text", [&] { make_probes(request, 300); }), std::string());
    request.kinds.clear();
    QCOMPARE(test::unlike(Fault::BadInput, "missing", [&] { make_probes(request, 300); }), std::string());
    QCOMPARE(test::unlike(Fault::Usage, "not a kind", [] { parse_probe_kind("hay"); }), std::string());
  }

  void a_profiles_scores_are_the_mean_of_its_kinds() {
    const HeadScores low{1, 2, {0, 0.5}}, high{1, 2, {1, 0.25}};
    const HeadProfile profile{{{ProbeKind::Copy, low, high}, {ProbeKind::Needle, high, high}}};
    QCOMPARE(mean_scores(profile, HeadMeasure::Attention).values, (std::vector<double>{0.5, 0.375}));
    QCOMPARE(mean_scores(profile, HeadMeasure::Copies).values, high.values);
    for (const HeadMeasure measure : {HeadMeasure::Attention, HeadMeasure::Copies})
      QVERIFY(parse_head_measure(std::string(head_measure_name(measure))) == measure);
  }

  void agreement_is_of_ranks() {
    const ModelConfig model = test::tiny_config(3, 8, 4, 8, 160);
    const HeadScores a = random_scores(model, 1), b = random_scores(model, 2);
    HeadScores grown = a, reversed = a;
    for (double& value : grown.values) value = value * value * value;  // of the same order
    for (double& value : reversed.values) value = 1 - value;
    QVERIFY(std::abs(*rank_correlation(a, grown) - 1) < 1e-12);
    QVERIFY(std::abs(*rank_correlation(a, reversed) + 1) < 1e-12);
    QVERIFY(std::abs(*rank_correlation(a, b)) < 0.6);
    QCOMPARE(*rank_correlation(a, b), *rank_correlation(b, a));
    const HeadScores four{1, 4, {1, 2, 2, 3}}, other{1, 4, {1, 3, 2, 4}};
    QVERIFY(std::abs(*rank_correlation(four, other) - 4.5 / std::sqrt(4.5 * 5)) < 1e-12);  // with a tie
    QVERIFY(!rank_correlation(four, HeadScores{1, 4, {5, 5, 5, 5}}).has_value());
    QCOMPARE(top_overlap(a, grown, 5), 1.0);
    QCOMPARE(top_overlap(four, turned_around(four), 1), 0.0);
    QCOMPARE(top_overlap(a, b, 1000), 1.0);  // all of them
    const auto ranked = ranked_heads(four);
    QCOMPARE(ranked[0], (HeadRef{0, 3}));
    QCOMPARE(ranked[1], (HeadRef{0, 1}));  // of equal ones the first
  }

  void groupings_share_heads() {
    const Grouping wanted({1, 2}, {{0, 3}}), other({2, 3}, {{3, 4}}), none({1}, {{}});
    QCOMPARE(retrieving_heads(wanted), (std::vector<HeadRef>{{1, 0}, {1, 3}, {2, 0}, {2, 3}}));
    QCOMPARE(shared_heads(wanted, other), std::optional<double>(0.25));
    QCOMPARE(shared_heads(wanted, wanted), std::optional<double>(1));
    QVERIFY(!shared_heads(none, wanted).has_value());
  }

  void a_proposal_holds_the_best_heads_of_the_best_layers() {
    for (unsigned seed = 0; seed < 30; ++seed) {
      const ModelConfig model = test::tiny_config(5, 8, 4, 8, 160);
      const HeadScores scores = random_scores(model, seed);
      const Grouping proposal = propose_grouping(scores, model, 2, 3);
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

    QCOMPARE(scores_from_text(head_score_json(scores).dump(), model, "a file").values, scores.values);
    QCOMPARE(scores_from_text(duo_tsv(scores, model), model, "a file").values,
             scores_from_tsv(duo_tsv(scores, model), model, "a file").values);
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
      QVERIFY_THROWS_EXCEPTION(EngineError, scores_from_tsv(bad, model, "heads.tsv"));
    for (const char* bad : {"[]", "{}", R"({"2-0": [1]})", R"({"0-4": [1]})", R"({"0": [1]})", R"({"0-1x": [1]})",
                            R"({"0-1": []})", R"({"0-1": ["a"]})", R"({"0-1": [-1]})"})
      QVERIFY_THROWS_EXCEPTION(EngineError, scores_from_json(nlohmann::json::parse(bad), model, "scores.json"));
  }

  /// DuoAttention's files come from anybody: damage is refused as bad input, or is a table of scores.
  void damaged_tables_are_refused_or_read() {
    const ModelConfig model = test::tiny_config(3, 8, 4, 8, 160);
    const std::string whole = duo_tsv(random_scores(model, 4), model);
    test::Mutator mutator(whole, whole.size(), 5);
    int refused = 0, taken = 0;
    for (int i = 0; i < 10'000; ++i) {
      HeadScores scores;
      const auto error = test::error_of([&] { scores = scores_from_text(mutator.next(), model, "heads.tsv"); });
      if (error) {
        QVERIFY2(error->fault() == Fault::BadInput, error->what());
        ++refused;
        continue;
      }
      ++taken;
      QVERIFY(scores.layers == model.layers && scores.heads == model.heads);
      QCOMPARE(std::ssize(scores.values), model.layers * model.heads);
      QVERIFY(std::ranges::all_of(scores.values, [](double score) { return std::isfinite(score) && score >= 0; }));
    }
    QVERIFY2(refused > 1000 && taken > 500, qPrintable(QString("%1 refused, %2 read").arg(refused).arg(taken)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HeadScoresTest>};
#include "head_scores_test.moc"
