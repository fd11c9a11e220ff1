// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/audit_cost.h"

#include <QTest>
#include <limits>

#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;

namespace {

ModelConfig small_model() {
  return test::tiny_config(4, 8, 4, 16, 512);
}

SegmentConfig config_of(std::int64_t length, std::int64_t depth) {
  SegmentConfig config = SegmentConfig::defaults_for(small_model());
  config.segment_length = length;
  config.carry_length = config.retrieval_length = length / 4;
  config.truncation_depth = depth;
  return config;
}

AuditCost cost_of(std::int64_t length, std::int64_t depth, std::int64_t segments, std::int64_t rank = 0,
                  int bytes = 8) {
  return audit_cost(small_model(), config_of(length, depth), "segmented", segments, rank, bytes);
}

}  // namespace

class AuditCostTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Every term from its own start, added up one by one.
  void reads_what_the_terms_read() {
    for (int depth = 0; depth < 5; ++depth)
      for (int segments = 1; segments < 8; ++segments) {
        const auto once = [&](int k) {
          std::int64_t read = 0;
          for (int i = 0; i < segments; ++i) read += 10 * (std::min(i, k) + 1);
          return read;
        };
        // The trainer, again with checkpointing, an inference run; whole segments, chunks, token by token.
        const std::int64_t other = 10 * segments * (3 + 4 + 1 + 3);
        std::int64_t gradients = 2 * once(depth);  // L_K, L_{K-1} and L_{K+1}, twice each
        if (segments > 1) gradients += 2 * once(depth + 1) + (depth > 0 ? 2 * once(depth - 1) : 0);
        QCOMPARE(cost_of(10, depth, segments, 0, 4).tokens_read, other + 3 * gradients);
        QCOMPARE(cost_of(10, depth, segments, 0, 2).tokens_read, other + 10 * segments + 3 * gradients);
        const std::int64_t tensors = 6 * 4 + (small_model().tied_embeddings ? 2 : 3);
        QCOMPARE(cost_of(10, depth, segments).tokens_read, other + 3 * gradients + 2 * (tensors + 8) * once(depth));
      }
  }

  void memory_holds_the_weights_and_five_gradients() {
    const std::int64_t values = small_model().parameters();
    QVERIFY(cost_of(16, 1, 4).memory_bytes >= 6 * 8 * values);
    QVERIFY(cost_of(16, 1, 4, 0, 4).memory_bytes >= 6 * 4 * values);
    QVERIFY(cost_of(16, 1, 4, 0, 4).memory_bytes < cost_of(16, 1, 4).memory_bytes);
    QVERIFY(cost_of(4, 1, 4, 2).memory_bytes < cost_of(4, 1, 4).memory_bytes);  // an adapter's gradients are small
    QVERIFY(cost_of(64, 1, 4).memory_bytes <= cost_of(256, 1, 4).memory_bytes);
  }

  void full_attention_reads_the_whole_text_once_a_term() {
    const AuditCost full = audit_cost(small_model(), config_of(10, 3), "full", 6, 0, 4);
    QCOMPARE(full.tokens_read, std::int64_t{10 * 6 * (11 + 6)});
  }

  void absurd_sizes_do_not_wrap() {
    const AuditCost cost = cost_of(std::int64_t{1} << 40, 1 << 20, 1'000'000'000);
    QCOMPARE(cost.tokens_read, std::numeric_limits<std::int64_t>::max());
    QVERIFY(cost.memory_bytes > 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AuditCostTest>};
#include "audit_cost_test.moc"
