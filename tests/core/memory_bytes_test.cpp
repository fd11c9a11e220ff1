// SPDX-License-Identifier: GPL-3.0-or-later
// Memory in messages.
#include "engine/core/base/memory_bytes.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

class MemoryBytesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_text_has_two_digits_or_more_of_its_unit() {
    constexpr std::int64_t megabyte = 1 << 20, gigabyte = std::int64_t{1} << 30;
    QCOMPARE(memory_text(0), std::string("0 MB"));
    QCOMPARE(memory_text(gigabyte - 1), std::string("1023 MB"));
    QCOMPARE(memory_text(gigabyte), std::string("1.0 GB"));
    QCOMPARE(memory_text(gigabyte + 512 * megabyte), std::string("1.5 GB"));
    QCOMPARE(memory_text(10 * gigabyte - 1), std::string("9.9 GB"));
    QCOMPARE(memory_text(68 * gigabyte + 900 * megabyte), std::string("68 GB"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MemoryBytesTest>};
#include "memory_bytes_test.moc"
