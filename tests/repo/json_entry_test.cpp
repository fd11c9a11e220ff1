// SPDX-License-Identifier: GPL-3.0-or-later
// JSON has one entry, which limits depth, bytes and memory: engine/base/json_parser.h. No other source of the
// program calls a parser of nlohmann's or of Qt's.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

const QString entry = "engine/base/json_parser.cpp";

/// Calls of parsers and the reading of a stream into a value.
QStringList parser_calls(const QString& source) {
  static const QRegularExpression call(
      "json\\s*::\\s*(parse|sax_parse|accept|from_(cbor|msgpack|ubjson|bson|bjdata))\\s*\\(|"
      "\\b(basic_json|json_sax)\\s*<|"
      "\"[^\"\\n]*\"_json\\b|QJsonDocument|QCborValue\\s*::\\s*fromCbor|QCborStreamReader");
  static const QRegularExpression stream(">>\\s*(?:\\w+\\.)*\\w*json\\w*\\s*[;)]");
  static const QRegularExpression comment("//[^\\n]*");
  QString text = source;
  text.remove(comment);
  QStringList found;
  for (const QRegularExpression& pattern : {call, stream})
    for (auto all = pattern.globalMatch(text); all.hasNext();) found << all.next().captured();
  return found;
}

}  // namespace

class JsonEntryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void json_has_one_entry() {
    QStringList found;
    for (const Source& source : code({"app", "engine", "kernels", "widgets", "examples"})) {
      if (source.path == entry) continue;
      for (const QString& call : parser_calls(source.text)) found << source.path + ": " + call;
    }
    QVERIFY2(found.isEmpty(), qPrintable("Call parse_json, find_json or read_json_file: " + found.join("; ")));
    QVERIFY(!parser_calls(carryover::test::read(entry)).isEmpty());
  }

  void calls_are_found() {
    for (const char* text :
         {"auto a = json::parse(text);", "nlohmann::json::parse(text, nullptr, false)", "ordered_json::parse(b, e)",
          "json :: sax_parse(x)", "nlohmann::json::from_cbor(bytes)", "input >> json;", "stream >> file.json;",
          "if (input >> parsed_json)", "QJsonDocument::fromJson(bytes)", "auto a = \"{}\"_json;", "json::accept(text)"})
      QVERIFY2(!parser_calls(text).isEmpty(), text);
    for (const char* text : {"parse_json(text, where)", "// json::parse(text)", "Json::Value x", "value >> 8;"})
      QVERIFY2(parser_calls(text).isEmpty(), text);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<JsonEntryTest>};
#include "json_entry_test.moc"
