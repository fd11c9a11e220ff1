// SPDX-License-Identifier: GPL-3.0-or-later
// The table of policies: names, and what a row says of each layer.
#include "engine/cost/policy_table.h"

#include <QTest>
#include <algorithm>

#include "engine/config/window_settings.h"
#include "engine/policies/cca/cca_settings.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

class PolicyTableTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_are_found() {
    QVERIFY(policies().size() >= 2);
    QCOMPARE(policy_names().size(), policies().size());
    for (const PolicyRow& row : policies()) {
      QCOMPARE(find_policy(row.name), &row);
      QCOMPARE(&policy_row(row.name), &row);
      QCOMPARE(runs_in_chunks(row.name), row.runs_in_chunks);
      QCOMPARE(state_grows(row.name), row.state_grows);
      QVERIFY(*row.help != '\0');
    }
  }

  void an_unknown_name_is_refused_with_those_there_are() {
    QVERIFY(find_policy("segmente") == nullptr);
    QVERIFY(!runs_in_chunks("segmente"));
    QCOMPARE(unlike(Fault::Usage, listed_policies(", "), [] { policy_row("segmente"); }), std::string());
    QVERIFY(listed_policies(", ", true).starts_with("segmented, full, ") &&
            listed_policies(", ", true).find("streaming") == std::string::npos);
  }

  void a_policy_reads_fields_of_its_own() {
    for (const PolicyRow& row : policies()) QVERIFY(policy_reads(row.name, "segment_length"));
    QVERIFY(policy_reads("segmented", "carry_length") && !policy_reads("segmented", "attention_window"));
    QVERIFY(!policy_reads("full", "carry_length") && !policy_reads("full", "attention_window"));
    QVERIFY(policy_reads("sliding", "attention_window") && !policy_reads("sliding", "sink_length"));
    QVERIFY(policy_reads("streaming", "cache_positions") && !policy_reads("duo", "cache_positions"));
    QVERIFY(policy_reads("duo", "long_range_heads") && !policy_reads("streaming", "long_range_heads"));
    QVERIFY(policy_reads("infllm", "memory_blocks") && !policy_reads("segmented", "memory_blocks"));
    QVERIFY(policy_reads("cca", "core_group_length") && !policy_reads("infllm", "core_group_length"));
    QVERIFY(policy_reads("nsa", "selected_blocks") && !policy_reads("cca", "selected_block_length"));
    for (const PolicyRow& row : policies()) QCOMPARE(is_gated(row.name), row.name == std::string_view("nsa"));
    QVERIFY(!is_gated("segmente"));
    QVERIFY(policy_reads("segmente", "carry_length"));  // of another version: nothing is known of it
  }

  void the_tail_before_a_segment_is_the_policys() {
    SegmentConfig config;
    config.carry_length = 8;
    config.of<WindowSettings>().attention_window = 30;
    const auto tail = [&](const char* policy, std::int64_t first) { return tail_before(policy, config, first); };
    QVERIFY(tail("segmented", 100) == 8 && tail("segmented", 0) == 0 && tail("full", 100) == 0);
    QVERIFY(tail("sliding", 100) == 29 && tail("sliding", 20) == 20 && tail("streaming", 100) == 29);
    config.of<InfLlmSettings>().memory_block_length = 16;  // 70 tokens left the window, of which 64 are in blocks
    QVERIFY(tail("infllm", 100) == 36 && tail("infllm", 20) == 20);
    config.of<CcaSettings>().core_group_length = 16;  // of 101 tokens, 4 groups are pooled
    QVERIFY(tail("cca", 100) == 36 && tail("cca", 20) == 20);
    QVERIFY(tail("nsa", 100) == 0);  // the whole past may be seen
  }

  void a_segment_that_is_longer_than_its_window_is_refused() {
    SegmentConfig config;
    config.of<WindowSettings>().attention_window = 30;
    config.segment_length = 31;
    for (const PolicyRow& row : policies()) {
      const auto check = [&](std::int64_t tokens) { check_policy(row.name, config, tokens, "settings"); };
      check(30);  // one segment that the window holds
      if (!row.segment_in_window) {
        check(31);
        continue;
      }
      QCOMPARE(unlike(Fault::BadInput, "segment_length is 31, more than attention_window, 30", [&] { check(31); }),
               std::string());
      config.segment_length = 30;
      check(1000);
      config.segment_length = 31;
    }
    QVERIFY(policy_row("infllm").segment_in_window);
  }

  void every_head_sees_something_that_has_been() {
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
      const ModelConfig model = tiny_config(4, 8, 2, 8, 64);
      const SegmentConfig config = random_segment_config(random, model);
      const std::int64_t first = config.segment_length * draw(random, 0, 3);
      for (const PolicyRow& row : policies())
        for (int layer = 0; layer < model.layers; ++layer) {
          std::int64_t heads = 0;
          for (const VisiblePrefix& seen : row.visible(model, config, layer, first)) {
            QVERIFY(seen.length >= 0 && seen.length <= first && seen.rows <= seen.heads);
            heads += seen.heads;
          }
          QCOMPARE(heads, model.heads);
        }
    }
  }

  void a_training_sample_of_the_whole_text_is_one_segment() {
    const ModelConfig model = tiny_config();
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.segment_length = 32;
    config.carry_length = 8;
    config.retrieval_length = 16;
    config.sink_length = 2;
    for (const PolicyRow& row : policies()) {
      QCOMPARE(sample_config(row.name, config, 100).segment_length, row.runs_in_chunks ? 100 : 32);
      QCOMPARE(rope_length(row.name, config, 100), row.runs_in_chunks ? 100 : 32 + 2 + 16);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PolicyTableTest>};
#include "policy_table_test.moc"
