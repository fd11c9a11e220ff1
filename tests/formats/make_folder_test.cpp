// SPDX-License-Identifier: GPL-3.0-or-later
// Folders for what is written: made with those above them, or refused with what to do.
#include "engine/formats/make_folder.h"

#include <QTest>
#include <filesystem>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class MakeFolderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void makes_those_above_and_keeps_what_is_there() {
    const TempDir folder;
    const std::string deep = folder.file("a/b/c");
    make_folder(deep);
    QVERIFY(std::filesystem::is_directory(deep));
    write_bytes(deep + "/kept", "x");
    make_folder(deep);
    QVERIFY(std::filesystem::exists(deep + "/kept"));
  }

  void a_file_in_the_way_is_named_with_what_to_do() {
    const TempDir folder;
    write_bytes(folder.file("file"), "x");
    const std::string below = folder.file("file/run");
    QCOMPARE(unlike(Fault::Io, "can't be made", [&] { make_folder(below); }), std::string());
    QCOMPARE(unlike(Fault::Io, "Go elsewhere.", [&] { make_folder(below, "Go elsewhere."); }), std::string());
    QCOMPARE(error_of([&] { make_folder(below); })->where(), below);
  }

  void files_of_somebody_else_are_named() {
    const TempDir folder;
    const std::string path = folder.path().string();
    require_free_names(path, {"results.json", "table.md"});
    require_free_names(folder.file("absent"), {"results.json"});
    write_bytes(folder.file("other"), "x");
    std::filesystem::create_symlink("nowhere", folder.file("table.md"));
    QCOMPARE(unlike(Fault::Usage, "table.md", [&] { require_free_names(path, {"results.json", "table.md"}); }), "");
    require_free_names(path, {"results.json"});
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<MakeFolderTest>};
#include "make_folder_test.moc"
