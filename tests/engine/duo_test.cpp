// SPDX-License-Identifier: GPL-3.0-or-later
// DuoAttention (policy duo): against a reference that takes a pair of a query and a key at a time, in any chunks, what
// is held and what is freed.
#include "engine/policies/duo/duo.h"

#include <QTest>

#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/streaming/streaming_settings.h"
#include "tests/support/pair_by_pair.h"
#include "tests/support/policy_facts.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Case = ChunkedCase;

PairByPair definition(const Case& c) {
  return {c.tiny.decoder, std::ssize(c.ids), [&c](int layer, int head) -> PairByPair::Sees {
            for (const int other : c.config.grouping.long_heads(layer))
              if (c.config.grouping.is_long_layer(layer) && other / c.model.group_size() == head / c.model.group_size())
                return {};
            return {c.config.sink_length, c.config.of<WindowSettings>().attention_window, false};
          }};
}

}  // namespace

class DuoTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_run_equals_the_definition() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 16; ++seed) {
      Case c(seed);
      c.ids.resize(std::min<std::size_t>(c.ids.size(), 60));
      const double off =
          largest_difference(run_hidden(c.tiny.decoder, "duo", c.config, c.ids), definition(c).run(c.ids));
      record_fact("duo", kReferenceFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  void chunks_change_nothing() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 20; seed < 50; ++seed) {
      const double off = Case(seed).largest_difference_of_chunks("duo");
      record_fact("duo", kChunksFact, off);
      QVERIFY2(off < 1e-10, qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(off)));
    }
  }

  void all_retrieval_heads_are_full_attention_and_none_are_the_a_shape() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 60; seed < 70; ++seed) {
      Case c(seed);
      std::vector<int> layers(static_cast<std::size_t>(c.model.layers)), heads(static_cast<std::size_t>(c.model.heads));
      std::iota(layers.begin(), layers.end(), 0);
      std::iota(heads.begin(), heads.end(), 0);
      SegmentConfig all = c.config, none = c.config;
      all.grouping = Grouping(layers, {heads});
      none.grouping = Grouping({}, {{}});
      none.of<StreamingSettings>().cache_positions = false;
      QVERIFY(largest_difference(run_hidden(c.tiny.decoder, "duo", all, c.ids),
                                 run_hidden(c.tiny.decoder, "full", all, c.ids)) < 1e-10);
      QVERIFY(largest_difference(run_hidden(c.tiny.decoder, "duo", none, c.ids),
                                 run_hidden(c.tiny.decoder, "streaming", none, c.ids)) < 1e-10);
    }
  }

  /// Streaming heads' middles are freed, not masked.
  void what_is_held_is_what_the_cost_model_says() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 80; seed < 100; ++seed) {
      Case c(seed, at::kFloat);
      const CostModel cost{c.model, c.config, 4};
      PreparedRun prepared(c.tiny.decoder, {"duo", c.config, std::ssize(c.ids)});
      const at::Tensor all = as_tensor(c.ids);
      for (std::int64_t first = 0; first < all.size(0); first += c.config.segment_length) {
        const std::int64_t length = std::min(c.config.segment_length, all.size(0) - first);
        prepared.runner().run_segment(all.narrow(0, first, length));
        QCOMPARE(prepared.runner().state().pool_bytes(), policy_row("duo").memory(cost, first + length, {}).pool);
      }
    }
  }

  void states_that_share_a_cache_do_not_disturb_each_other() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 120; seed < 130; ++seed) {
      Case c(seed);
      if (std::ssize(c.ids) < 2 * c.config.segment_length + 2) continue;
      const at::Tensor all = as_tensor(c.ids);
      const auto part = [&](std::int64_t segment) {
        const std::int64_t first = segment * c.config.segment_length;
        return all.narrow(0, first, std::min(c.config.segment_length, all.size(0) - first));
      };
      PreparedRun one(c.tiny.decoder, {"duo", c.config, std::ssize(c.ids)}),
          other(c.tiny.decoder, {"duo", c.config, std::ssize(c.ids)});
      one.runner().run_segment(part(0));
      other.runner().resume(one.runner().state().clone());
      const at::Tensor first = one.runner().run_segment(part(1));
      other.runner().run_segment(part(1).flip(0));
      const at::Tensor again = one.runner().run_segment(part(2));
      QVERIFY(first.defined() &&
              largest_difference(again, run_hidden(c.tiny.decoder, "duo", c.config, c.ids)
                                            .narrow(0, 2 * c.config.segment_length, again.size(0))) < 1e-12);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DuoTest>};
#include "duo_test.moc"
