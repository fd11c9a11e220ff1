// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/system_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

class SystemFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void finds_the_first_line_of_exactly_that_key() {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("lines")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("model name\t: A: processor\nmodel\t\t: 7\nmodel: 8\nMemFree:   12 kB\nempty:\nno colon\n");
    file.close();
    const std::string path = file.fileName().toStdString();
    QCOMPARE(system_line(path, "model name"), "A: processor");
    QCOMPARE(system_line(path, "model"), "7");
    QCOMPARE(system_line(path, "MemFree"), "12 kB");
    for (const char* key : {"mode", "empty", "no", "no colon", "MemFree2"}) QCOMPARE(system_line(path, key), "");
    QCOMPARE(system_bytes(path, "MemFree"), std::int64_t{12 * 1024});
    QCOMPARE(system_bytes(path, "MemFree2"), std::int64_t{0});
    QCOMPARE(system_line(path + "?", "model"), "");
  }

  void knows_this_process() {
    const std::int64_t now = process_bytes("VmRSS");
    QVERIFY(now > 0 && now <= process_bytes("VmHWM") && now < process_bytes("VmSize"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SystemFileTest>};
#include "system_file_test.moc"
