// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/content_hash.h"

#include <QTest>
#include <set>
#include <string>
#include <vector>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

std::uint64_t hash_of(const std::string& bytes) {
  return content_hash(std::as_bytes(std::span(bytes)));
}

}  // namespace

class ContentHashTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// From a plain implementation in another language: the same on every machine, today and later.
  void known_contents_have_known_hashes() {
    std::string thousand;
    for (int i = 0; i < 1000; ++i) thousand += static_cast<char>(i % 256);
    QCOMPARE(hash_of(""), 0x56f5dc01a5c1beebu);
    QCOMPARE(hash_of("abc"), 0xdf6a615ea55d6594u);
    QCOMPARE(hash_of(std::string(1, '\0')), 0x9db4635978cc185du);
    QCOMPARE(hash_of(std::string(2, '\0')), 0x6cc1d656bb8ba87eu);
    QCOMPARE(hash_of(thousand), 0x645c415043d6a6f5u);
    QCOMPARE(hex_of(0x00e12446a154c6efu), std::string("00e12446a154c6ef"));
  }

  void every_bit_counts() {
    std::string bytes(777, '\x5a');
    std::set<std::uint64_t> seen{hash_of(bytes)};
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
      QVERIFY(seen.insert(hash_of(bytes)).second);
      bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    }
  }

  void length_counts_and_place_does_not() {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 0; size < 300; ++size) QVERIFY(seen.insert(hash_of(std::string(size, '\0'))).second);
    const std::string text = "the same bytes at another address, longer than one stripe of the eight lanes there are";
    const std::string shifted = "x" + text;
    QCOMPARE(content_hash(std::as_bytes(std::span(shifted)).subspan(1)), hash_of(text));
  }

  void order_of_parts_counts() {
    QVERIFY(join_hashes(join_hashes(0, 1), 2) != join_hashes(join_hashes(0, 2), 1));
    QVERIFY(join_hashes(1, 0) != join_hashes(0, 1));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ContentHashTest>};
#include "content_hash_test.moc"
