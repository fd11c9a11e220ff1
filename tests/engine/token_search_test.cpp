// SPDX-License-Identifier: GPL-3.0-or-later
// The search per token: against a reference that shares no code, in any chunks; what no query may learn; what it equals
// where it leaves nothing out; gradients; what it costs.
#include "engine/method/token_search.h"

#include <QTest>
#include <cmath>

#include "engine/config/head_reads.h"
#include "engine/cost/model_work.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/registry.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/plain_llama.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A random model, of which at least one layer's long-range heads search per token, and a text.
struct Case {
  std::mt19937 random;
  ModelConfig model;
  SegmentConfig config;
  std::vector<std::int32_t> ids;
  TinyDecoder tiny;

  explicit Case(unsigned seed, at::ScalarType type = at::kDouble)
      : random(seed),
        model(random_family_config(random)),
        config(varied(random, model)),
        ids(distinct_ids(random, draw(random, 40, 130), model.vocabulary)),
        tiny(model, seed, type) {}

  static SegmentConfig varied(std::mt19937& random, const ModelConfig& model) {
    SegmentConfig config = random_varied_config(random, model);
    config.search = SearchBy::PerToken;
    config.retrieval_length = draw(random, 1, 12);
    config.grouping = Grouping({model.global_layers().front()}, {{0}});
    const std::vector<PrefixParts> readers = {PrefixParts::Retrieved, PrefixParts::SinksRetrieved,
                                              PrefixParts::SinksRetrievedCarry, PrefixParts::CarryRetrieved};
    config.long_reads = readers[static_cast<std::size_t>(draw(random, 0, std::ssize(readers) - 1))];
    return config;
  }

  at::Tensor run(const SegmentConfig& with, const Chunking& chunking = {}) const {
    return run_hidden(tiny.decoder, "segmented", with, ids, chunking);
  }
  bool chooses() const {
    return std::ssize(ids) > config.segment_length + config.retrieval_length + config.carry_length + config.sink_length;
  }
};

}  // namespace

class TokenSearchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(2); }
  void cleanupTestCase() { at::set_num_threads(1); }

  void equals_the_plain_reference() {
    const at::NoGradGuard no_gradients;
    int choosing = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
      const Case c(seed);
      const Rows expected = PlainLlama(c.model, c.config, c.tiny.values).run(c.ids);
      const at::Tensor logits = c.tiny.decoder.logits(c.run(c.config)).to(at::kDouble).contiguous();
      const double* found = logits.const_data_ptr<double>();
      for (const Vector& row : expected)
        for (const double value : row)
          QVERIFY2(std::abs(*found++ - value) < 1e-9, qPrintable(QString("seed %1").arg(seed)));
      choosing += c.chooses();
    }
    QVERIFY(choosing > 10);
  }

  void chunks_change_nothing() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 100; seed < 115; ++seed) {
      Case c(seed);
      const at::Tensor whole = c.run(c.config);
      QVERIFY(largest_difference(whole, c.run(c.config, [](std::int64_t) { return 1; })) < 1e-10);
      QVERIFY(largest_difference(whole, c.run(c.config, [&](std::int64_t left) { return draw(c.random, 1, left); })) <
              1e-10);
    }
  }

  /// Tokens that come later change nothing: no query sees what a later one chose, in its own segment either.
  void a_query_learns_nothing_from_later_ones() {
    const at::NoGradGuard no_gradients;
    int choosing = 0;
    for (unsigned seed = 200; seed < 230; ++seed) {
      Case c(seed);
      const at::Tensor before = c.run(c.config);
      const std::int64_t kept = draw(c.random, std::ssize(c.ids) / 2, std::ssize(c.ids) - 1);
      for (std::int64_t i = kept; i < std::ssize(c.ids); ++i)
        c.ids[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(draw(c.random, 0, c.model.vocabulary - 1));
      QVERIFY2(largest_difference(before.narrow(0, 0, kept), c.run(c.config).narrow(0, 0, kept)) == 0,
               qPrintable(QString("seed %1").arg(seed)));
      choosing += c.chooses();
    }
    QVERIFY(choosing > 10);
  }

  /// If every head of every layer reads a pool of which it may read everything, it attends to the whole text.
  void with_room_for_the_whole_pool_it_is_full_attention() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 300; seed < 315; ++seed) {
      Case c(seed);
      c.config.grouping = Grouping(c.model.global_layers(), {random_subset(c.random, c.model.heads, 0.5)});
      c.config.local_reads = PrefixParts::SinksRetrievedCarry;
      c.config.long_reads = PrefixParts::SinksRetrieved;
      c.config.pool_keys = PoolKeys::Model;
      c.config.retrieval_length = std::ssize(c.ids);
      QVERIFY(largest_difference(c.run(c.config), run_hidden(c.tiny.decoder, "full", c.config, c.ids)) < 1e-10);
    }
  }

  /// A further key can only raise the sum of a query's best scores; all of them together are the whole pool.
  void a_query_reads_its_best_keys() {
    const at::NoGradGuard no_gradients;
    at::manual_seed(11);
    ModelConfig model = tiny_config(1, 4, 2, 16, 16);
    const std::int64_t sinks = 2, pool = 60, carried = 5, m = 7;
    HeadGroup group{{0, 1, 3}, at::randn({2, sinks + pool + carried, 16}), {}};
    group.prefix_values = group.prefix_keys;
    group.spans = {{PrefixPart::Sinks, 0, sinks},
                   {PrefixPart::Retrieved, sinks, pool},
                   {PrefixPart::Carry, sinks + pool, carried}};
    const at::Tensor queries = at::randn({4, m, 16}), segment = at::randn({2, m, 16}), none;
    Rope rope = Rope::identity(model, at::TensorOptions().dtype(at::kFloat));
    const LayerKv kv{queries, segment, segment, segment};
    const KeyIndex index = search_per_token(group, {0, {3, 67}, queries, queries, kv, rope, none}, 4, model);
    QVERIFY(index.rows == 3 && index.tiles() == m && !index.shared);
    for (std::size_t head = 0; head < group.heads.size(); ++head)
      for (std::int64_t query = 0; query < m; ++query) {
        const at::Tensor scores =
            group.prefix_keys[group.heads[head] / 2].narrow(0, sinks, pool).mv(queries[group.heads[head]][query]);
        std::vector<KeyRange> expected{{0, sinks},
                                       {sinks + pool, static_cast<std::int32_t>(sinks + pool + carried + query + 1)}};
        const at::Tensor best = std::get<1>(scores.topk(4));
        for (int rank = 0; rank < 4; ++rank) {
          const auto place = static_cast<std::int32_t>(sinks + best[rank].item<std::int64_t>());
          expected.push_back({place, place + 1});
        }
        unite(expected);
        QVERIFY(index.list(static_cast<std::int64_t>(head), query) == expected);
      }
  }

  /// Between segments nothing is searched, so there are no lists of hits and nothing that asks for them.
  void there_are_no_lists() {
    const Case c(500);
    PreparedRun prepared(c.tiny.decoder, {"segmented", c.config, std::ssize(c.ids)});
    QVERIFY(prepared.policy().retrieving() == nullptr && prepared.policy().selects());
    QVERIFY(!retrieves(c.config, c.model) && searches_per_token(c.config, c.model) && reads_pool(c.config, c.model));
    QVERIFY(hit_lists(c.config, c.model, 3).empty());
    QVERIFY(search_heads(c.config, c.model, c.model.global_layers().front()).empty());
  }

  /// Without what is retrieved, a segment's queries find nothing; those of the next one search again.
  void a_segment_may_do_without() {
    const at::NoGradGuard no_gradients;
    int changed = 0;
    for (unsigned seed = 600; seed < 612; ++seed) {
      Case c(seed);
      c.config.long_reads = PrefixParts::Retrieved;
      SegmentConfig without = c.config;
      without.retrieval_length = 0;
      if (std::ssize(c.ids) < 3 * c.config.segment_length) continue;
      const at::Tensor ids = as_tensor(c.ids);
      PreparedRun searching(c.tiny.decoder, {"segmented", c.config, ids.size(0)}),
          bare(c.tiny.decoder, {"segmented", without, ids.size(0)});
      const auto segment = [&](std::int64_t index) {
        return ids.narrow(0, index * c.config.segment_length, c.config.segment_length);
      };
      searching.runner().run_segment(segment(0));
      bare.runner().run_segment(segment(0));
      searching.runner().forget_retrieved();
      QVERIFY(largest_difference(searching.runner().run_segment(segment(1)), bare.runner().run_segment(segment(1))) <
              1e-12);
      changed +=
          largest_difference(searching.runner().run_segment(segment(2)), bare.runner().run_segment(segment(2))) > 1e-9;
    }
    QVERIFY(changed > 3);
  }

  void the_cost_counts_what_is_scored_and_what_is_read() {
    ModelConfig model = tiny_config(2, 4, 2, 16, 16);
    SegmentConfig config;
    config.segment_length = 10;
    config.carry_length = 4;
    config.sink_length = 1;
    config.retrieval_length = 3;
    config.search = SearchBy::PerToken;
    config.grouping = Grouping({1}, {{1, 2}});
    config.long_reads = PrefixParts::SinksRetrievedCarry;
    // Segments begin at 0, 10, 20: the queries of two heads choose 3 among 0, 5 and 15 entries.
    QCOMPARE(searched_pairs(model, config, "segmented", 30), 2.0 * 10 * (5 + 15));
    QCOMPARE((ModelWork{model, config, "segmented"}.search_flops(30)), 2.0 * 16 * 2 * 10 * (5 + 15));
    QCOMPARE(searched_pairs(model, config, "full", 30), 0.0);
    SegmentConfig carried = config;
    carried.retrieval_length = 0;
    QCOMPARE(visible_pairs(model, config, "segmented", 30) - visible_pairs(model, carried, "segmented", 30),
             2.0 * 10 * (3 + 3));
    QCOMPARE(rope_length("segmented", config, 100), std::int64_t{100});  // keys are read at their true distances
    const CostModel with{model, config, 4}, without{model, carried, 4};
    QVERIFY(with.segmented(3000).device_peak - with.pool_bytes(3000) > without.segmented(3000).device_peak);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TokenSearchTest>};
#include "token_search_test.moc"
