// SPDX-License-Identifier: GPL-3.0-or-later
// select_hits against slow retrieval on 1000 random cases, and the rules of app:retrieval one by one on small ones.
#include "engine/runs/values/hit_selection.h"

#include <QTest>
#include <limits>

#include "engine/base/error.h"
#include "tests/support/slow_retrieval.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

SelectionRule rule_of(const SegmentConfig& config) {
  return {config.anchor_count(), config.expand_before, config.expand_after, config.retrieval_length};
}

/// Returns the candidates as pool_topk hands them over: the k best of each summary.
std::vector<Candidate> candidates_of(const slow::RetrievalCase& c) {
  std::vector<Candidate> result;
  const auto summaries = slow::summaries(c.queries, c.config);
  for (std::size_t s = 0; s < summaries.size(); ++s) {
    std::vector<Candidate> all;
    for (std::size_t key = 0; key < c.keys.size(); ++key) {
      const auto score = static_cast<float>(slow::dot(summaries[s], c.keys[key]));
      all.push_back({static_cast<std::int64_t>(key), score, static_cast<int>(s)});
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), static_cast<std::size_t>(c.config.top_k)));
    result.insert(result.end(), all.begin(), all.end());
  }
  return result;
}

std::vector<std::int64_t> positions_of(const std::vector<Hit>& hits) {
  std::vector<std::int64_t> positions;
  for (const Hit& hit : hits) positions.push_back(hit.position);
  return positions;
}

std::string kinds_of(const std::vector<Hit>& hits) {
  std::string kinds;
  for (const Hit& hit : hits) kinds += hit_kind_name(hit.kind)[0];
  return kinds;
}

using Positions = std::vector<std::int64_t>;

}  // namespace

class HitSelectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equals_slow_retrieval_with_provenance() {
    int kinds[3] = {0, 0, 0}, whole_pools = 0, cut_short = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      const slow::RetrievalCase c = slow::random_retrieval_case(seed);
      const auto pool = static_cast<std::int64_t>(c.keys.size());
      const std::vector<Hit> hits = select_hits(candidates_of(c), rule_of(c.config), pool);
      QVERIFY2(hits == slow::retrieve(c.queries, c.keys, c.config), qPrintable(QString("seed %1").arg(seed)));
      for (const Hit& hit : hits) ++kinds[static_cast<int>(hit.kind)];
      whole_pools += pool < c.config.retrieval_length;
      cut_short += kinds_of(hits).find('p') == std::string::npos;
    }
    QVERIFY2(kinds[0] > 1000 && kinds[1] > 1000 && kinds[2] > 1000, "each kind is meant to be common");
    QVERIFY2(whole_pools > 50 && cut_short > 50, "small pools and full prefixes are meant to be common");
  }

  void order_of_candidates_does_not_matter() {
    std::mt19937_64 random(3);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const slow::RetrievalCase c = slow::random_retrieval_case(seed);
      const auto pool = static_cast<std::int64_t>(c.keys.size());
      std::vector<Candidate> candidates = candidates_of(c);
      const auto hits = select_hits(candidates, rule_of(c.config), pool);
      std::shuffle(candidates.begin(), candidates.end(), random);
      QVERIFY(select_hits(candidates, rule_of(c.config), pool) == hits);
    }
  }

  void equal_scores_go_to_the_lower_index() {
    const std::vector<Candidate> tied = {{9, 1.0f, 0}, {5, 1.0f, 1}, {7, 1.0f, 0}};
    const auto hits = select_hits(tied, {2, 0, 0, 2}, 10);
    QCOMPARE(positions_of(hits), (Positions{5, 7}));
    QCOMPARE(hits[0].summary, 1);
  }

  void an_index_counts_once_with_its_best_score() {
    const std::vector<Candidate> twice = {{4, 1.0f, 0}, {4, 3.0f, 2}, {4, 3.0f, 1}, {8, 2.0f, 0}};
    const auto hits = select_hits(twice, {2, 0, 0, 2}, 10);
    QVERIFY(hits[0] == (Hit{4, HitKind::Anchor, 3.0f, 4, 1}));
    QVERIFY(hits[1] == (Hit{8, HitKind::Anchor, 2.0f, 8, 0}));
  }

  /// 6 is held first as an expansion of 5, yet is an anchor; 7 belongs to 6, and 4 and 5 to the better 5.
  void an_anchor_in_anothers_expansion_stays_an_anchor() {
    const std::vector<Candidate> near = {{5, 2.0f, 0}, {6, 1.0f, 0}};
    const auto hits = select_hits(near, {2, 1, 1, 4}, 10);
    QCOMPARE(positions_of(hits), (Positions{4, 5, 6, 7}));
    QCOMPARE(kinds_of(hits), std::string("eaae"));
    QCOMPARE(hits[0].anchor, 5);
    QCOMPARE(hits[3].anchor, 6);
    QCOMPARE(hits[3].score, 1.0f);
  }

  /// R = 2 ends before 5 itself: its lower neighbours are what is left of it. 3 is held, so the second anchor stands.
  void low_offsets_come_first_when_the_prefix_is_full() {
    const std::vector<Candidate> cut = {{5, 2.0f, 0}, {3, 1.0f, 0}};
    const auto hits = select_hits(cut, {2, 3, 4, 2}, 10);
    QCOMPARE(positions_of(hits), (Positions{2, 3}));
    QCOMPARE(kinds_of(hits), std::string("ea"));
    QCOMPARE(hits[0].anchor, 5);
  }

  void expansion_is_clamped_and_padding_takes_the_lowest() {
    const std::vector<Candidate> edges = {{0, 2.0f, 0}, {9, 1.0f, 0}};
    const auto hits = select_hits(edges, {2, 1, 1, 7}, 10);
    QCOMPARE(positions_of(hits), (Positions{0, 1, 2, 3, 4, 8, 9}));
    QCOMPARE(kinds_of(hits), std::string("aepppea"));
    QVERIFY(hits[2] == (Hit{2, HitKind::Padding, 0.0f, -1, -1}));
  }

  void a_small_pool_is_returned_whole() {
    const std::vector<Candidate> one = {{1, 2.0f, 0}};
    QCOMPARE(kinds_of(select_hits(one, {4, 0, 0, 100}, 3)), std::string("pap"));
    QVERIFY(select_hits({}, {4, 3, 4, 100}, 0).empty());
    QVERIFY(select_hits({}, {4, 3, 4, 0}, 50).empty());
  }

  void refuses_what_is_not_in_the_pool() {
    const auto select = [](Candidate candidate) { select_hits(std::span(&candidate, 1), {1, 0, 0, 1}, 5); };
    QVERIFY_THROWS_EXCEPTION(EngineError, select({-1, 0.0f, 0}));
    QVERIFY_THROWS_EXCEPTION(EngineError, select({5, 0.0f, 0}));
    QVERIFY_THROWS_EXCEPTION(EngineError, select({2, std::numeric_limits<float>::quiet_NaN(), 0}));
  }

  /// The summaries of L_q = 64, w = 8, s = 4 are 15 windows and the tail (app:retrieval).
  void slow_retrieval_summarises_as_the_paper_does() {
    std::mt19937_64 random(1);
    SegmentConfig config;
    QCOMPARE(slow::summaries(slow::exact_vectors(random, 100, 4), config).size(), std::size_t{16});
    QCOMPARE(slow::summaries(slow::exact_vectors(random, 11, 4), config).size(), std::size_t{2});
    QCOMPARE(slow::summaries(slow::exact_vectors(random, 3, 4), config).size(), std::size_t{2});
    const std::vector<slow::Vector> ramp = {{1}, {2}, {3}, {4}, {5}, {6}};
    QVERIFY(slow::summaries(ramp, config) == (std::vector<slow::Vector>{{3.5}, {4.5}}));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HitSelectionTest>};
#include "hit_selection_test.moc"
