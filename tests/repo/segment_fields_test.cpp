// SPDX-License-Identifier: GPL-3.0-or-later
// The guides' tables and the manual page's section of segmented execution are what segment_fields() says, in German as
// the window does. Where they differ, CARRYOVER_WRITE_DOCS=1 ctest -R repo/segment_fields writes them again.
#include "engine/config/segment_fields.h"

#include <QFile>
#include <QTest>

#include "tests/support/german.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

QString value_name(const SegmentField& field) {
  if (field.is_count()) return "N";
  if (field.is<Grouping>()) return "LIST";
  if (field.choice() != nullptr) return field.choice()->type;
  if (field.is<std::vector<HeadRef>>()) return "HEADS";
  if (field.is<HeadPatterns>()) return "FILE";
  return field.is<std::optional<RopeConfig>>() ? "KIND:FACTOR" : "";
}

QString flag_of(const SegmentField& field) {
  return QString::fromStdString(field.flag());
}

/// The words of a document that are not the field's own.
struct Words {
  QString head, at_least;
  QString (*help)(const QString& english);
};

const Words english{"| field | flag | meaning |", "; at least %1", [](const QString& help) { return help; }};
const Words in_german{"| Feld | Flag | Bedeutung |", "; mindestens %1",
                      [](const QString& help) { return test::german().value(help); }};

QString meaning(const SegmentField& field, const Words& words) {
  const QString symbol = QString::fromUtf8(field.symbol);
  QString text = (symbol.isEmpty() ? QString() : symbol + ": ") + words.help(QString::fromUtf8(field.help));
  if (field.is_count() && field.least > 0) text += words.at_least.arg(field.least);
  return text;
}

QString guide_table(const Words& words) {
  QString table = words.head + "\n|---|---|---|\n";
  for (const SegmentField& field : segment_fields()) {
    const QString value = value_name(field);
    table +=
        QString("| `%1` | `%2` | %3 |\n")
            .arg(field.key, value.isEmpty() ? flag_of(field) : flag_of(field) + " " + value, meaning(field, words));
  }
  return table;
}

QString roff(QString text) {
  return text.replace('-', "\\-");
}

QString man_section() {
  QString section;
  for (const SegmentField& field : segment_fields()) {
    const QString value = value_name(field), flag = roff(flag_of(field));
    section += value.isEmpty() ? QString(".TP\n.BR %1 \", \" \\-\\-no%2\n").arg(flag, flag.mid(2))
                               : QString(".TP\n.BI %1 \" %2\"\n").arg(flag, value);
    section += roff(meaning(field, english)) + ".\n";
  }
  return section;
}

}  // namespace

class SegmentFieldsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void documents_have_every_field_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("end");
    QTest::addColumn<QString>("wanted");
    for (const auto& [path, words] : {std::pair("docs/guide.md", english), std::pair("docs/guide.de.md", in_german)})
      QTest::newRow(path) << path << "<!-- fields of segmented execution: begin -->\n"
                          << "<!-- fields of segmented execution: end -->\n"
                          << guide_table(words);
    QTest::newRow("manual page") << "docs/carryover.1"
                                 << ".\\\" fields of segmented execution: begin\n"
                                 << ".\\\" fields of segmented execution: end\n"
                                 << man_section();
  }

  void documents_have_every_field() {
    QFETCH(QString, path);
    QFETCH(QString, begin);
    QFETCH(QString, end);
    QFETCH(QString, wanted);
    QFile file(QStringLiteral(CARRYOVER_SOURCE_DIR "/") + path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString text = QString::fromUtf8(file.readAll());
    file.close();
    const qsizetype first = text.indexOf(begin) + begin.size(), last = text.indexOf(end);
    QVERIFY2(text.contains(begin) && last >= first, "there is no place for the fields");
    const QString found = text.mid(first, last - first);
    if (found != wanted && qEnvironmentVariableIntValue("CARRYOVER_WRITE_DOCS") == 1) {
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text.replace(first, last - first, wanted).toUtf8());
      return;
    }
    QCOMPARE(found, wanted);
  }

  void symbols_and_keys_are_unique() {
    QStringList keys, symbols;
    for (const SegmentField& field : segment_fields()) {
      keys << field.key;
      if (*field.symbol != '\0') symbols << QString::fromUtf8(field.symbol);
      QCOMPARE(find_segment_field(field.key), &field);
    }
    QCOMPARE(keys.removeDuplicates(), 0);
    QCOMPARE(symbols.removeDuplicates(), 0);
    QVERIFY(!find_segment_field("no_such_field"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<SegmentFieldsTest>};
#include "segment_fields_test.moc"
