// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/sha1.h"

#include <QCryptographicHash>
#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class Sha1Test : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void known_sums() {  // FIPS 180-4's examples
    BlockHash<5> hash = sha1_hash();
    QCOMPARE(hash.hex(), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    hash.add("abc");
    QCOMPARE(hash.hex(), "a9993e364706816aba3e25717850c26c9cd0d89d");
  }
  void every_length_in_parts_is_as_qt_has_it() {
    for (std::size_t length = 0; length < 200; ++length) {
      BlockHash<5> hash = sha1_hash();
      std::string bytes;
      for (std::size_t part = 1; bytes.size() < length; part = part * 5 % 131 + 1) {
        const std::string more(std::min(part, length - bytes.size()), static_cast<char>(part));
        hash.add(more);
        bytes += more;
      }
      const QByteArray all(bytes.data(), static_cast<qsizetype>(bytes.size()));
      QCOMPARE(hash.hex(), QCryptographicHash::hash(all, QCryptographicHash::Sha1).toHex().toStdString());
    }
  }
};

static const TestFile these_tests{__FILE__, without_application<Sha1Test>};
#include "sha1_test.moc"
