// SPDX-License-Identifier: GPL-3.0-or-later
// A policy is a folder: nothing else of the program knows it by its name, so that a new one changes nothing else but
// the lists of policies (docs/architecture.md, How to add).
#include <QDirIterator>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include "engine/cost/policy_table.h"
#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// The method itself and what it is compared with: their names may stand anywhere.
const QSet<QString> common{"segmented", "full"};
/// The files in which a string with a policy's name means another thing.
const QSet<QString> others{"app/cli/heads/heads.cpp",  // methods that find heads, by the papers that they are from
                           "engine/config/head_patterns.h"};  // whose files have these patterns

/// Returns the names of policies that stand as strings in a file.
QSet<QString> names_in(const QString& text) {
  static const QRegularExpression string("\"(\\w+)\"");
  QSet<QString> found;
  for (auto all = string.globalMatch(text); all.hasNext();)
    if (const QString name = all.next().captured(1); find_policy(name.toStdString()) != nullptr) found += name;
  return found - common;
}

/// Returns the files in which each policy's name stands, by name, without `others`.
QMap<QString, QStringList> places() {
  QMap<QString, QStringList> found;
  for (const char* folder : {"app", "engine", "kernels", "widgets"}) {
    QDirIterator files(root.filePath(folder), {"*.h", "*.cpp", "*.cu"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = root.relativeFilePath(files.next());
      if (!others.contains(path))
        for (const QString& name : names_in(read(path))) found[name] += path;
    }
  }
  for (QStringList& paths : found) paths.sort();
  return found;
}

}  // namespace

class PolicyNamesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_name_stands_in_its_own_folder() {
    const auto found = places();
    for (const PolicyRow& row : policies()) {
      const QString name = QString::fromUtf8(row.name);
      if (common.contains(name)) continue;
      const QStringList paths = found.value(name);
      QSet<QString> folders;
      for (const QString& path : paths) folders += path.section('/', 0, -2);
      QVERIFY2(folders.size() == 1 && (*folders.begin()).startsWith("engine/policies/"),
               qPrintable(name + ": " + paths.join(", ")));
    }
    QVERIFY(found.size() >= 8);
  }

  void strings_are_found() {
    const QSet<QString> found = names_in("policy == \"infllm\" || is(\"full\") || say(\"of duo\") // nsa");
    QCOMPARE(found, QSet<QString>{"infllm"});
  }
};

static const TestFile these_tests{__FILE__, without_application<PolicyNamesTest>};
#include "policy_names_test.moc"
