// SPDX-License-Identifier: GPL-3.0-or-later
// Folders that appear whole, and which folders are never removed.
#include "engine/formats/whole_folder.h"

#include <QTest>
#include <filesystem>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

class WholeFolderTest : public QObject {
  Q_OBJECT
 private:
  static void write_new(const std::string& folder) { write_bytes(fs::path(folder) / "weights", "new"); }
  static std::ptrdiff_t entries(const fs::path& folder) { return std::distance(fs::directory_iterator(folder), {}); }

 private Q_SLOTS:
  void what_is_there_is_never_written_over() {
    const TempDir temp;
    const std::string keep = temp.file("keep");
    fs::create_directory(keep);
    write_bytes(keep + "/thesis", "precious");
    write_bytes(temp.file("file"), "precious");
    fs::create_symlink(keep, temp.file("link"));
    fs::create_symlink(temp.file("nowhere"), temp.file("dangling"));
    bool filled = false;
    for (const char* name : {"keep", "keep/", "file", "link", "dangling"})
      QCOMPARE(unlike(Fault::Usage, "is there already",
                      [&] {
                        write_whole_folder(temp.file(name), ExistingFolder::Refuse,
                                           [&](const std::string&) { filled = true; });
                      }),
               std::string());
    QVERIFY(!filled);
    QCOMPARE(read_bytes(keep + "/thesis"), std::string("precious"));
    QCOMPARE(entries(temp.path()), std::ptrdiff_t{4});
  }

  void a_new_or_an_empty_folder_is_filled() {
    const TempDir temp;
    fs::create_directory(temp.file("empty"));
    for (const char* name : {"empty", "new", "deep/er", "slash/"}) {
      write_whole_folder(temp.file(name), ExistingFolder::Refuse, &write_new);
      QCOMPARE(read_bytes(fs::path(temp.file(name)) / "weights"), std::string("new"));
      QCOMPARE(entries(temp.file(name)), std::ptrdiff_t{1});  // without a mark: it is the user's from now on
    }
    QCOMPARE(entries(temp.path()), std::ptrdiff_t{4});
  }

  void what_fails_leaves_nothing() {
    const TempDir temp;
    QCOMPARE(unlike(Fault::Cancelled, "enough",
                    [&] {
                      write_whole_folder(temp.file("new"), ExistingFolder::Replace, [](const std::string& folder) {
                        write_new(folder);
                        throw EngineError(Fault::Cancelled, "here", "enough", "");
                      });
                    }),
             std::string());
    QCOMPARE(entries(temp.path()), std::ptrdiff_t{0});
  }

  /// A folder or link with the old, foreseeable name of the temporary folder belongs to somebody.
  void a_foreseen_temporary_name_is_left_alone() {
    const TempDir temp;
    const std::string victim = temp.file("victim");
    fs::create_directory(victim);
    write_bytes(victim + "/thesis", "precious");
    fs::create_symlink(victim, temp.file("new.unfinished"));
    fs::create_directory(temp.file("new.outgoing"));
    write_bytes(temp.file("new.outgoing/thesis"), "precious");
    write_whole_folder(temp.file("new"), ExistingFolder::Replace, &write_new);
    write_whole_folder(temp.file("new"), ExistingFolder::Replace, &write_new);
    QCOMPARE(read_bytes(victim + "/thesis"), std::string("precious"));
    QCOMPARE(read_bytes(temp.file("new.outgoing/thesis")), std::string("precious"));
    QVERIFY(fs::is_symlink(temp.file("new.unfinished")));
  }

  void only_a_marked_folder_is_replaced() {
    const TempDir temp;
    const std::string path = temp.file("final");
    write_whole_folder(path, ExistingFolder::Replace, &write_new);
    write_whole_folder(path, ExistingFolder::Replace, &write_new);
    QCOMPARE(entries(temp.path()), std::ptrdiff_t{1});
    fs::remove(fs::path(path) / kFolderMark);
    write_bytes(path + "/thesis", "precious");
    write_whole_folder(path, ExistingFolder::Replace, &write_new);
    QVERIFY(!fs::exists(path + "/thesis"));
    QCOMPARE(entries(temp.path()), std::ptrdiff_t{2});
    for (const auto& entry : fs::directory_iterator(temp.path()))
      if (entry.path() != path) QCOMPARE(read_bytes(entry.path() / "thesis"), std::string("precious"));
  }

  void only_a_marked_folder_is_removed_and_never_through_a_link() {
    const TempDir temp;
    const fs::path real = temp.file("real"), outside = temp.file("outside");
    for (const char* name : {"real/marked", "real/bare", "real/in.unfinished-1", "outside"})
      fs::create_directories(temp.file(name));
    for (const char* name : {"real/marked/", "outside/", "real/in.unfinished-1/"})
      write_bytes(temp.file(name) + kFolderMark, "");
    write_bytes(outside / "thesis", "precious");
    write_bytes(temp.file("real/bare/thesis"), "precious");
    fs::create_directory_symlink(outside, real / "marked" / "inner");
    fs::create_directory_symlink(outside, real / "linked");
    fs::create_directory_symlink(outside, real / "x.outgoing-1");
    fs::create_directory_symlink(real, temp.file("way"));
    remove_whole_folder(temp.file("way/marked"));
    remove_leftover_folders(temp.file("way"));
    QVERIFY(fs::exists(real / "marked") && fs::exists(real / "in.unfinished-1"));
    for (const char* name : {"linked", "bare", "marked", "absent"}) remove_whole_folder((real / name).string());
    remove_leftover_folders(real.string());
    QVERIFY(!fs::exists(real / "marked") && !fs::exists(real / "in.unfinished-1"));
    QVERIFY(fs::is_symlink(real / "linked") && fs::is_symlink(real / "x.outgoing-1"));
    QCOMPARE(read_bytes(outside / "thesis"), std::string("precious"));
    QCOMPARE(read_bytes(real / "bare" / "thesis"), std::string("precious"));
    QVERIFY(fs::exists(outside / kFolderMark));
  }
};

static const TestFile these_tests{__FILE__, without_application<WholeFolderTest>};
#include "whole_folder_test.moc"
