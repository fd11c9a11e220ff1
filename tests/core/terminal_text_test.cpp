// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/terminal_text.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/support/test_program.h"

using namespace carryover;

class TerminalTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_controls_a_terminal_is_spelled() {
    QCOMPARE(terminal_text("\x1b]0;X\x07"), std::string("\\u001b]0;X\\u0007"));
    QCOMPARE(terminal_text("\x1b[2J\r\b\x7f"), std::string("\\u001b[2J\\u000d\\u0008\\u007f"));
    QCOMPARE(terminal_text("a\u009b31mb"), std::string("a\\u009b31mb"));
    QCOMPARE(terminal_text(std::string("a\0b", 3)), std::string("a\\u0000b"));
  }

  void what_turns_the_direction_is_spelled() {
    QCOMPARE(terminal_text("a\u202Ecba\u2066\u200F"), std::string("a\\u202ecba\\u2066\\u200f"));
  }

  void bytes_that_are_no_utf8_are_spelled() {
    QCOMPARE(terminal_text("a\x9b"
                           "31m\xff\xe2\x82"),
             std::string("a\\x9b31m\\xff\\xe2\\x82"));
  }

  void other_text_stays() {
    for (const char* text : {"", "plain\n\ttext", "é 日本 עברית ← 😀", "back\\slash"})
      QCOMPARE(terminal_text(text), std::string(text));
  }

  void json_reads_as_before() {
    const nlohmann::json value{{"name\u009b", "\x1b\x7f\u202E\u2028"}};
    const std::string shown = terminal_text(value.dump(2));
    QVERIFY(nlohmann::json::parse(shown) == value);
    QCOMPARE(terminal_text(shown), shown);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TerminalTextTest>};
#include "terminal_text_test.moc"
