// SPDX-License-Identifier: GPL-3.0-or-later
// Each row of the table of policies beside the policy that it describes.
#include <QTest>

#include "engine/cost/policy_table.h"
#include "engine/cost/visible_keys.h"
#include "engine/policies/prepared_run.h"
#include "engine/policies/registry.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

class PoliciesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void each_row_has_a_policy_of_its_name() {
    std::mt19937 random(1);
    const ModelConfig model = random_tiny_config(random);
    for (const PolicyRow& row : policies()) {
      const auto policy = make_policy(row.name, {random_small_config(random, model), model, at::kFloat, 64, {}});
      QCOMPARE(policy->name(), std::string(row.name));
      QCOMPARE(policy->ends_prompts(), row.ends_prompts);
    }
  }

  /// The positions that attention was measured to read in a run are those that the row says that it sees.
  void attention_reads_what_the_row_says() {
    const at::NoGradGuard no_gradients;
    int segments = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      const ModelConfig model = random_tiny_config(random);
      const SegmentConfig config = random_varied_config(random, model);
      const TinyDecoder tiny(model, seed, at::kFloat);
      const auto ids = distinct_ids(random, draw(random, 2, 130), model.vocabulary);
      const at::Tensor all = as_tensor(ids);
      const CostModel cost{model, config, 4};
      for (const PolicyRow& row : policies()) {
        PreparedRun prepared(tiny.decoder, {row.name, config, std::ssize(ids)});
        for (std::int64_t first = 0; first < std::ssize(ids); first += config.segment_length) {
          const std::int64_t length = std::min(config.segment_length, std::ssize(ids) - first);
          prepared.runner().run_segment(all.narrow(0, first, length));
          const auto read = static_cast<double>(prepared.runner().attention_kv_bytes());
          if (row.name == std::string_view("minference"))  // what its patterns list depends on the text
            QVERIFY(read > 0 && read <= visible_bytes(cost, "full", first + length - 1));
          else
            QCOMPARE(read, visible_bytes(cost, row.name, first + length - 1));
          ++segments;
        }
      }
    }
    QVERIFY(segments > 100);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PoliciesTest>};
#include "policies_test.moc"
