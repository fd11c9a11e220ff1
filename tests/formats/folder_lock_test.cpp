// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/folder_lock.h"

#include <sys/stat.h>

#include <QTest>
#include <filesystem>
#include <memory>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

class FolderLockTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_lock_leaves_nothing_and_takes_what_a_kill_left() {
    const TempDir temp;
    const std::string folder = temp.path().string(), file = temp.file("lock");
    for (int i = 0; i < 2; ++i) {
      const auto lock = std::make_unique<FolderLock>(folder);
      QVERIFY(fs::exists(file) && FolderLock::is_held(folder));
      QCOMPARE(unlike(Fault::Usage, "another process", [&] { FolderLock{folder}; }), "");
    }
    QVERIFY(!fs::exists(file) && !FolderLock::is_held(folder));
    write_bytes(file, "");
    const FolderLock lock(folder);
  }

  /// A person may call a file so, too; it was removed with the lock.
  void a_file_of_somebody_else_is_no_lock() {
    const TempDir temp;
    const std::string file = temp.file("lock");
    write_bytes(file, "precious");
    QCOMPARE(unlike(Fault::Usage, "no lock", [&] { FolderLock{temp.path().string()}; }), "");
    QCOMPARE(read_bytes(file), std::string("precious"));
    write_bytes(temp.file("scores.json.lock"), "precious");
    QCOMPARE(unlike(Fault::Usage, "no lock", [&] { FolderLock(temp.file("scores.json"), FolderLock::Of::File); }), "");
    QCOMPARE(read_bytes(temp.file("scores.json.lock")), std::string("precious"));
    fs::remove(file);
    QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    QCOMPARE(unlike(Fault::Usage, "no lock", [&] { FolderLock{temp.path().string()}; }), "");
    QVERIFY(fs::exists(fs::symlink_status(file)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<FolderLockTest>};
#include "folder_lock_test.moc"
