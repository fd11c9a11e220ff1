// SPDX-License-Identifier: GPL-3.0-or-later
// A FIFO waits for a writer and a device may never end: wherever a file is read, both are refused at once. Without the
// refusal these tests do not end, and ctest stops them.
#include <sys/stat.h>

#include <QTest>
#include <filesystem>

#include "engine/checkpoints/model_source.h"
#include "engine/data/text_source.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/formats/mapped_file.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/records/run_journal.h"
#include "engine/runs/records/run_reader.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/training/records/metrics_follower.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_folders.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class SpecialFilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void refuses_by_every_reader_data() {
    QTest::addColumn<QString>("path");
    QTest::newRow("pipe") << QString::fromStdString(folder_.file("pipe.gguf"));
    QTest::newRow("zero") << QString::fromStdString(folder_.file("zero.gguf"));
    QTest::newRow("full") << QStringLiteral("/dev/full");
    QTest::newRow("tty") << QStringLiteral("/dev/ptmx");
  }
  void refuses_by_every_reader() {
    QFETCH(QString, path);
    const std::string file = path.toStdString();
    const auto refused = [](auto read) { return unlike(Fault::Io, "is not a regular file", read); };
    QCOMPARE(refused([&] { ModelSource::open(file); }), std::string());
    QCOMPARE(refused([&] { Tokenizer::load(file); }), std::string());
    QCOMPARE(refused([&] { read_text(file); }), std::string());
    QCOMPARE(refused([&] { read_ids(file, 100); }), std::string());
    QCOMPARE(refused([&] { read_json_file(file); }), std::string());  // configurations, sessions, what-ifs
    QCOMPARE(refused([&] { MappedFile::open(file); }), std::string());
    QCOMPARE(refused([&] { InputFile{file}; }), std::string());
    QCOMPARE(refused([&] { read_run_journal(file); }), std::string());
    QCOMPARE(refused([&] { read_hits(file); }), std::string());
  }

  void refuses_in_folders_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"summary.json", "ids.npy", "segments.jsonl", "nll.json", "hits.jsonl", "config.json"})
      QTest::newRow(name) << QString(name);
  }
  void refuses_in_folders() {
    QFETCH(QString, name);
    const TempDir folder;
    const std::string run = folder.file("run");
    std::mt19937 random(1);
    write_run(run, whole_run_description(), random, 3);
    reopen_run(run);
    const std::filesystem::path file = std::filesystem::path(run) / name.toStdString();
    if (!std::filesystem::exists(file)) QSKIP("a run folder has no such file");
    std::filesystem::remove(file);
    QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    QCOMPARE(unlike(Fault::Io, "is not a regular file", [&] { reopen_run(run); }), std::string());
  }

  void refuses_in_the_folder_of_a_training() {
    const TempDir folder;
    QCOMPARE(::mkfifo(folder.file("metrics.jsonl").c_str(), 0600), 0);
    QCOMPARE(unlike(Fault::Io, "is not a regular file",
                    [&] {
                      MetricsFollower follower(folder.path().string());
                      follower.poll();
                    }),
             std::string());
  }

  void initTestCase() {
    QCOMPARE(::mkfifo(folder_.file("pipe.gguf").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", folder_.file("zero.gguf"));
  }

 private:
  TempDir folder_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SpecialFilesTest>};
#include "special_files_test.moc"
