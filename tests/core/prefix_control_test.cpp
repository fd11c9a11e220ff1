// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/prefix_control.h"

#include <QTest>
#include <algorithm>

#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;

class PrefixControlTest : public QObject {
  Q_OBJECT

 private:
  /// The first four positions, then the last ones without a gap.
  static void verify_sinks(const HeadHits& one, std::int64_t pool, std::int64_t first) {
    const std::int64_t count = std::ssize(one.hits),
                       sinks = std::min(std::max<std::int64_t>(0, kSinkTokens - first), count);
    for (std::int64_t k = 0; k < count; ++k)
      QCOMPARE(one.hits[static_cast<std::size_t>(k)].position, k < sinks ? first + k : pool - count + k);
  }

 private Q_SLOTS:
  void names_and_sources_are_one_to_one() {
    for (const PrefixSource source : prefix_sources()) QVERIFY(prefix_source(prefix_source_name(source)) == source);
    QVERIFY(!prefix_source("Search") && !prefix_source(""));
    const auto names = run_prefix_names();
    QCOMPARE(names.size(), prefix_sources().size() - 1);
    QVERIFY(std::find(names.begin(), names.end(), "oracle") == names.end());
  }

  void every_retrieving_head_gets_a_whole_prefix() {
    std::mt19937 random(3);
    const ModelConfig model = test::tiny_config();
    for (int i = 0; i < 50; ++i) {
      SegmentConfig config = test::random_segment_config(random, model);
      config.retrieval_length = test::draw(random, 1, 80);
      const std::int64_t tokens = test::draw(random, 1, 1200);
      std::size_t heads = 0;
      for (int layer = 0; layer < model.layers; ++layer)
        if (config.grouping.retrieves(layer)) heads += config.grouping.long_heads(layer).size();
      const std::int64_t segments = (tokens + config.segment_length - 1) / config.segment_length;
      for (const auto control : prefix_sources()) {
        if (!is_position_control(control)) continue;
        const auto all = control_hits(control, config, model, tokens, 7);
        QCOMPARE(all.size(), heads * static_cast<std::size_t>(segments - 1));
        QVERIFY(all == control_hits(control, config, model, tokens, 7));
        for (const HeadHits& one : all) {
          const std::int64_t pool = one.segment * config.segment_length, first = config.sink_length;
          QCOMPARE(std::ssize(one.hits), std::min(pool - first, config.retrieval_length));
          for (std::size_t k = 0; k < one.hits.size(); ++k) {
            QVERIFY(one.hits[k].position >= first && one.hits[k].position < pool &&
                    one.hits[k].kind == HitKind::Padding);
            QVERIFY(k == 0 || one.hits[k - 1].position < one.hits[k].position);
          }
          if (control == PrefixSource::Recent) QCOMPARE(one.hits.front().position, pool - std::ssize(one.hits));
          if (control == PrefixSource::Constant) QCOMPARE(one.hits.back().position, first + std::ssize(one.hits) - 1);
          if (control == PrefixSource::Sinks) verify_sinks(one, pool, first);
        }
      }
    }
  }

  void a_shared_search_has_one_list_of_whole_windows() {
    std::mt19937 random(5);
    const ModelConfig model = test::tiny_config();
    int lists = 0;
    for (int i = 0; i < 100; ++i) {
      SegmentConfig config = test::random_segment_config(random, model);
      config.retrieval_length = test::draw(random, 20, 80);
      test::vary_search(random, config, model);
      config.search = SearchBy::Shared;
      config.retrieve = RetrieveBy::Windows;
      for (const HeadHits& one : control_hits(PrefixSource::Random, config, model, 1200, 7)) {
        ++lists;
        QVERIFY(one.shared && HeadRef({one.layer, one.head}) == config.search_heads.front());
        const bool skips = test::skips_carry(config, model, 0, 0);
        const std::int64_t pool = one.segment * config.segment_length - (skips ? config.carry_length : 0);
        QCOMPARE(std::ssize(one.hits), std::min(pool - config.sink_length, config.retrieval_length));
        QVERIFY(one.hits.front().position >= config.sink_length && one.hits.back().position < pool);
        std::int64_t in_windows = 0;  // positions of runs that are at least a window long
        for (std::size_t begin = 0, end = 0; begin < one.hits.size(); begin = end) {
          for (end = begin + 1; end < one.hits.size() && one.hits[end].position == one.hits[end - 1].position + 1;)
            ++end;
          if (static_cast<std::int64_t>(end - begin) >= config.window_length)
            in_windows += static_cast<std::int64_t>(end - begin);
        }
        QVERIFY(in_windows >= std::ssize(one.hits) / config.window_length * config.window_length -
                                  (std::ssize(one.hits) % config.window_length));
      }
    }
    QVERIFY(lists > 100);
  }

  void random_prefixes_cover_the_pool_evenly() {
    const ModelConfig model = test::tiny_config();
    SegmentConfig config;
    config.segment_length = 100;
    config.carry_length = 10;
    config.retrieval_length = 30;
    config.grouping = Grouping({1, 2}, {{0, 1, 2, 3}});
    std::vector<int> counts(100, 0);
    int heads = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
      for (const HeadHits& one : control_hits(PrefixSource::Random, config, model, 150, seed)) {
        ++heads;
        for (const Hit& hit : one.hits) ++counts[static_cast<std::size_t>(hit.position)];
      }
    const double expected = heads * 0.3;
    for (int count : counts) QVERIFY(std::abs(count - expected) < 5 * std::sqrt(expected * 0.7));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PrefixControlTest>};
#include "prefix_control_test.moc"
