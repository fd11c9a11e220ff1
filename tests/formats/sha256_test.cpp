// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/sha256.h"

#include <QCryptographicHash>
#include <QTest>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class Sha256Test : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void known_sums() {  // FIPS 180-4's examples
    QCOMPARE(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    QCOMPARE(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }
  void every_length_is_as_qt_has_it() {
    std::mt19937 random(1);
    for (std::size_t length = 0; length < 200; ++length) {
      std::string bytes(length, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      const QByteArray there(bytes.data(), static_cast<qsizetype>(bytes.size()));
      QCOMPARE(sha256(bytes), QCryptographicHash::hash(there, QCryptographicHash::Sha256).toHex().toStdString());
    }
  }
};

static const TestFile these_tests{__FILE__, without_application<Sha256Test>};
#include "sha256_test.moc"
