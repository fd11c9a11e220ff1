// SPDX-License-Identifier: GPL-3.0-or-later
// What the repository promises about itself: which layer may include what, a licence line in each source, sizes that a
// reader can hold, and nothing that only one machine has.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

struct Source {
  QString path;  // from the repository's root
  QString text;
};

const QDir root(QStringLiteral(CARRYOVER_SOURCE_DIR));

QList<Source> read_files(const QStringList& folders, const QStringList& patterns) {
  QList<Source> found;
  for (const QString& folder : folders) {
    QDirIterator files(root.filePath(folder), patterns, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) qFatal("can't read %s", qPrintable(file.fileName()));
      found.append({root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll())});
    }
  }
  return found;
}

const QStringList code_folders{"app", "engine", "examples", "fuzz", "kernels", "tests", "widgets"};
const QStringList code_patterns{"*.h", "*.cpp", "*.cu", "*.cuh"};

QList<Source> code(const QStringList& folders = code_folders) { return read_files(folders, code_patterns); }

/// Sources that people wrote in any language, at the root too.
QList<Source> all_sources() {
  QList<Source> sources = code() + read_files(code_folders + QStringList{"cmake", "scripts", ".ci"},
                                              {"*.sh", "*.py", "*.cmake", "CMakeLists.txt", "run"});
  for (const char* name : {"lab", "CMakeLists.txt"}) {
    QFile file(root.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) qFatal("can't read %s", name);
    sources.append({name, QString::fromUtf8(file.readAll())});
  }
  return sources;
}

QStringList includes_of(const Source& source) {
  static const QRegularExpression include("^\\s*#\\s*include\\s*[<\"]([^\">]+)[\">]",
                                          QRegularExpression::MultilineOption);
  QStringList found;
  for (auto match = include.globalMatch(source.text); match.hasNext();) found.append(match.next().captured(1));
  return found;
}

const char* const torch = "^(torch|ATen|c10|caffe2)/";
const char* const qt = "^(Q[A-Z][A-Za-z]*(/|$)|Qt|qcustomplot)";

}  // namespace

class LayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void includes_follow_the_layers_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("forbidden");
    const auto row = [](const char* folder, const char* what, const QString& pattern) {
      QTest::addRow("%s has no %s", folder, what) << folder << pattern;
    };
    row("kernels", "torch", torch);
    row("kernels", "Qt", qt);
    row("kernels", "upper layer", "^(engine|widgets|app)/");
    row("engine", "Qt", qt);
    row("engine", "upper layer", "^(widgets|app)/");
    row("engine/core", "torch", torch);
    row("engine/core", "other part of the engine", "^engine/(?!core/|session\\.h)");
    row("engine/io", "torch", torch);
    row("engine/io", "computing part of the engine", "^(kernels/|engine/(?!core/|io/|session\\.h))");
    row("engine/remote", "torch", torch);
    row("engine/remote", "computing part of the engine", "^(kernels/|engine/(model|method|policies|ops|eval|train)/)");
    row("widgets", "torch", torch);
    row("widgets", "app", "^app/");
    row("widgets", "computing part of the engine", "^(kernels/|engine/(model|method|policies|ops|eval|train)/)");
    row("app", "torch", torch);
    row("fuzz", "torch", torch);
    row("app/commands", "Qt", qt);
    row("app/commands", "widgets", "^widgets/");
  }
  void includes_follow_the_layers() {
    QFETCH(QString, folder);
    QFETCH(QString, forbidden);
    const QRegularExpression pattern(forbidden);
    QStringList wrong;
    const QList<Source> sources = code({folder});
    QVERIFY2(!sources.isEmpty(), "the folder has no sources: has it moved?");
    for (const Source& source : sources)
      for (const QString& include : includes_of(source))
        if (pattern.match(include).hasMatch()) wrong.append(source.path + " includes " + include);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void forbidden_patterns_catch_what_they_should() {
    for (const char* header : {"torch/torch.h", "ATen/core/Tensor.h", "c10/core/Device.h"})
      QVERIFY2(QRegularExpression(torch).match(header).hasMatch(), header);
    for (const char* header : {"QObject", "QtCore/QObject", "QTest", "qcustomplot.h", "QCustomPlot/x.h"})
      QVERIFY2(QRegularExpression(qt).match(header).hasMatch(), header);
    for (const char* header : {"queue", "engine/core/error.h", "kernels/launch.h"})
      QVERIFY2(!QRegularExpression(qt).match(header).hasMatch(), header);
  }

  /// QCustomPlot uses `slots` and `emit` as keywords and takes long to compile: only the plots themselves see it.
  void qcustomplot_stays_behind_the_plots() {
    QStringList wrong;
    for (const Source& source : code({"app", "widgets"}))
      if (includes_of(source).contains("qcustomplot.h") && !source.path.startsWith("widgets/plot_"))
        wrong.append(source.path);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void each_source_names_its_licence_first() {
    QStringList wrong;
    const QList<Source> sources = all_sources();
    QVERIFY(sources.size() > 50);
    for (const Source& source : sources) {
      const QStringList head = source.text.split('\n').mid(0, 3);
      bool named = false;
      for (const QString& line : head) {
        const QString licence = QStringLiteral("SPDX-License-") + "Identifier: GPL-3.0-or-later";
        named |= line == "// " + licence || line == "# " + licence;
        if (!line.startsWith('#')) break;  // a script's first line is its interpreter
      }
      if (!named) wrong.append(source.path);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void files_fit_a_mind() {
    constexpr int most_lines = 400;
    constexpr int most_columns = 120;
    QStringList wrong;
    for (const Source& source : code()) {
      const QStringList lines = source.text.split('\n');
      if (lines.size() > most_lines + 1) wrong.append(QString("%1: %2 lines").arg(source.path).arg(lines.size() - 1));
      for (int i = 0; i < lines.size(); ++i)
        if (lines[i].size() > most_columns)
          wrong.append(QString("%1:%2: %3 columns").arg(source.path).arg(i + 1).arg(lines[i].size()));
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// Absolute paths of somebody's home and the package registries' hosts: each user has their own.
  void nothing_names_one_machine() {
    const QRegularExpression pattern(
        "(^|[\\s\"'=(:])(/root/|/home/[a-z]|/work/)|\\.\\./shared\\b|\\bpypi\\.org|pythonhosted|"
        "\\b(deb|security)\\.debian\\.org");
    QList<Source> sources = all_sources() + read_files({"docs"}, {"*.md"});
    for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakePresets.json"}) {
      QFile file(root.filePath(name));
      if (file.open(QIODevice::ReadOnly)) sources.append({name, QString::fromUtf8(file.readAll())});
    }
    QStringList wrong;
    for (const Source& source : sources) {
      if (source.path == "tests/repo/layers_test.cpp") continue;  // holds the pattern itself
      for (const QString& line : source.text.split('\n'))
        if (pattern.match(line).hasMatch()) wrong.append(source.path + ": " + line.trimmed());
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }
};

QTEST_APPLESS_MAIN(LayersTest)
#include "layers_test.moc"
