// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/segment_config.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using carryover::test::unlike;
using nlohmann::json;

namespace {

ModelConfig shaped(std::int64_t context, std::int64_t layers, std::int64_t heads, std::int64_t kv_heads) {
  ModelConfig model = test::tiny_config(layers, heads, kv_heads);
  model.context = context;
  return model;
}

/// The default config with some fields changed through JSON, as a file or a flag does.
SegmentConfig changed(const json& fields) {
  SegmentConfig config = SegmentConfig::defaults_for(test::tiny_config());
  update_from_json(config, fields, "settings.json");
  return config;
}

std::string refusal(const json& fields, const std::string& part) {
  return unlike(Fault::BadInput, part, [&] { changed(fields).validate(test::tiny_config(), "settings.json"); });
}

}  // namespace

class SegmentConfigTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void defaults_fit_the_model();
  void defaults_are_valid_for_any_model();
  void anchors_default_to_what_fills_the_prefix();
  void survives_json();
  void absent_fields_stay();
  void each_field_is_checked_data();
  void each_field_is_checked();
  void wrong_types_are_refused_by_name();
  void unknown_fields_are_refused_by_name();
  void a_refused_update_changes_nothing();
  void retrieval_may_exceed_the_segment();
};

void SegmentConfigTest::defaults_fit_the_model() {
  const SegmentConfig smol = SegmentConfig::defaults_for(shaped(8192, 30, 9, 3));
  QCOMPARE(smol.segment_length, 1024);
  QCOMPARE(smol.carry_length, 128);
  QCOMPARE(smol.retrieval_length, 128);
  QCOMPARE(smol.truncation_depth, 1);
  QCOMPARE(smol.grouping, Grouping({6, 8, 11, 18}, {{0, 1, 2}}));

  const SegmentConfig demo = SegmentConfig::defaults_for(shaped(2048, 4, 8, 4));
  QCOMPARE(demo.segment_length, 256);
  QCOMPARE(demo.carry_length, 32);
  QCOMPARE(demo.retrieval_length, 32);

  const SegmentConfig paper = SegmentConfig::defaults_for(shaped(32768, 32, 32, 32));
  QCOMPARE(paper.segment_length, 4096);
  QCOMPARE(paper.carry_length, 512);
  QCOMPARE(paper.retrieval_length, 512);
  QCOMPARE(SegmentConfig::defaults_for(shaped(131072, 32, 32, 8)).segment_length, 4096);
}

void SegmentConfigTest::defaults_are_valid_for_any_model() {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t kv_heads = test::draw(random, 1, 12);
    const ModelConfig model =
        shaped(test::draw(random, 1, 200000), test::draw(random, 1, 90), kv_heads * test::draw(random, 1, 8), kv_heads);
    SegmentConfig::defaults_for(model).validate(model, "defaults");
  }
}

void SegmentConfigTest::anchors_default_to_what_fills_the_prefix() {
  SegmentConfig config;
  QCOMPARE(config.anchor_count(), 64);  // 512 / (3 + 4 + 1)
  config.retrieval_length = 3;
  QCOMPARE(config.anchor_count(), 1);
  config.anchors = 7;
  QCOMPARE(config.anchor_count(), 7);
}

void SegmentConfigTest::survives_json() {
  std::mt19937 random(2);
  const ModelConfig model = test::tiny_config();
  for (int i = 0; i < 1000; ++i) {
    SegmentConfig config = test::random_segment_config(random, model);
    test::vary_search(random, config, model);
    config.validate(model, "random");
    SegmentConfig read = SegmentConfig::defaults_for(model);
    update_from_json(read, json::parse(json(config).dump()), "text");
    QCOMPARE(read, config);
  }
}

void SegmentConfigTest::absent_fields_stay() {
  SegmentConfig config;
  config.top_k = 5;
  config.grouping = Grouping({1}, {{2, 3}});
  update_from_json(config, {{"segment_length", 2048}, {"long_range_layers", {0, 2}}}, "text");
  QCOMPARE(config.segment_length, 2048);
  QCOMPARE(config.top_k, 5);
  QCOMPARE(config.grouping, Grouping({0, 2}, {{2, 3}}));
}

void SegmentConfigTest::each_field_is_checked_data() {
  QTest::addColumn<QByteArray>("fields");
  QTest::addColumn<QByteArray>("part");
  const auto row = [](const char* fields, const char* part) {
    QTest::newRow(fields) << QByteArray(fields) << QByteArray(part);
  };
  for (const char* field :
       {"segment_length", "query_length", "summary_window", "summary_stride", "summary_tail", "top_k", "anchors",
        "window_length", "memory_blocks", "memory_block_length", "memory_representatives", "core_group_length",
        "selected_block_length", "selected_blocks"}) {
    const QByteArray zero = QByteArray("{\"") + field + "\":0}";
    QTest::newRow(zero) << zero << QByteArray(field);
  }
  for (const char* field : {"segment_length", "carry_length", "retrieval_length", "truncation_depth", "query_length",
                            "expand_before", "expand_after", "anchors"}) {
    const QByteArray negative = QByteArray("{\"") + field + "\":-1}";
    QTest::newRow(negative) << negative << QByteArray(field);
  }
  row(R"({"segment_length":64,"carry_length":65})", "carry_length");
  row(R"({"pool_keys":"int4"})", "pool_keys is not known: \"int4\"");
  row(R"({"pool_keys":"Int8"})", "Use model, bf16 or int8");
  row(R"({"local_reads":"carry+sinks+carry"})", "local_reads is not known: \"carry+sinks+carry\"");
  row(R"({"long_reads":"all"})", "Use none, sinks,");
  row(R"({"search":"shared"})", "search_heads is empty");
  row(R"({"search":"shared","search_heads":[[4,0]]})", "search_heads has 4.0, which the model lacks");
  row(R"({"search_heads":[[0,-1]]})", "search_heads has 0.-1, which the model lacks");
  row(R"({"search_heads":[[1,2],[0,0],[1,2]]})", "search_heads has 1.2 twice");
  row(R"({"search_heads":[[1,2,3]]})", "search_heads is not a list of layers and heads");
  row(R"({"search_heads":[[1,9223372036854775807]]})", "search_heads is not a list of layers and heads");
  row(R"({"head_patterns":[{},{},{},{},{}]})", "head_patterns has 5 layers, but the model has 4");
  row(R"({"head_patterns":[{},{"4":["stream_llm",4,64,1]}]})",
      "head_patterns layer 1 has head 4, which the model lacks");
  row(R"({"head_patterns":[{"3":["stream_llm",4,0,1]}]})", "head_patterns layer 0, head 3 has the slash size 0");
  row(R"({"memory_block_length":4,"memory_representatives":5})",
      "memory_representatives is 5, more than memory_block_length, 4");
  row(R"({"question_pass":true,"boundary_at_prompt_end":true})", "question_pass is on beside boundary_at_prompt_end");
  row(R"({"search_scores":"z"})", "Use summaries or centred");
  row(R"({"retrieve":"windows","retrieval_length":15})", "window_length is 16, more than retrieval_length, 15");
  row(R"({"long_range_layers":[4]})", "layer 4 is out of range");
  row(R"({"long_range_layers":[-1]})", "layer -1 is out of range");
  row(R"({"long_range_layers":[1,2,1]})", "layer 1 is listed twice");
  row(R"({"long_range_heads":[4]})", "head 4 is out of range");
  row(R"({"long_range_heads":[-2]})", "head -2 is out of range");
  row(R"({"long_range_heads":[3,3]})", "head 3 is listed twice");
  row(R"({"long_range_heads":[[0],[1],[2]]})", "3 lists");
  row(R"({"long_range_heads":[[0],[1],[2],[9]]})", "head 9 is out of range");
  row(R"({"segment_length":9223372036854775807})", "segment_length");
  row(R"({"retrieval_length":9223372036854775807})", "retrieval_length");
  row(R"({"segment_length":9007199254740992})", "segment_length");
  row(R"({"truncation_depth":9223372036854775807})", "truncation_depth");
  row(R"({"expand_before":9223372036854775807})", "expand_before");
  row(R"({"anchors":9223372036854775807})", "anchors");
  row(R"({"segment_length":9223372036854775808})", "segment_length is not a whole number");
  row(R"({"rope":{"kind":"linear","theta":10000,"factor":0}})", "rope.factor");
  row(R"({"rope":{"kind":"linear","theta":-1}})", "rope.theta");
  row(R"({"rope":{"kind":"spiral","theta":10000}})", "rope.kind");
  row(R"({"rope":{"kind":"longrope","theta":10000}})", "longrope");
  row(R"({"rope":{"kind":"yarn","theta":1}})", "rope.theta");
  row(R"({"rope":{"kind":"yarn","theta":10000,"fast_turns":0.5}})", "rope.fast_turns");
  row(R"({"rope":{"kind":"linear","factor":8}})", "rope.theta");
  row(R"({"rope":{"kind":"linear","theta":10000,"scale":2}})", "rope.scale");
  row(R"({"rope":{"kind":"llama3","theta":10000,"low_frequency_factor":4}})", "rope.high_frequency_factor");
}

void SegmentConfigTest::each_field_is_checked() {
  QFETCH(QByteArray, fields);
  QFETCH(QByteArray, part);
  const json parsed = json::parse(fields.toStdString());
  QCOMPARE(refusal(parsed, part.toStdString()), "");
  QCOMPARE(refusal(parsed, "settings.json"), "");  // names the file as well
}

void SegmentConfigTest::wrong_types_are_refused_by_name() {
  const json all = SegmentConfig();
  for (const auto& [key, value] : all.items()) {
    for (const json& wrong : {json("8"), json(1.5), json(json::array({"x"})), json(json::object())}) {
      QCOMPARE(refusal({{key, wrong}}, key), "");
    }
    if (key != "anchors" && key != "rope") QCOMPARE(refusal({{key, nullptr}}, key), "");
  }
}

void SegmentConfigTest::unknown_fields_are_refused_by_name() {
  QCOMPARE(refusal({{"segment_lenght", 64}}, "segment_lenght is not a field"), "");
  QCOMPARE(refusal(json::array({1}), "is not a JSON object"), "");
}

void SegmentConfigTest::a_refused_update_changes_nothing() {
  SegmentConfig config;
  const SegmentConfig before = config;
  QVERIFY(test::error_of([&] { update_from_json(config, {{"carry_length", 1}, {"zzz", 1}}, "text"); }));
  QCOMPARE(config, before);
  QVERIFY(test::error_of([&] { update_from_json(config, {{"carry_length", 1}, {"long_range_heads", "x"}}, "text"); }));
  QCOMPARE(config, before);
}

void SegmentConfigTest::retrieval_may_exceed_the_segment() {
  changed({{"segment_length", 16}, {"carry_length", 16}, {"retrieval_length", 1000}})
      .validate(test::tiny_config(), "text");
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SegmentConfigTest>};
#include "segment_config_test.moc"
