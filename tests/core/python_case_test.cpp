// SPDX-License-Identifier: GPL-3.0-or-later
// Python's str.lower(), upper(), title() and capitalize(): the numbers below are Python 3.11's.
#include "engine/base/python_case.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// A text's characters in order, as one number.
std::uint64_t fold(std::uint64_t sum, std::u32string_view text) {
  for (const char32_t c : text) sum = (sum * 1'000'003 + c) & 0xFFFFFFFFFFFF;
  return sum;
}

}  // namespace

class PythonCaseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// For every character c: the forms of c, of c behind a letter, and of c before a sigma.
  void every_character_is_python_s() {
    std::uint64_t lower = 0, upper = 0, title = 0, capital = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (c >= 0xD800 && c < 0xE000) continue;
      for (const std::u32string& text : {std::u32string{c}, {U'a', c, U'B'}, {c, U'\u03A3'}}) {
        lower = fold(lower, python_lower(text));
        upper = fold(upper, python_upper(text));
        title = fold(title, python_title(text));
        capital = fold(capital, python_capitalize(text));
      }
    }
    QCOMPARE(lower, 93821546584918ull);
    QCOMPARE(upper, 214868331924257ull);
    QCOMPARE(title, 190263195231756ull);
    QCOMPARE(capital, 11707301199180ull);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PythonCaseTest>};
#include "python_case_test.moc"
