// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/csv_cell.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

class CsvCellTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_text_that_begins_as_a_formula_gets_an_apostrophe() {
    QCOMPARE(csv_cell("=1+1"), std::string("'=1+1"));
    QCOMPARE(csv_cell("=cmd|' /C calc'!A0"), std::string("'=cmd|' /C calc'!A0"));
    QCOMPARE(csv_cell("+1+cmd|' /C calc'!A0"), std::string("'+1+cmd|' /C calc'!A0"));
    QCOMPARE(csv_cell("-A1"), std::string("'-A1"));
    QCOMPARE(csv_cell("@SUM(A1)"), std::string("'@SUM(A1)"));
    QCOMPARE(csv_cell("\t=1"), std::string("'\t=1"));
    QCOMPARE(csv_cell("\r=1"), std::string("\"'\r=1\""));
    QCOMPARE(csv_cell("=HYPERLINK(\"http://x\",\"y\")"), std::string("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""));
  }

  void signs_of_full_width_are_signs() {
    QCOMPARE(csv_cell("＝1+1"), std::string("'＝1+1"));
    QCOMPARE(csv_cell("＠SUM(A1)"), std::string("'＠SUM(A1)"));
    QCOMPARE(csv_cell("－A1"), std::string("'－A1"));
    QCOMPARE(csv_cell("\n=1"), std::string("\"'\n=1\""));
    QCOMPARE(csv_cell("a＝b"), std::string("a＝b"));
  }

  /// A model's name is in the comment; a spreadsheet cuts comments into cells, too.
  void a_comment_is_one_line_without_formulas() {
    QCOMPARE(csv_comment("model: x,=1+1"), std::string("# model: x,'=1+1\n"));
    QCOMPARE(csv_comment("x;@A1\t-A1"), std::string("# x;'@A1\t'-A1\n"));
    QCOMPARE(csv_comment("x,\"=1\""), std::string("# x,'\"=1\"\n"));
    QCOMPARE(csv_comment("x\r=1\n=2\x1b[2J"), std::string("# x\\u000d=1 '=2\\u001b[2J\n"));
    for (const char* text :
         {"S 64, M 16", "{\"a\":[1,-2,3.5]}", "loss -0.5, +3 %", "", "=1", "carryover export a -o b.csv"})
      QCOMPARE(csv_comment(text), "# " + std::string(text) + "\n");
  }

  void numbers_and_signs_stay() {
    for (const char* text : {"-0.5", "+0.125", "-1e-300", "-inf", "+inf", "-12", "-0", "-", "+", "=", "@", "", "7",
                             "-1.234.567", "-12 %", "-1\u00A0234", "\u22120.5"})
      QCOMPARE(without_formula(text), std::string(text));
    QCOMPARE(csv_cell("-1,5"), std::string("\"-1,5\""));
  }

  void other_texts_stay() {
    for (const char* text : {"word", "a=b", "'quoted'", " =1", "segment-2"})
      QCOMPARE(csv_cell(text), std::string(text));
    QCOMPARE(csv_cell("a,b"), std::string("\"a,b\""));
    QCOMPARE(csv_cell("a\nb"), std::string("\"a\nb\""));
    QCOMPARE(csv_cell("say \"x\""), std::string("\"say \"\"x\"\"\""));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CsvCellTest>};
#include "csv_cell_test.moc"
