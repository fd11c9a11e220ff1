// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDir>
#include <QFile>
#include <QString>

namespace carryover::test {

inline const QDir root(QStringLiteral(CARRYOVER_SOURCE_DIR));

/// A file of the repository by its path from the root; empty where there is none.
inline QString read(const QString& path) {
  QFile file(root.filePath(path));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

}  // namespace carryover::test
