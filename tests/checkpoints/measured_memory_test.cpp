// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/measured_memory.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "tests/support/test_program.h"

using namespace carryover;

class MeasuredMemoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void weights_that_were_measured_have_their_figures() {
    const nlohmann::json all = read_json_file(CARRYOVER_SOURCE_DIR "/resources/measured_memory.json");
    QVERIFY(!all.empty());
    for (const nlohmann::json& fields : all) {
      const auto measured = measured_memory(fields.at("weights_hash").get<std::string>());
      QVERIFY(measured.has_value());
      QCOMPARE(measured->books, fields.at("books"));
      QCOMPARE(measured->segment_length, fields.at("segment_length"));
      QCOMPARE(measured->sink_length, fields.at("sink_length"));
      QCOMPARE(measured->all_local.nats, fields.at("all_local").at("nats"));
      QCOMPARE(measured->all_local.lower_on, fields.at("all_local").at("lower_on"));
      QCOMPARE(measured->default_grouping.has_value(), fields.contains("default_grouping"));
      if (measured->default_grouping)
        QCOMPARE(measured->default_grouping->nats, fields.at("default_grouping").at("nats"));
    }
  }
  void others_have_none() {
    QVERIFY(!measured_memory("").has_value());
    QVERIFY(!measured_memory("0123456789abcdef").has_value());
    const nlohmann::json all = read_json_file(CARRYOVER_SOURCE_DIR "/resources/measured_memory.json");
    QVERIFY(!measured_memory(all.at(0).at("weights_hash").get<std::string>() + "+0123456789abcdef").has_value());
  }
  void the_sentence_has_sign_and_books() {
    const MeasuredMemory measured{"", 12, 8192, 512, 124, 4, {-0.1108, 11}, {{0.02, 3}}};
    const std::string text = measured_text(measured);
    for (const char* part : {"12 held-out books of 8192 tokens", "S = 512, 4 sinks, M = 124",
                             "-0.111 nats a token (lower on 11)", "+0.020 nats a token (lower on 3)"})
      QVERIFY2(text.find(part) != std::string::npos, text.c_str());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MeasuredMemoryTest>};
#include "measured_memory_test.moc"
