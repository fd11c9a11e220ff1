// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/core/base/text_parts.h"

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
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TextPartsTest>};
#include "text_parts_test.moc"
