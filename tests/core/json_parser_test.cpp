// SPDX-License-Identifier: GPL-3.0-or-later
// The one entry for JSON: limits of bytes, depth and memory by kind, keys that appear twice, the order of keys, and a
// time that grows with the text.
#include "engine/base/json_parser.h"

#include <QTest>

#include "tests/support/expect_error.h"
#include "tests/support/growth.h"
#include "tests/support/test_program.h"

using namespace carryover;
using nlohmann::json;
using test::unlike;

namespace {

std::string repeated(const std::string& part, std::int64_t count) {
  std::string text;
  text.reserve(part.size() * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string list_of(const std::string& value, std::int64_t count) {
  return "[" + repeated(value + ",", count - 1) + value + "]";
}

const std::initializer_list<JsonKind> every_kind{JsonKind::Settings,  JsonKind::Record,  JsonKind::TensorList,
                                                 JsonKind::Tokenizer, JsonKind::Results, JsonKind::Request,
                                                 JsonKind::Text,      JsonKind::Numbers};

std::string refusal(const std::string& part, const std::string& text, JsonKind kind = JsonKind::Settings) {
  return unlike(Fault::BadInput, part, [&] { parse_json(text, "config.json", kind); });
}

}  // namespace

class JsonParserTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void values_are_those_of_the_library() {
    for (const char* text : {"null", "true", "-7", "18446744073709551615", "1.5e-3", "\"\\u00e9\\n\"", "[]", "{}",
                             " [1, [2, {}], \"\"] ", R"({"b": [{"x": null}], "a": {"": {"c": 1}}, "é": -0.0})",
                             "\xEF\xBB\xBF[1]", "123456789012345678901234567890"})
      QCOMPARE(parse_json(text, "x"), json::parse(text));
  }

  void the_last_of_two_values_counts_where_any_key_may_be_there_twice() {
    QCOMPARE(parse_json(R"({"a": {"x": 1}, "b": 2, "a": {"y": 3}})", "x"), json({{"a", {{"y", 3}}}, {"b", 2}}));
    QCOMPARE(unlike(Fault::BadInput, "the JSON key 'b' appears twice",
                    [] { parse_json(R"({"a": {"b": 1, "b": 2}})", "x", JsonKind::Record, JsonKeys::Unique); }),
             std::string());
    QCOMPARE(parse_json(R"([{"a": 1}, {"a": 1}])", "x", JsonKind::Record, JsonKeys::Unique).size(), 2U);
  }

  void an_ordered_object_keeps_the_order_of_the_text() {
    QCOMPARE(parse_ordered_json(R"({"z": 1, "a": {"y": 2, "b": [{"q": 0, "c": 1}]}})", "x").dump(),
             std::string(R"({"z":1,"a":{"y":2,"b":[{"q":0,"c":1}]}})"));
    QCOMPARE(unlike(Fault::BadInput, "'z' appears twice", [] { parse_ordered_json(R"({"z": 1, "z": 2})", "x"); }),
             std::string());
  }

  void a_broken_text_names_its_byte() {
    QCOMPARE(refusal("config.json: is not valid JSON at byte 10", "{\"a\": 12, ?}"), std::string());
    QCOMPARE(refusal("is not valid JSON at byte 3", "[1]]"), std::string());
    QCOMPARE(refusal("is not usable JSON", "[1e999]"), std::string());
    QCOMPARE(refusal("is not valid JSON at byte", ""), std::string());
  }

  void depth_is_limited() {
    QCOMPARE(refusal("nested deeper than 64 levels at byte 64", std::string(1'000'000, '[')), std::string());
    QCOMPARE(refusal("nested deeper than 64 levels at byte 320", repeated("{\"a\":", 600'000)), std::string());
    QCOMPARE(refusal("nested deeper than 2 levels at byte 2", "[[[1]]]", JsonKind::Numbers), std::string());
    QVERIFY(find_json(std::string(64, '[') + std::string(64, ']')));
    QVERIFY(!find_json(std::string(65, '[') + std::string(65, ']')));
  }

  /// A value of two bytes takes a hundred.
  void what_values_take_is_limited_while_they_are_read() {
    for (const std::string value : {"[]", "{}", "\"\"", "{\"\":{}}", "0"})
      QCOMPARE(
          refusal("has more values than a configuration may have", list_of(value, 3'900'000 / (std::ssize(value) + 1))),
          std::string());
    QCOMPARE(refusal("has more values than a configuration may have",
                     "[" + repeated("{\"a\":", 20) + list_of("[]", 400'000) + " is cut here"),
             std::string());
    QVERIFY(find_json(list_of("[]", 200'000), JsonKind::Settings));
  }

  void bytes_are_limited() {
    const std::string text = "\"" + std::string(4 << 20, 'x') + "\"";
    QCOMPARE(refusal("has 4194306 bytes, and a configuration has 4.0 MB at most", text), std::string());
    QVERIFY(find_json(text, JsonKind::Record));
  }

  /// Real files: ids of labels, a vocabulary of 262,144 with merges as pairs, an index of 91,991 tensors.
  void real_files_are_well_below() {
    const auto entries = [](std::int64_t count, const std::string& name, const std::string& value) {
      std::string text = "{";
      for (std::int64_t i = 0; i < count; ++i)
        text += (i > 0 ? ",\"" : "\"") + name + std::to_string(i) + "\":" + value;
      return text + "}";
    };
    QVERIFY(find_json(entries(21'843, "LABEL_", "\"LABEL_12345\""), JsonKind::Settings));
    QVERIFY(find_json("{\"vocab\":" + entries(262'144, "token", "123456") +
                          ",\"merges\":" + list_of("[\"token\",\"token\"]", 514'906) + "}",
                      JsonKind::Tokenizer));
    const std::string tensor = "model.layers.60.mlp.experts.255.down_proj.weight_scale_inv";
    QVERIFY(find_json(entries(91'991, tensor, "\"model-00163-of-000163.safetensors\""), JsonKind::TensorList));
    QVERIFY(find_json(
        entries(91'991, tensor, R"({"dtype":"BF16","shape":[7168,18432],"data_offsets":[123456789012,123456789012]})"),
        JsonKind::TensorList));
  }

  void every_kind_has_limits() {
    for (const JsonKind kind : every_kind) {
      const JsonLimits& limits = json_limits(kind);
      QVERIFY(std::string(limits.name).size() > 3);
      QVERIFY(limits.depth > 0 && limits.depth <= 64);
      QVERIFY(limits.bytes >= 1'000'000 && limits.memory >= limits.bytes && limits.memory <= std::int64_t{4} << 30);
    }
  }

  void cbor_is_limited_too() {
    const std::string small = "\x82\x01\x61x";  // [1, "x"]
    QCOMPARE(parse_cbor(small, "x"), json({1, "x"}));
    std::string large = "\x9a";
    for (const int shift : {24, 16, 8, 0}) large += static_cast<char>(700'000 >> shift);
    large += std::string(700'000, '\x80');  // a list of so many empty ones
    QCOMPARE(unlike(Fault::BadInput, "has more values", [&] { parse_cbor(large, "x", JsonKind::Settings); }),
             std::string());
    QCOMPARE(parse_cbor(large, "x").size(), 700'000U);
  }

  void time_grows_with_the_text_data() {
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<bool>("object");
    QTest::newRow("numbers") << QByteArray("12345") << false;
    QTest::newRow("objects") << QByteArray("{}") << false;
    QTest::newRow("lists of objects") << QByteArray("[{},{}]") << false;
    QTest::newRow("keys") << QByteArray("{}") << true;
  }

  void time_grows_with_the_text() {
    QFETCH(QByteArray, value);
    QFETCH(bool, object);
    const auto make = [&](std::int64_t n) {
      std::string text = object ? "{" : "[";
      for (std::int64_t i = 0; i < n; ++i)
        text += (i > 0 ? "," : "") + (object ? "\"" + std::to_string(i) + "\":" : "") + value.toStdString();
      return text + (object ? "}" : "]");
    };
    const auto ratio = [&](auto run) { return test::growth(4000, make, run); };
    const double any = ratio([](const std::string& text) { parse_json(text, "x"); });
    const double unique =
        ratio([](const std::string& text) { parse_json(text, "x", JsonKind::Record, JsonKeys::Unique); });
    const double ordered = ratio([](const std::string& text) { parse_ordered_json(text, "x"); });
    for (const double growth : {any, unique, ordered})
      QVERIFY2(growth < test::most_linear_growth, qPrintable(QString::number(growth)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<JsonParserTest>};
#include "json_parser_test.moc"
