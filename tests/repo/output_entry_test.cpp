// SPDX-License-Identifier: GPL-3.0-or-later
// Files are written by engine/formats/output_file.h, which follows no links, waits for no pipe and lets a file appear
// whole. Nothing else of the program opens a file to write it.
#include <QRegularExpression>
#include <QTest>

#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using carryover::test::code;
using carryover::test::Source;

namespace {

/// Another way to write a file, and the sources that may go it.
struct Way {
  const char* pattern;
  QStringList but_in;
};

const std::vector<Way>& other_ways() {
  static const std::vector<Way> all{
      {"\\bQSaveFile\\b|\\bQFile\\s*::\\s*copy\\b|\\bfs\\s*::\\s*copy|\\bcopy_file\\s*\\(|\\bfopen\\s*\\(", {}},
      {"\\bofstream\\b", {"app/cli/bench/bench_session.cpp"}},  // of the kernel's /proc
      {"\\bgrab\\(\\)\\s*\\.\\s*save\\(\\s*[^&]", {"widgets/plot/plot_export.cpp"}},
      {"QIODevice\\s*::\\s*Append\\b", {"app/saved_window/session_keeper.cpp"}},
      {"\\bO_(WRONLY|RDWR)\\b",
       {"engine/formats/output_file.cpp", "engine/formats/folder_lock.cpp", "app/saved_window/session_folder.cpp",
        "app/cli/standard_streams.cpp"}},
  };
  return all;
}

QString without_comments(QString text) {
  static const QRegularExpression comment(QStringLiteral("//[^\n]*"));
  return text.remove(comment);
}

}  // namespace

class OutputEntryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void files_are_written_in_one_way() {
    QStringList found;
    for (const Source& source : code({"app", "engine", "kernels", "widgets"})) {
      const QString text = without_comments(source.text);
      for (const Way& way : other_ways())
        if (text.contains(QRegularExpression(QLatin1String(way.pattern))) && !way.but_in.contains(source.path))
          found += source.path + QStringLiteral(": ") + QLatin1String(way.pattern);
    }
    QVERIFY2(found.isEmpty(), qPrintable("Call write_file_atomically or OutputFile: " + found.join(u'\n')));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<OutputEntryTest>};
#include "output_entry_test.moc"
