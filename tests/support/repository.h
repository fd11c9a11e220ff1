// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QList>
#include <QString>

namespace carryover::test {

inline const QDir root(QStringLiteral(CARRYOVER_SOURCE_DIR));

/// A file of the repository by its path from the root; empty where there is none.
inline QString read(const QString& path) {
  QFile file(root.filePath(path));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Source {
  QString path;  ///< from the root
  QString text;
};

/// The files below `folders` whose names match one of `patterns`.
inline QList<Source> read_files(const QStringList& folders, const QStringList& patterns) {
  QList<Source> found;
  for (const QString& folder : folders) {
    QDirIterator files(root.filePath(folder), patterns, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = root.relativeFilePath(files.next());
      found.append({path, read(path)});
    }
  }
  return found;
}

inline const QStringList code_folders{"app", "engine", "examples", "fuzz", "kernels", "tests", "widgets"};

/// Sources in C++ and CUDA.
inline QList<Source> code(const QStringList& folders = code_folders) {
  return read_files(folders, {"*.h", "*.cpp", "*.cu", "*.cuh"});
}

}  // namespace carryover::test
