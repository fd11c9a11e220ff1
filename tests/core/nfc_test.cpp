// SPDX-License-Identifier: GPL-3.0-or-later
// NFC against Qt's own: every character of Unicode 14 alone, and random sequences of letters and marks of the basic
// plane. Qt 6.4 leaves letters decomposed that stand behind a character of another plane.
#include "engine/base/nfc.h"

#include <QTest>
#include <random>

#include "engine/base/unicode_tables.h"
#include "engine/base/utf8.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

std::string by_qt(const std::string& text) {
  const QString whole = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  return whole.normalized(QString::NormalizationForm_C, QChar::Unicode_14_0).toStdString();
}

std::string first_difference(const std::string& text) {
  return nfc(text) == by_qt(text) ? "" : QByteArray::fromStdString(text).toHex(' ').toStdString();
}

}  // namespace

class NfcTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void each_character_is_as_qt_has_it() {
    for (char32_t code = 1; code < 0x110000; ++code) {
      if ((code >= 0xD800 && code < 0xE000) || code == 0xFEFF) continue;  // a byte order mark, which Qt drops
      std::string text;
      append_utf8(text, code);
      QCOMPARE(first_difference(text), std::string());
    }
  }

  void sequences_are_as_qt_has_them() {
    std::mt19937 random(3);
    const auto& marks = unicode_tables::combining_classes();
    const auto& letters = unicode_tables::decompositions();
    for (int round = 0; round < 40000; ++round) {
      std::string text;
      for (unsigned length = 1 + random() % 7; length > 0; --length) {
        const char32_t hangul = (random() % 2 == 0 ? 0x1100 : 0xAC00) + random() % 0x100;
        const char32_t choices[] = {marks[random() % marks.size()].first, letters[random() % letters.size()].character,
                                    hangul, U"aeoAN"[random() % 5]};
        const char32_t chosen = choices[random() % 4];
        append_utf8(text, chosen < 0x10000 ? chosen : U'e');
      }
      QCOMPARE(first_difference(text), std::string());
      QCOMPARE(nfc(nfc(text)), nfc(text));
      QVERIFY(!is_surely_nfc(text) || nfc(text) == text);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NfcTest>};
#include "nfc_test.moc"
