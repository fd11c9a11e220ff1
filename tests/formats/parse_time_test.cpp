// SPDX-License-Identifier: GPL-3.0-or-later
// The time to read a file grows with the file, whatever it holds: headers of safetensors and GGUF files.
#include <QTest>

#include "engine/base/error.h"
#include "engine/formats/gguf.h"
#include "engine/formats/safetensors.h"
#include "tests/support/growth.h"
#include "tests/support/make_gguf.h"
#include "tests/support/make_safetensors.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// The parts with commas between them; a number sign in a part becomes its number.
std::string list(const std::string& begin, const std::string& part, const std::string& end, std::int64_t n) {
  std::string text = begin;
  const std::size_t place = part.find('#');
  for (std::int64_t i = 0; i < n; ++i) {
    if (i > 0) text += ',';
    text += place == std::string::npos ? part : part.substr(0, place) + std::to_string(i) + part.substr(place + 1);
  }
  return text + end;
}

void read_safetensors(const std::string& bytes) {
  try {
    SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "x");
  } catch (const EngineError&) {
  }
}

void read_gguf(const std::string& bytes) {
  try {
    GgufFile::parse(std::as_bytes(std::span(bytes)), "x");
  } catch (const EngineError&) {
  }
}

}  // namespace

class ParseTimeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void of_a_safetensors_header_data() {
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QByteArray>("part");
    QTest::addColumn<QByteArray>("end");
    const auto row = [](const char* name, const char* begin, const char* part, const char* end) {
      QTest::newRow(name) << QByteArray(begin) << QByteArray(part) << QByteArray(end);
    };
    const char* const entry = "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"z\":[";
    row("tensors", "{", "\"w#\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}", "}");
    row("objects in a tensor", entry, "{}", "]}}");
    row("lists in a tensor", entry, "[]", "]}}");
    row("keys in a tensor", "{\"w\":{", "\"z#\":0", "}}");
    row("metadata", "{\"__metadata__\":{", "\"key #\":\"value\"", "}}");
    row("sizes", "{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,0],\"shape\":[", "0", "]}}");
  }

  void of_a_safetensors_header() {
    QFETCH(QByteArray, begin);
    QFETCH(QByteArray, part);
    QFETCH(QByteArray, end);
    const double ratio = growth(
        2000,
        [&](std::int64_t n) {
          return safetensors_from_header(list(begin.toStdString(), part.toStdString(), end.toStdString(), n), "");
        },
        read_safetensors);
    QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
  }

  void of_a_gguf_file_data() {
    QTest::addColumn<QString>("what");
    for (const char* what : {"keys", "strings", "numbers", "tensors"}) QTest::newRow(what) << QString(what);
  }

  void of_a_gguf_file() {
    QFETCH(QString, what);
    const auto make = [&](std::int64_t n) {
      GgufWriter writer;
      std::vector<std::string> strings;
      std::string numbers;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::string name = "name " + std::to_string(i);
        if (what == "keys") writer.add_int(name, 1);
        if (what == "strings") strings.push_back(name);
        if (what == "numbers") numbers += GgufWriter::raw(static_cast<std::uint32_t>(i));
        if (what == "tensors") writer.add_tensor(name, {1}, 0, GgufWriter::raw(1.0F));
      }
      if (!strings.empty()) writer.add_strings("strings", strings);
      const std::string head = GgufWriter::raw<std::uint32_t>(4) + GgufWriter::raw(static_cast<std::uint64_t>(n));
      if (!numbers.empty()) writer.add_pair("numbers", 9, head + numbers);
      return writer.bytes();
    };
    const double ratio = growth(2000, make, read_gguf);
    QVERIFY2(ratio < most_linear_growth, qPrintable(QString::number(ratio)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ParseTimeTest>};
#include "parse_time_test.moc"
