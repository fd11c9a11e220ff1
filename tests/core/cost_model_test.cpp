// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/cost_model.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <set>

#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;

namespace {

ModelConfig llama_7b() {
  ModelConfig model = test::tiny_config(32, 32, 32, 128, 32000);
  model.intermediate = 11008;
  model.context = 32768;
  return model;
}

}  // namespace

class CostModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void pool_of_the_papers_model();
  void full_attention_of_the_papers_model();
  void matches_a_count_over_heads();
  void only_the_pool_grows_with_the_text();
  void full_attention_holds_the_newest_chunk_twice();
  void decoding_keeps_an_open_segment();
  void packed_weights_take_34_bytes_for_32();
  void no_retrieval_needs_no_pool();
  void absurd_lengths_do_not_wrap();
};

void CostModelTest::pool_of_the_papers_model() {
  const ModelConfig model = llama_7b();
  const CostModel cost{model, SegmentConfig::defaults_for(model), 2};
  QCOMPARE(cost.pool_bytes_per_token(), 32 * 1024);  // 4 layers × 16 heads × 128 × K, V × 2 bytes
  QCOMPARE(cost.pool_bytes(131072), std::int64_t{4} << 30);
  CostModel rounded = cost;
  rounded.config.pool_keys = PoolKeys::BFloat16;
  QCOMPARE(rounded.pool_bytes_per_token(), 32 * 1024);  // the model's own
  rounded.config.pool_keys = PoolKeys::Int8;
  QCOMPARE(rounded.pool_bytes_per_token(), 4 * 16 * (128 + 4 + 128 * 2));
}

void CostModelTest::full_attention_of_the_papers_model() {
  const CostModel cost{llama_7b(), SegmentConfig::defaults_for(llama_7b()), 2};
  QCOMPARE(cost.full_attention_bytes(1), 512 * 1024);  // 32 layers × 4096 × K, V × 2 bytes
  QCOMPARE(cost.weight_bytes(), 2 * cost.model.parameters());
  // S + αM + β(1−α)R with α = 1/2, β = 1/8
  QCOMPARE(cost.visible_positions(), 4096 + 0.5 * 512 + 0.125 * 0.5 * 512);
}

void CostModelTest::matches_a_count_over_heads() {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t kv_heads = test::draw(random, 1, 4), group = test::draw(random, 1, 4);
    const ModelConfig model = test::tiny_config(5, kv_heads * group, kv_heads, 2 * test::draw(random, 1, 8));
    SegmentConfig config = test::random_segment_config(random, model);
    if (i % 2 == 1) test::vary_search(random, config, model);
    const CostModel cost{model, config, 4};
    const bool searched_alone = config.search == SearchBy::PerHead, by_token = config.search == SearchBy::PerToken;
    bool anyone_reads = false;
    for (int layer = 0; layer < model.layers; ++layer)
      for (int head = 0; head < model.heads; ++head)
        anyone_reads = anyone_reads || test::reads_part(config, layer, head, "retrieved");
    std::int64_t slots = 0, carry = 0, pool = 0;
    double visible = 0;
    for (int layer = 0; layer < model.layers; ++layer)
      for (int kv = 0; kv < kv_heads; ++kv) {
        bool is_carried = false, is_pooled = false;
        std::set<bool> kinds;  // local and long heads that have a row of this KV head in their prefix
        for (int head = kv * static_cast<int>(group); head < (kv + 1) * group; ++head) {
          const bool retrieved = test::reads_part(config, layer, head, "retrieved");
          const std::int64_t seen = test::seen_before(config, model, layer, head, std::int64_t{1} << 40);
          visible += static_cast<double>(seen);
          is_carried = is_carried || test::reads_part(config, layer, head, "carry");
          is_pooled = is_pooled || retrieved;
          if (config.search == SearchBy::Shared && anyone_reads)
            is_pooled = is_pooled || std::ranges::count(config.search_heads, HeadRef{layer, head}) > 0;
          const bool own_row = retrieved && searched_alone;
          const std::int64_t chosen = retrieved && by_token ? config.retrieval_length : 0;  // by each head for itself
          slots += chosen;
          if (own_row || kinds.insert(config.grouping.is_long(layer, head)).second) slots += seen - chosen;
        }
        slots += config.segment_length;
        carry += is_carried ? config.carry_length : 0;
        pool += is_pooled;
      }
    const std::int64_t pair = 2 * model.head_dim * 4;
    QCOMPARE(cost.segmented_attention_bytes(), slots * pair);
    QCOMPARE(cost.carry_bytes(), carry * pair);
    const std::int64_t d = model.head_dim, keys[] = {4 * d, 2 * d, d + 4};  // by PoolKeys; int8 has its scale
    QCOMPARE(cost.pool_bytes_per_token(), pool * (keys[static_cast<std::size_t>(config.pool_keys)] + 4 * d));
    const double mean = static_cast<double>(config.segment_length) + visible / static_cast<double>(5 * model.heads);
    QVERIFY(std::abs(cost.visible_positions() - mean) < 1e-9);
  }
}

void CostModelTest::only_the_pool_grows_with_the_text() {
  const CostModel cost{llama_7b(), SegmentConfig::defaults_for(llama_7b()), 2};
  MemoryBytes at_64k = cost.segmented(65536), at_1m = cost.segmented(1 << 20);
  QCOMPARE(at_1m.pool - at_64k.pool, cost.pool_bytes((1 << 20) - 65536));
  QCOMPARE(at_1m.device_peak - at_64k.device_peak, at_1m.pool - at_64k.pool);
  at_1m.pool = at_64k.pool;
  at_1m.device_peak = at_64k.device_peak;
  QCOMPARE(at_1m, at_64k);
  QVERIFY(cost.segmented(100).activations < at_64k.activations);
  QVERIFY(cost.segmented(100).attention_kv < at_64k.attention_kv);
}

void CostModelTest::full_attention_holds_the_newest_chunk_twice() {
  const CostModel cost{llama_7b(), SegmentConfig::defaults_for(llama_7b()), 2};
  const std::int64_t chunk = cost.config.segment_length;
  for (std::int64_t tokens : {std::int64_t{1}, chunk, 3 * chunk}) {
    const MemoryBytes bytes = cost.full(tokens);
    const std::int64_t newest = std::min(tokens, chunk);
    QCOMPARE(bytes.attention_kv, tokens * cost.full_attention_bytes(1));
    const std::int64_t attention = (6 * newest + 2 * tokens) * 4096;  // beside it, all keys and values as it packs them
    const std::int64_t layer = 2 * (3 * 4096 * newest + std::max(attention, 3 * 11008 * newest));
    QCOMPARE(bytes.activations, layer + newest * cost.full_attention_bytes(1));
    if (tokens == newest) QCOMPARE(cost.activation_bytes(newest), layer);
    QCOMPARE(bytes.pool + bytes.carry, 0);
    QCOMPARE(bytes.device_peak, bytes.weights + bytes.activations + bytes.attention_kv);
  }
}

void CostModelTest::decoding_keeps_an_open_segment() {
  const CostModel cost{llama_7b(), SegmentConfig::defaults_for(llama_7b()), 2};
  const std::int64_t S = cost.config.segment_length, queries = 2 * cost.config.query_length * 32 * 4096 * 2;
  const std::int64_t open = S * cost.full_attention_bytes(1) * 3 / 2 + queries;  // keys, rotated keys, values
  const auto grows = [](const MemoryBytes& with, const MemoryBytes& without) {
    return with.device_peak - without.device_peak;
  };
  const RunUse prefill{.loss = false}, decoding{.loss = false, .decoding = true};
  for (const std::int64_t tokens : {S, 3 * S}) {
    QCOMPARE(grows(cost.full(tokens, decoding), cost.full(tokens, prefill)), open - cost.full_attention_bytes(S));
    QCOMPARE(grows(cost.segmented(tokens, decoding), cost.segmented(tokens, prefill)),
             open - cost.full_attention_bytes(S) / 32);
  }
}

void CostModelTest::packed_weights_take_34_bytes_for_32() {
  const ModelConfig model = llama_7b();
  const SegmentConfig config = SegmentConfig::defaults_for(model);
  const CostModel dense{model, config, 2}, packed{model, config, 2, true};
  const std::int64_t norms = (2 * 32 + 1) * 4096;
  QCOMPARE(packed.weight_bytes(), (model.parameters() - norms) / 32 * 34 + norms * 2);
  QCOMPARE(packed.activation_bytes(4096) - dense.activation_bytes(4096), unpacked_block_bytes);
  QCOMPARE(packed.pool_bytes(1 << 20), dense.pool_bytes(1 << 20));

  ModelConfig odd = model;  // one row too many for its embedding and head to be packed
  odd.vocabulary += 1;
  const std::int64_t both = 2 * std::int64_t{4096};
  QCOMPARE((CostModel{odd, config, 2, true}.weight_bytes()),
           packed.weight_bytes() - model.vocabulary * both / 32 * 34 + odd.vocabulary * both * 2);
}

void CostModelTest::no_retrieval_needs_no_pool() {
  SegmentConfig config = SegmentConfig::defaults_for(llama_7b());
  config.retrieval_length = 0;
  QCOMPARE((CostModel{llama_7b(), config, 2}.pool_bytes(1 << 20)), 0);
  config.carry_length = 0;
  QCOMPARE((CostModel{llama_7b(), config, 2}.carry_bytes()), 0);
}

void CostModelTest::absurd_lengths_do_not_wrap() {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const CostModel cost{llama_7b(), SegmentConfig::defaults_for(llama_7b()), 8};
  QCOMPARE(cost.full_attention_bytes(most), most);
  QCOMPARE(cost.pool_bytes(most), most);
  QCOMPARE(cost.segmented(most).device_peak, most);
  QCOMPARE(cost.full(most).device_peak, most);
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CostModelTest>};
#include "cost_model_test.moc"
