// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are written at once, and what kills leave of them.
#include "engine/formats/output_file.h"

#include <QTest>
#include <filesystem>

#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

class OutputFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_fails_leaves_what_was_there() {
    const TempDir temp;
    const std::string path = temp.file("a.jsonl");
    write_file_atomically(path, "old");
    QCOMPARE(unlike(Fault::Cancelled, "enough",
                    [&] {
                      write_atomically(path, [](OutputFile& file) {
                        file.append("new");
                        throw EngineError(Fault::Cancelled, "here", "enough", "");
                      });
                    }),
             std::string());
    QCOMPARE(read_bytes(path), std::string("old"));
    QCOMPARE(std::distance(fs::directory_iterator(temp.path()), {}), std::ptrdiff_t{1});
  }

  void what_kills_left_of_one_path_is_removed() {
    const TempDir temp;
    const std::string path = temp.file("a.jsonl"), beside = temp.file("b.jsonl") + kAtomicSuffix + "12";
    write_bytes(path, "whole");
    for (const char* process : {"1", "4711"}) write_bytes(path + kAtomicSuffix + process, "half");
    write_bytes(beside, "another's");
    remove_unfinished(path);
    QCOMPARE(read_bytes(path), std::string("whole"));
    QVERIFY(fs::exists(beside));
    QCOMPARE(std::distance(fs::directory_iterator(temp.path()), {}), std::ptrdiff_t{2});
    remove_unfinished(temp.file("nowhere/a.jsonl"));  // nothing to remove
    write_bytes(path + kAtomicSuffix + "4712", "half");
    replace_own_file(path, "new");
    QCOMPARE(read_bytes(path), std::string("new"));
    QCOMPARE(std::distance(fs::directory_iterator(temp.path()), {}), std::ptrdiff_t{2});
  }
};

static const TestFile these_tests{__FILE__, without_application<OutputFileTest>};
#include "output_file_test.moc"
