// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/text_parts.h"

#include <QTest>
#include <sstream>

#include "tests/support/test_program.h"

using namespace carryover;

class TextPartsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parts_and_words_are_those_of_streams() {
    for (const std::string text : {"", ",", "a", "a,", ",a", "a,b", "a,,b,,", " a  b\t\r\nc ", "  ", "\n\n", "ä ö"}) {
      std::vector<std::string> lines, words;
      std::istringstream by_comma(text), by_blank(text);
      for (std::string part; std::getline(by_comma, part, ',');) lines.push_back(part);
      for (std::string word; by_blank >> word;) words.push_back(word);
      QVERIFY2(text_parts(text, ',') == lines, text.c_str());
      QVERIFY2(text_words(text) == words, text.c_str());
    }
  }
  void what_is_trimmed_begins_and_ends_with_no_blank() {
    for (const std::string text : {"", " ", " \t ", "a", " a", "a\t", " a b ", "\na ", "a,b"}) {
      const std::string_view inner = trimmed(text);
      QVERIFY2(text.find(inner) != std::string::npos, text.c_str());
      QVERIFY2(inner.empty() || (inner.front() != ' ' && inner.front() != '\t'), text.c_str());
      QVERIFY2(inner.empty() || (inner.back() != ' ' && inner.back() != '\t'), text.c_str());
      QVERIFY2(inner.empty() == (text.find_first_not_of(" \t") == std::string::npos), text.c_str());
    }
    QCOMPARE(trimmed(" a b \t"), std::string_view("a b"));
    QCOMPARE(trimmed("\n a\t", " \n\t"), std::string_view("a"));
    QCOMPARE(trimmed("\ta ", " "), std::string_view("\ta"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TextPartsTest>};
#include "text_parts_test.moc"
