// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/input_lines.h"

#include <QTest>
#include <filesystem>
#include <random>
#include <vector>

#include "engine/base/error.h"
#include "engine/runs/records/run_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A file that opens and whose first byte can't be read: EIO, as of a failing disk.
constexpr const char* kUnreadable = "/proc/self/mem";

struct Lines {
  std::vector<std::string> lines;
  std::vector<std::int64_t> offsets;
  bool ended = true;
};

Lines read_all(const std::string& path) {
  Lines all;
  InputLines input(path);
  for (std::string line; input.next(line);) {
    all.lines.push_back(line);
    all.offsets.push_back(input.offset());
    if (input.number() != std::ssize(all.lines)) throw std::logic_error("lines are not counted");
  }
  all.ended = input.ended();
  return all;
}

}  // namespace

class InputLinesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lines_and_offsets_are_the_files() {
    std::mt19937 random(1);
    const TempDir temp;
    for (int round = 0; round < 60; ++round) {
      std::vector<std::string> lines(random() % 40);
      for (std::string& line : lines) line.assign(round % 3 == 0 ? random() % 200000 : random() % 30, 'x');
      const bool ended = round % 2 == 0 || lines.empty() || lines.back().empty();
      std::string contents;
      for (const std::string& line : lines) contents += line + "\n";
      if (!ended) contents.pop_back();
      write_bytes(temp.file("lines"), contents);
      const Lines read = read_all(temp.file("lines"));
      QVERIFY(read.lines == lines);
      QCOMPARE(read.ended, ended);
      if (!lines.empty()) QCOMPARE(read.offsets.back(), std::ssize(contents));
    }
  }

  void a_read_error_is_no_end() {
    QCOMPARE(unlike(Fault::Io, "can't be read", [] { read_all(kUnreadable); }), std::string());
    QCOMPARE(unlike(Fault::Io, "can't be read", [] { read_hits(kUnreadable); }), std::string());
  }

  void wide_encodings_are_named() {
    const TempDir temp;
    for (const std::string& bytes :
         {std::string("\xFF\xFE{\0", 4), std::string("\xFE\xFF\0{", 4), std::string("{\0\"\0", 4),
          std::string("\0{\0\"", 4), std::string("{\0\0\0", 4), std::string("\0\0\0{", 4)}) {
      write_bytes(temp.file("lines"), bytes);
      QCOMPARE(unlike(Fault::BadInput, "iconv -f UTF-16", [&] { read_all(temp.file("lines")); }), std::string());
    }
    write_bytes(temp.file("lines"), std::string("{\0}\n", 4));
    QCOMPARE(read_all(temp.file("lines")).lines.size(), std::size_t{1});
  }

  void a_folder_or_nothing_is_refused() {
    const TempDir temp;
    QCOMPARE(unlike(Fault::Io, "is a folder", [&] { read_all(temp.path().string()); }), std::string());
    QCOMPARE(unlike(Fault::Io, "can't be read", [&] { read_all(temp.file("none")); }), std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<InputLinesTest>};
#include "input_lines_test.moc"
