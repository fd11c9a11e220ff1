// SPDX-License-Identifier: GPL-3.0-or-later
// A sliding window is a carry of all heads, and goes on where segments are shorter than it.
#include <QTest>

#include "engine/policies/prepared_run.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

class SlidingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void whole_segments_are_a_carry_of_all_heads() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 12; ++seed) {
      std::mt19937 random(seed);
      const ModelConfig model = random_tiny_config(random);
      SegmentConfig config = random_small_config(random, model);
      config.sink_length = 0;
      const TinyDecoder tiny(model, seed, at::kDouble);
      const auto ids = distinct_ids(random, draw(random, 2, 130), model.vocabulary);
      const at::Tensor sliding = run_hidden(tiny.decoder, "sliding", config, ids);
      config.grouping = Grouping();
      QVERIFY(at::equal(sliding, run_hidden(tiny.decoder, "segmented", config, ids)));
    }
  }

  void short_segments_do_not_shorten_the_window() {
    const at::NoGradGuard no_gradients;
    std::mt19937 random(3);
    const ModelConfig model = random_tiny_config(random);
    SegmentConfig config = random_small_config(random, model);
    config.segment_length = 20;
    config.carry_length = 12;
    const TinyDecoder tiny(model, 3, at::kDouble);
    PreparedRun prepared(tiny.decoder, {"sliding", config, 20});
    const at::Tensor ids = as_tensor(distinct_ids(random, 20, model.vocabulary));
    for (std::int64_t done = 0; done < 20; done += 5) {
      prepared.runner().run_segment(ids.narrow(0, done, 5));
      QCOMPARE(prepared.runner().state().carry.length(), std::min<std::int64_t>(12, done + 5));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SlidingTest>};
#include "sliding_test.moc"
