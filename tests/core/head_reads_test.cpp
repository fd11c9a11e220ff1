// SPDX-License-Identifier: GPL-3.0-or-later
// Which heads read, carry, search and are pooled: on a model by hand, and as properties over random configurations.
#include "engine/config/head_reads.h"

#include <QTest>
#include <algorithm>

#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Heads = std::vector<int>;
using Parts = std::vector<PrefixPart>;

/// Four layers of 6 query heads in 3 KV groups; layers 1 and 3 retrieve, heads 0 and 3 are long-range.
struct Small {
  ModelConfig model = tiny_config(4, 6, 3);
  SegmentConfig config = SegmentConfig::defaults_for(model);
  Small() {
    config.grouping = Grouping({1, 3}, {{0, 3}});
    config.retrieval_length = 16;
  }
};

}  // namespace

class HeadReadsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_say_the_parts() {
    for (std::size_t place = 0; place < kPrefixPartsNames.size(); ++place) {
      std::string text;
      const auto parts = static_cast<PrefixParts>(place);
      for (const PrefixPart part : parts_of(parts)) {
        QVERIFY(has(parts, part));
        text += text.empty() ? "" : "+";
        text += part == PrefixPart::Sinks ? "sinks" : part == PrefixPart::Carry ? "carry" : "retrieved";
      }
      QCOMPARE(text.empty() ? "none" : text, std::string(kPrefixPartsNames[place]));
    }
  }

  void the_paper_reads_one_part_behind_the_sinks() {
    const Small s;
    const auto retrieving = head_reads(s.config, s.model, 1), other = head_reads(s.config, s.model, 2);
    QCOMPARE(retrieving.size(), std::size_t{2});
    QVERIFY(!retrieving[0].long_range && retrieving[0].heads == Heads({1, 2, 4, 5}));
    QVERIFY(retrieving[0].parts == Parts({PrefixPart::Sinks, PrefixPart::Carry}) && !retrieving[0].per_query_head);
    QVERIFY(retrieving[1].long_range && retrieving[1].heads == Heads({0, 3}));
    QVERIFY(retrieving[1].parts == Parts({PrefixPart::Sinks, PrefixPart::Retrieved}) && retrieving[1].per_query_head);
    QVERIFY(other[1].parts == Parts({PrefixPart::Sinks}) && !other[1].per_query_head);
    QVERIFY(retrieving[0].prefix_kv_heads(s.model) == Heads({0, 1, 2}));
    QVERIFY(retrieving[1].prefix_kv_heads(s.model) == Heads({0, 1}));
    QVERIFY(carry_kv_heads(s.config, s.model, 1) == Heads({0, 1, 2}));
    QVERIFY(reader_heads(s.config, s.model, 1) == Heads({0, 3}) && reader_heads(s.config, s.model, 2).empty());
    QVERIFY(search_heads(s.config, s.model, 1) == Heads({0, 3}));
    QVERIFY(pool_kv_heads(s.config, s.model, 1) == Heads({0, 1}) && pool_kv_heads(s.config, s.model, 0).empty());
    QVERIFY(retrieves(s.config, s.model) && !shared_search_skips_carry(s.config, s.model));
  }

  void a_shared_search_pools_what_searchers_and_readers_use() {
    Small s;
    s.config.search = SearchBy::Shared;
    s.config.search_heads = {{0, 5}, {1, 4}};
    s.config.long_reads = PrefixParts::SinksRetrievedCarry;
    QVERIFY(search_heads(s.config, s.model, 0) == Heads({5}) && pool_kv_heads(s.config, s.model, 0) == Heads({2}));
    QVERIFY(search_heads(s.config, s.model, 1) == Heads({4}) &&
            pool_kv_heads(s.config, s.model, 1) == Heads({0, 1, 2}));
    QVERIFY(search_heads(s.config, s.model, 3).empty() && pool_kv_heads(s.config, s.model, 3) == Heads({0, 1}));
    QVERIFY(!head_reads(s.config, s.model, 1)[1].per_query_head && shared_search_skips_carry(s.config, s.model));
    s.config.retrieval_length = 0;
    QVERIFY(!retrieves(s.config, s.model) && pool_kv_heads(s.config, s.model, 0).empty());
  }

  void kinds_hold_every_head_once() {
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
      const std::int64_t kv_heads = draw(random, 1, 4);
      const ModelConfig model = tiny_config(draw(random, 1, 6), kv_heads * draw(random, 1, 4), kv_heads);
      SegmentConfig config = random_segment_config(random, model);
      vary_search(random, config, model);
      for (int layer = 0; layer < model.layers; ++layer) {
        Heads all;
        for (const HeadReads& kind : head_reads(config, model, layer)) {
          all.insert(all.end(), kind.heads.begin(), kind.heads.end());
          QVERIFY(!kind.read(PrefixPart::Retrieved) || config.grouping.is_long_layer(layer));
          if (kind.per_query_head) QCOMPARE(kind.prefix_kv_heads(model).size(), kind.heads.size());
        }
        std::ranges::sort(all);
        QCOMPARE(std::ssize(all), model.heads);
        for (int head = 0; head < model.heads; ++head) QCOMPARE(all[static_cast<std::size_t>(head)], head);
        const Heads pooled = pool_kv_heads(config, model, layer);
        for (const int head : search_heads(config, model, layer))
          QVERIFY(std::ranges::binary_search(pooled, head / static_cast<int>(model.group_size())));
      }
    }
  }

  void heads_survive_their_text() {
    std::mt19937 random(9);
    for (int i = 0; i < 200; ++i) {
      std::vector<HeadRef> heads;
      for (std::int64_t left = draw(random, 0, 5); left > 0; --left)
        heads.push_back({static_cast<int>(draw(random, 0, 90)), static_cast<int>(draw(random, 0, 40))});
      std::ranges::sort(heads);
      QVERIFY(parse_heads(text_of_heads(heads)) == heads);
    }
    QVERIFY(parse_heads(" 18.6,15.6 ") == std::vector<HeadRef>({{15, 6}, {18, 6}}));
    QVERIFY(parse_heads("none") == std::vector<HeadRef>());
    for (const char* wrong : {"18", "18.", ".6", "18.6,", ",", "18.6 15.6", "-1.0", "1.x", "99999999999.1", "1.2.3"})
      QVERIFY2(!parse_heads(wrong), wrong);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HeadReadsTest>};
#include "head_reads_test.moc"
