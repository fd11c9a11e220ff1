// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/filled_text.h"

#include <QLocale>
#include <QTest>
#include <limits>

#include "tests/support/gui_test.h"

using namespace carryover;

// Only whole numbers and texts are values: how a fraction is written is the caller's decision.
static_assert(std::constructible_from<FilledValue, QString> && std::constructible_from<FilledValue, QChar>);
static_assert(std::constructible_from<FilledValue, int> && std::constructible_from<FilledValue, std::size_t>);
static_assert(!std::constructible_from<FilledValue, double> && !std::constructible_from<FilledValue, float>);
static_assert(!std::constructible_from<FilledValue, bool> && !std::constructible_from<FilledValue, char>);

class FilledTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }
  void cleanup() { QLocale::setDefault(QLocale::c()); }

  void what_is_inserted_stays_as_it_is() {
    for (const char* name : {"%1", "%2", "%99", "%L2", "%n", "100 %", "%2 of %1", "%%2", ""}) {
      const QString foreign = QString::fromUtf8(name);
      QCOMPARE(filled(QStringLiteral("%1 of %2"), foreign, 3), foreign + QStringLiteral(" of 3"));
      QCOMPARE(filled(QStringLiteral("%2%1%2"), 3, foreign), foreign + u'3' + foreign);
      QCOMPARE(filled(QStringLiteral("%1%2"), foreign, foreign), foreign + foreign);
    }
    QCOMPARE(filled(QStringLiteral("%1%2 more"), QStringLiteral("%"), 2), QStringLiteral("%2 more"));
  }

  /// A value goes where QString::arg() would put it, as long as it holds no place itself.
  void places_are_those_of_qt() {
    for (const char* pattern : {"%1 of %2", "%2: %1, %1", "%7 %3", "%1%2", "%12 %1", "%123 %0", "100 % %1 %L2%",
                                "%%2 %1", "%1 %2 %3", "L%1H%2", "%L%1 %2", "<b>%1</b>\n“%2”"}) {
      const QString text = QString::fromUtf8(pattern);
      QCOMPARE(filled(text, QStringLiteral("a"), QStringLiteral("b")),
               text.arg(QStringLiteral("a")).arg(QStringLiteral("b")));
    }
    QCOMPARE(filled(QStringLiteral("%1 %2 %3 %4 %5 %6 %7 %8 %9 %10 %11"), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
             QStringLiteral("1 2 3 4 5 6 7 8 9 10 11"));
    QCOMPARE(filled(QStringLiteral("no place")), QStringLiteral("no place"));
    QCOMPARE(filled(QString()), QString());
  }

  void a_place_with_an_l_writes_numbers_as_the_language_does() {
    const QString text = QStringLiteral("%L1 is %1");
    for (const QLocale& language : {QLocale::c(), QLocale(QLocale::German), QLocale(QLocale::English)}) {
      QLocale::setDefault(language);
      for (const qlonglong number : {0LL, -7LL, 1234567LL, std::numeric_limits<qlonglong>::min()})
        QCOMPARE(filled(text, number), text.arg(number));
      QCOMPARE(filled(text, std::numeric_limits<qulonglong>::max()), text.arg(std::numeric_limits<qulonglong>::max()));
      QCOMPARE(filled(text, QStringLiteral("12345")), QStringLiteral("12345 is 12345"));
    }
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(filled(QStringLiteral("%1: %L2"), QStringLiteral("%L2"), 1234), QStringLiteral("%L2: 1.234"));
  }

  void letters_and_latin_1_are_texts() {
    QCOMPARE(filled(QStringLiteral("%1%2"), QLatin1String("caf\xE9"), QChar(u'%')), QStringLiteral("café%"));
  }

  void a_value_without_a_place_is_told() {
    QTest::ignoreMessage(QtWarningMsg, "Values without a place: 1, in \"%1\"");
    QCOMPARE(filled(QStringLiteral("%1"), 1, 2), QStringLiteral("1"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<FilledTextTest>};
#include "filled_text_test.moc"
