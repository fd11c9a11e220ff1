// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes in messages: units of powers of 1000, as their names say.
#include "engine/base/byte_size.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

class ByteSizeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_unit_is_a_power_of_1000_data() {
    QTest::addColumn<double>("bytes");
    QTest::addColumn<QString>("text");
    const auto row = [](double bytes, const char* text) { QTest::newRow(text) << bytes << QString(text); };
    row(0, "0 B");
    row(999, "999 B");
    row(1000, "1.0 KB");
    row(390'400, "390 KB");
    row(1'048'576, "1.0 MB");
    row(7'200'000, "7.2 MB");
    row(9'940'000, "9.9 MB");
    row(10'400'000, "10 MB");
    row(512'000'000, "512 MB");
    row(999'400'000, "999 MB");
    row(999'600'000, "1.00 GB");
    row(1'000'000'000, "1.00 GB");
    row(1'073'741'824, "1.07 GB");
    row(68'700'000'000, "68.7 GB");
    row(137'400'000'000, "137 GB");
    row(2'500'000'000'000, "2.50 TB");
  }
  void a_unit_is_a_power_of_1000() {
    QFETCH(double, bytes);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(size_text(bytes)), text);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ByteSizeTest>};
#include "byte_size_test.moc"
