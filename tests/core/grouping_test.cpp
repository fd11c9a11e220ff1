// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/grouping.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/config/head_reads.h"
#include "tests/support/expect_error.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;

namespace {

const GroupingPreset* find(const std::vector<GroupingPreset>& presets, const std::string& name) {
  for (const GroupingPreset& preset : presets) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

}  // namespace

class GroupingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void heads_are_local_or_long();
  void kv_heads_follow_their_query_heads();
  void shares_match_a_count();
  void editing_one_layer_leaves_the_others();
  void presets_fit_every_model();
  void prior_based_presets_need_32_heads();
  void defaults_take_whole_groups();
  void layers_keep_their_depth();
  void order_does_not_matter();
  void malformed_json_is_refused();
};

void GroupingTest::heads_are_local_or_long() {
  std::mt19937 random(1);
  const ModelConfig model = test::tiny_config(6, 12, 4);
  for (int i = 0; i < 200; ++i) {
    const Grouping grouping = test::random_grouping(random, model);
    for (int layer = 0; layer < 6; ++layer) {
      std::set<int> all;
      for (int head : grouping.local_heads(layer, 12)) {
        QVERIFY(!grouping.is_long(layer, head));
        all.insert(head);
      }
      for (int head : grouping.long_heads(layer)) {
        QVERIFY(grouping.is_long(layer, head));
        QVERIFY(all.insert(head).second);
      }
      QCOMPARE(all.size(), std::size_t{12});
      QCOMPARE(grouping.retrieves(layer), grouping.is_long_layer(layer) && !grouping.long_heads(layer).empty());
    }
  }
}

void GroupingTest::kv_heads_follow_their_query_heads() {
  std::mt19937 random(2);
  const ModelConfig model = test::tiny_config(3, 12, 4);
  for (int i = 0; i < 200; ++i) {
    const Grouping grouping = test::random_grouping(random, model);
    SegmentConfig config;
    config.grouping = Grouping({0, 1, 2}, grouping.long_range_heads());
    for (int layer = 0; layer < 3; ++layer) {
      std::set<int> local, distant;
      for (int head = 0; head < 12; ++head) (grouping.is_long(layer, head) ? distant : local).insert(head / 3);
      QCOMPARE(carry_kv_heads(config, model, layer), std::vector<int>(local.begin(), local.end()));
      QCOMPARE(pool_kv_heads(config, model, layer), std::vector<int>(distant.begin(), distant.end()));
    }
  }
}

void GroupingTest::shares_match_a_count() {
  std::mt19937 random(3);
  const ModelConfig model = test::tiny_config(5, 8, 2);
  for (int i = 0; i < 200; ++i) {
    const Grouping grouping = test::random_grouping(random, model);
    int local = 0, layers = 0;
    for (int layer = 0; layer < 5; ++layer) {
      layers += grouping.is_long_layer(layer);
      for (int head = 0; head < 8; ++head) local += !grouping.is_long(layer, head);
    }
    QVERIFY(std::abs(grouping.local_share(model) - local / 40.0) < 1e-12);
    QVERIFY(std::abs(grouping.long_layer_share(model) - layers / 5.0) < 1e-12);
  }
}

void GroupingTest::editing_one_layer_leaves_the_others() {
  Grouping grouping({1}, {{0, 2}});
  grouping.set_long(1, 3, true, 4);
  grouping.set_long(1, 0, false, 4);
  grouping.set_long(1, 3, true, 4);
  QCOMPARE(grouping.long_heads(1), (std::vector<int>{2, 3}));
  for (int layer : {0, 2, 3}) QCOMPARE(grouping.long_heads(layer), (std::vector<int>{0, 2}));
  grouping.set_long_layer(0, true);
  grouping.set_long_layer(1, false);
  QCOMPARE(grouping.long_range_layers(), std::vector<int>{0});
  nlohmann::json json = grouping;
  Grouping read;
  from_json(json, read);
  QCOMPARE(read, grouping);
}

void GroupingTest::presets_fit_every_model() {
  for (std::int64_t layers : {1, 2, 3, 4, 5, 12, 16, 22, 24, 28, 30, 32, 36, 40, 80}) {
    for (std::int64_t kv_heads : {1, 2, 3, 4, 8, 32}) {
      for (std::int64_t group : {1, 2, 3, 4, 8}) {
        const ModelConfig model = test::tiny_config(layers, kv_heads * group, kv_heads);
        for (const GroupingPreset& preset : grouping_presets(model)) {
          preset.grouping.validate(model);
          QVERIFY(!preset.grouping.long_range_layers().empty());
          QVERIFY(!preset.description.empty());
        }
      }
    }
  }
}

void GroupingTest::prior_based_presets_need_32_heads() {
  const std::vector<int> prior{0, 1, 2, 4, 9, 12, 14, 15, 16, 18, 19, 22, 23, 26, 29, 30};
  const auto of_32 = grouping_presets(test::tiny_config(32, 32, 32));
  QCOMPARE(find(of_32, "paper")->grouping, Grouping({6, 8, 11, 18}, {prior}));
  QCOMPARE(find(of_32, "paper-code")->grouping, Grouping({6, 8, 11, 16}, {prior}));
  QCOMPARE(default_grouping(test::tiny_config(32, 32, 8)), find(of_32, "paper")->grouping);
  const auto of_9 = grouping_presets(test::tiny_config(30, 9, 3));
  QVERIFY(find(of_9, "paper") == nullptr && find(of_9, "paper-code") == nullptr);
  QCOMPARE(find(of_9, "contiguous")->grouping.long_heads(0), (std::vector<int>{0, 1, 2, 3}));
  QCOMPARE(find(of_9, "interleaved")->grouping.long_heads(0), (std::vector<int>{0, 2, 4, 6, 8}));
  QVERIFY(find(of_9, "none")->grouping.long_heads(0).empty());
  QCOMPARE(find(of_9, "all")->grouping.local_heads(0, 9), std::vector<int>{});
}

void GroupingTest::defaults_take_whole_groups() {
  QCOMPARE(default_grouping(test::tiny_config(30, 9, 3)), Grouping({6, 8, 11, 18}, {{0, 1, 2}}));
  for (std::int64_t kv_heads = 2; kv_heads <= 16; ++kv_heads) {
    for (std::int64_t group : {1, 2, 3, 4, 7}) {
      const ModelConfig model = test::tiny_config(30, kv_heads * group, kv_heads);
      if (model.heads == 32) continue;
      const Grouping grouping = default_grouping(model);
      const auto taken = std::ssize(grouping.long_heads(0));
      QVERIFY(taken % group == 0 && taken >= group && 2 * taken <= model.heads);
      QCOMPARE(grouping.long_heads(0).back(), static_cast<int>(taken) - 1);
      QVERIFY(std::abs(3.0 * static_cast<double>(taken) - static_cast<double>(model.heads)) <=
              1.5 * static_cast<double>(group));
    }
  }
  QCOMPARE(default_grouping(test::tiny_config(30, 9, 1)).long_heads(0), (std::vector<int>{0, 1, 2}));
}

void GroupingTest::layers_keep_their_depth() {
  QCOMPARE(default_grouping(test::tiny_config(16, 9, 3)).long_range_layers(), (std::vector<int>{3, 4, 6, 9}));
  QCOMPARE(default_grouping(test::tiny_config(4, 9, 3)).long_range_layers(), (std::vector<int>{1, 2}));
  QCOMPARE(default_grouping(test::tiny_config(1, 9, 3)).long_range_layers(), std::vector<int>{0});
}

void GroupingTest::order_does_not_matter() {
  QCOMPARE(Grouping({8, 6}, {{2, 0, 1}}), Grouping({6, 8}, {{0, 1, 2}}));
}

void GroupingTest::malformed_json_is_refused() {
  using nlohmann::json;
  for (const char* text :
       {R"({"long_range_layers":6})", R"({"long_range_layers":["6"]})", R"({"long_range_heads":[1.5]})",
        R"({"long_range_heads":[[0],1]})", R"({"long_range_heads":[4294967296]})",
        R"({"long_range_heads":[18446744073709551615]})", R"({"long_range_layers":null})", "[]"}) {
    Grouping grouping;
    QVERIFY2(test::error_of([&] { from_json(json::parse(text), grouping); }), text);
    QCOMPARE(grouping, Grouping());
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GroupingTest>};
#include "grouping_test.moc"
