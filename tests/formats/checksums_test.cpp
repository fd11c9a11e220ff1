// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/checksums.h"

#include <QTest>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class ChecksumsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_was_written_passes() {
    const TempDir temp;
    QVERIFY(!check_checksums(temp.path().string()));
    write_bytes(temp.file("a.bin"), std::string(1000, 'a'));
    write_bytes(temp.file("empty"), "");
    QVERIFY(!check_checksums(temp.path().string()));  // of an older version
    write_checksums(temp.path().string());
    QVERIFY(check_checksums(temp.path().string()));
    write_bytes(temp.file("later"), "what came later is none of it");
    QVERIFY(check_checksums(temp.path().string()));
  }

  void every_flipped_bit_is_found() {
    const TempDir temp;
    const std::string whole = "some contents";
    write_bytes(temp.file("a.bin"), whole);
    write_bytes(temp.file("b.bin"), "others");
    write_checksums(temp.path().string());
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
      write_bytes(temp.file("a.bin"), damaged);
      QCOMPARE(unlike(Fault::BadInput, "a.bin: is damaged", [&] { check_checksums(temp.path().string()); }),
               std::string());
    }
    for (const std::string& other : {whole + " ", whole.substr(1), std::string()}) {
      write_bytes(temp.file("a.bin"), other);
      QCOMPARE(unlike(Fault::BadInput, "a.bin: is damaged", [&] { check_checksums(temp.path().string()); }),
               std::string());
    }
    std::filesystem::remove(temp.file("a.bin"));
    QCOMPARE(unlike(Fault::Io, "a.bin", [&] { check_checksums(temp.path().string()); }), std::string());
  }

  /// Nothing in the list itself makes a damaged file pass, or reaches out of the folder.
  void a_damaged_list_is_refused() {
    const TempDir temp;
    write_bytes(temp.file("a.bin"), "some contents");
    for (const char* list :
         {"", "[]", "{}", "{\"a.bin\": 3}", "{\"../a.bin\": null}", "{\"a.bin\": {\"bytes\": 13}}"}) {
      write_bytes(temp.file("checksums.json"), list);
      QVERIFY(error_of([&] { check_checksums(temp.path().string()); }).has_value());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ChecksumsTest>};
#include "checksums_test.moc"
