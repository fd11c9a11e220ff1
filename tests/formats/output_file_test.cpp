// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are written at once, and what kills leave of them.
#include "engine/formats/output_file.h"

#include <sys/stat.h>

#include <QTest>
#include <chrono>
#include <filesystem>
#include <set>

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

  /// Whoever foresees a temporary name lays a link there. So a name is made up for each file, and the kernel refuses
  /// one that is taken.
  void nothing_is_written_through_a_link() {
    const TempDir temp;
    const std::string path = temp.file("a.jsonl"), victim = temp.file("victim");
    write_bytes(victim, "precious");
    std::set<std::string> names;
    for (int i = 0; i < 3; ++i)
      write_atomically(path, [&](OutputFile& file) {
        names.insert(file.path());
        QVERIFY(file.path().starts_with(path + kAtomicSuffix));
        file.append("new");
      });
    QCOMPARE(names.size(), std::size_t{3});
    fs::create_symlink(victim, temp.file("link"));
    QCOMPARE(unlike(Fault::Io, "link", [&] { OutputFile(temp.file("link"), OutputFile::Existing::Refuse); }), "");
    QCOMPARE(unlike(Fault::Io, "victim", [&] { OutputFile(victim, OutputFile::Existing::Refuse); }), "");
    QCOMPARE(unlike(Fault::Io, "symbolic link",
                    [&] { OutputFile(temp.file("link"), OutputFile::Existing::Continue).append("x"); }),
             "");
    OutputFile(temp.file("link")).append("mine");
    QVERIFY(!fs::is_symlink(temp.file("link")));
    QCOMPARE(read_bytes(temp.file("link")), std::string("mine"));
    fs::create_symlink(victim, temp.file("second"));
    write_file_atomically(temp.file("second"), "mine");
    QVERIFY(!fs::is_symlink(temp.file("second")));
    fs::create_symlink(temp.file("nowhere"), temp.file("third"));
    QCOMPARE(unlike(Fault::Io, "third", [&] { OutputFile(temp.file("third"), OutputFile::Existing::Continue); }), "");
    QVERIFY(!fs::exists(temp.file("nowhere")));
    QCOMPARE(read_bytes(victim), std::string("precious"));
  }

  void a_pipe_is_no_file_to_write() {
    const TempDir temp;
    const std::string path = temp.file("pipe");
    QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
    for (const auto existing : {OutputFile::Existing::Replace, OutputFile::Existing::Continue})
      QCOMPARE(unlike(Fault::Io, "pipe", [&] { OutputFile(path, existing); }), "");
    OutputFile("/dev/null").append("a device is written to");
  }

  /// To whom the folder of a device belongs, root first of all, a rename would take the device away.
  void only_files_and_links_lose_their_names() {
    const TempDir temp;
    const std::string pipe = temp.file("pipe");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QCOMPARE(unlike(Fault::Io, "is not a regular file", [&] { write_file_atomically(pipe, "x"); }), "");
    QCOMPARE(fs::status(pipe).type(), fs::file_type::fifo);
    fs::create_symlink(pipe, temp.file("link"));
    QCOMPARE(unlike(Fault::Io, "is not a regular file", [&] { write_file_atomically(temp.file("link"), "x"); }), "");
    QCOMPARE(unlike(Fault::Io, "is a folder", [&] { write_file_atomically(temp.path().string(), "x"); }), "");
    std::string opened;
    const auto refuse = [&](OutputFile& file) {
      opened = file.path();
      throw EngineError(Fault::Cancelled, "here", "enough", "");
    };
    for (const std::string device : {"/dev/null", "/dev/zero"}) {
      QCOMPARE(unlike(Fault::Cancelled, "enough", [&] { write_atomically(device, refuse); }), "");
      QCOMPARE(opened, device);
    }
  }

  void a_copy_has_the_contents_and_the_time() {
    const TempDir temp;
    const std::string from = temp.file("from"), to = temp.file("to"), victim = temp.file("victim");
    write_bytes(from, std::string(3'000'000, 'x'));
    fs::last_write_time(from, fs::last_write_time(from) - std::chrono::hours(50));
    write_bytes(victim, "precious");
    fs::create_symlink(victim, to);
    copy_file_atomically(from, to);
    QVERIFY(!fs::is_symlink(to) && read_bytes(to) == read_bytes(from));
    QCOMPARE(fs::last_write_time(to), fs::last_write_time(from));
    QCOMPARE(read_bytes(victim), std::string("precious"));
    QCOMPARE(unlike(Fault::Io, "absent", [&] { copy_file_atomically(temp.file("absent"), to); }), "");
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
    const std::string notes = path + kAtomicSuffix + "notes";  // a person's
    write_bytes(notes, "mine");
    remove_unfinished(path);
    QVERIFY(fs::exists(notes));
    fs::remove(notes);
    remove_unfinished(temp.file("nowhere/a.jsonl"));  // nothing to remove
    write_bytes(path + kAtomicSuffix + "4712", "half");
    replace_own_file(path, "new");
    QCOMPARE(read_bytes(path), std::string("new"));
    QCOMPARE(std::distance(fs::directory_iterator(temp.path()), {}), std::ptrdiff_t{2});
  }
};

static const TestFile these_tests{__FILE__, without_application<OutputFileTest>};
#include "output_file_test.moc"
