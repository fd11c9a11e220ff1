// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/trained_under.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

ModelConfig small_model() {
  ModelConfig model;
  model.layers = 4;
  model.heads = 8;
  model.kv_heads = 4;
  model.head_dim = 16;
  model.hidden = 128;
  return model;
}

}  // namespace

class TrainedUnderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_folder_says_what_it_was_trained_under() {
    const test::TempDir folder;
    const std::string path = folder.path().string();
    QVERIFY(!read_trained_under(path));
    SegmentConfig config = SegmentConfig::defaults_for(small_model());
    config.segment_length = 77;
    nlohmann::json json = config;
    json["policy"] = "full";
    test::write_bytes(folder.file("segment_config.json"), json.dump());
    QVERIFY(read_trained_under(path)->config == config);
    QCOMPARE(read_trained_under(path)->policy, std::string("full"));
    for (const char* bad : {"[1]", "{\"segment_length\": \"x\"}", "{\"policy\": 3}", ""}) {
      test::write_bytes(folder.file("segment_config.json"), bad);
      QVERIFY_THROWS_EXCEPTION(EngineError, read_trained_under(path));
    }
  }

  void nesting_without_an_end_is_refused() {
    const test::TempDir folder;
    test::write_bytes(folder.file("segment_config.json"), "{\"segment_length\":" + std::string(1'000'000, '['));
    const auto error = test::error_of([&] { read_trained_under(folder.path().string()); });
    QVERIFY(error && error->fault() == Fault::BadInput);
    QCOMPARE(error->problem(), std::string("JSON is nested deeper than 64 levels at byte 81"));
  }

  void what_is_written_is_read() {
    const test::TempDir folder;
    TrainedUnder trained{SegmentConfig::defaults_for(small_model()), "full"};
    trained.config.carry_length = 3;
    write_trained_under(folder.path().string(), trained);
    const auto again = read_trained_under(folder.path().string());
    QVERIFY(again->config == trained.config && again->policy == "full");
  }

  void an_adapter_comes_before_its_model_and_both_before_the_defaults() {
    const test::TempDir model, adapter;
    const ModelConfig shape = small_model();
    const std::string model_path = model.path().string(), adapter_path = adapter.path().string();
    SegmentConfig untrained = SegmentConfig::defaults_for(shape);
    untrained.sink_length = 4;
    QVERIFY(initial_config(shape, model_path, "") == untrained);
    test::write_bytes(model.file("segment_config.json"), R"({"segment_length": 96})");
    test::write_bytes(adapter.file("segment_config.json"), R"({"segment_length": 48})");
    QCOMPARE(initial_config(shape, model_path, "").segment_length, std::int64_t{96});
    QCOMPARE(initial_config(shape, model_path, adapter_path).segment_length, std::int64_t{48});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TrainedUnderTest>};
#include "trained_under_test.moc"
