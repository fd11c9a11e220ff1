// SPDX-License-Identifier: GPL-3.0-or-later
// Values of settings as people write them: what is written is read back, for every field and many configurations.
#include "engine/config/field_text.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/support/random_config.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// Values that are not one: a file's, a checkpoint's.
bool is_written(const SegmentField& field) {
  return !field.is<HeadPatterns>() && !field.is<std::optional<RopeConfig>>();
}

}  // namespace

class FieldTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_value_is_read_back() {
    std::mt19937 random(5);
    const ModelConfig model = small_model();
    int read = 0;
    for (int time = 0; time < 200; ++time) {
      SegmentConfig config = random_segment_config(random, model);
      vary_search(random, config, model);
      const json all = config;
      for (const SegmentField& field : segment_fields()) {
        const json& value = all.at(field.key);
        const bool by_layer = value.is_array() && !value.empty() && value[0].is_array() && field.is<Grouping>();
        if (!is_written(field) || value.is_null() || by_layer) continue;  // lists of a layer each are of files
        const std::string text = text_of_field(value);
        QVERIFY2(json_of_field(field, text, "here") == value, (std::string(field.key) + "=" + text).c_str());
        ++read;
      }
    }
    QVERIFY(read > 200 * 30);
  }

  void lists_may_be_empty() {
    for (const char* text : {"", "none"}) QVERIFY(json_of_indices(text, "here") == json::array());
    QVERIFY(json_of_heads("none", "here") == json::array());
    QCOMPARE(text_of_field(json::array()), std::string("none"));
    QVERIFY(json_of_indices("6,8,11", "here") == json::array({6, 8, 11}));
    QVERIFY(json_of_heads("18.6, 15.6", "here") == json::parse("[[15, 6], [18, 6]]"));
  }

  void what_is_no_value_is_refused() {
    for (const char* text : {"x", "1,x", "1.5", ",1"})
      QCOMPARE(unlike(Fault::Usage, "here: '", [&] { json_of_indices(text, "here"); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "here: '7' is not a list", [&] { json_of_heads("7", "here"); }), std::string());
    for (const char* key : {"rope", "head_patterns"})
      QCOMPARE(unlike(Fault::Usage, key, [&] { json_of_field(*find_segment_field(key), "linear:8", "here"); }),
               std::string());
    // Text that is no number is kept as a name, which the field itself refuses.
    QVERIFY(json_of_field(*find_segment_field("carry_length"), "12x", "here") == json("12x"));
    QVERIFY(json_of_field(*find_segment_field("bos"), "true", "here") == json(true));
  }
};

static const TestFile these_tests{__FILE__, without_application<FieldTextTest>};
#include "field_text_test.moc"
