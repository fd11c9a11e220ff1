// SPDX-License-Identifier: GPL-3.0-or-later
// The work that a model's definition asks for, against a count of every pair of positions.
#include "engine/cost/model_work.h"

#include <QTest>

#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Positions that token t sees, summed over all tokens, layers and heads, one by one.
double counted_pairs(const ModelConfig& model, const SegmentConfig& config, const std::string& policy,
                     std::int64_t tokens) {
  double sum = 0;
  for (std::int64_t token = 0; token < tokens; ++token)
    for (int layer = 0; layer < model.layers; ++layer)
      for (int head = 0; head < model.heads; ++head) {
        if (model.is_windowed(layer)) {
          sum += static_cast<double>(std::min(token + 1, model.window));
          continue;
        }
        const std::int64_t first = token / config.segment_length * config.segment_length;
        const std::int64_t prefix = seen_before(config, model, layer, head, first);
        sum += static_cast<double>(policy == "full" ? token + 1 : prefix + token - first + 1);
      }
  return sum;
}

}  // namespace

class ModelWorkTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void attention_is_a_count_of_what_is_seen() {
    std::mt19937 random(5);
    for (int round = 0; round < 40; ++round) {
      ModelConfig model = tiny_config(3, 4, 2, 8, 64);
      if (round % 4 >= 2) {
        model.window = draw(random, 1, 50);
        model.window_layers = {0, 2};
      }
      SegmentConfig config = random_segment_config(random, model);
      config.segment_length = draw(random, 3, 30);
      config.carry_length = draw(random, 0, static_cast<int>(config.segment_length));
      config.sink_length = draw(random, 0, std::min<std::int64_t>(5, config.segment_length - config.carry_length));
      config.retrieval_length = draw(random, 0, 70);
      if (round % 2 == 1) vary_search(random, config, model);
      const std::int64_t tokens = draw(random, 1, 200);
      for (const char* policy : {"segmented", "full"}) {
        const ModelWork work{model, config, policy};
        const double matmuls = 2.0 *
                               static_cast<double>(model.parameters() - 2 * model.vocabulary * model.hidden -
                                                   (2 * model.layers + 1) * model.hidden) *
                               static_cast<double>(tokens);
        const double head = 2.0 * static_cast<double>(model.vocabulary * model.hidden);
        const double expected = matmuls + head + 4.0 * 8 * counted_pairs(model, config, policy, tokens);
        QVERIFY(std::abs(work.forward_flops(tokens, 1) - expected) <= 1e-9 * expected);
        QCOMPARE(work.training_flops(tokens), 3 * work.forward_flops(tokens, tokens));
      }
    }
  }

  void decoding_reads_weights_and_what_is_seen() {
    ModelConfig model = tiny_config();
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.segment_length = 32;
    config.carry_length = 8;
    config.retrieval_length = 16;
    config.grouping = Grouping({1}, {{0, 1}});
    const double embedding = static_cast<double>(model.vocabulary * model.hidden);
    const double weights = 2 * (static_cast<double>(model.parameters()) - embedding);
    const double pair = 2 * 16 * 2;  // K and V of one position of a KV head, bf16
    const ModelWork full{model, config, "full"}, segmented{model, config, "segmented"};
    QCOMPARE(full.decode_bytes(99, 2), weights + 4 * 2 * 100 * pair);
    // The first segment has no prefix; the third one's fifth token sees 5 positions, a carry and what was retrieved.
    QCOMPARE(segmented.decode_bytes(9, 2), weights + 4 * 2 * 10 * pair);
    QCOMPARE(segmented.decode_bytes(68, 2), weights + (4 * 2 * 5 + 4 * 1 * 8 + 2 * 16) * pair);
    model.tied_embeddings = true;
    const ModelWork tied{model, config, "full"};
    QCOMPARE(tied.decode_bytes(0, 2), 2 * static_cast<double>(model.parameters()) + 4 * 2 * pair);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ModelWorkTest>};
#include "model_work_test.moc"
