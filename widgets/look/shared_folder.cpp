// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/shared_folder.h"

#include <QCoreApplication>
#include <QDir>

namespace carryover {

QString shared_folder(const QString& name) {
  return QDir(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/carryover/") + name).canonicalPath();
}

}  // namespace carryover
