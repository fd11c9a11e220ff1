// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/picture_file.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPixmap>
#include <QWidget>

#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {

void write_picture(QWidget& widget, const QString& path) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (!widget.grab().save(&buffer, QFileInfo(path).suffix().toLatin1().constData()))
    throw EngineError(Fault::Io, path.toStdString(), "can't be written in the format of its suffix",
                      "Name a .png in a folder that you may write to.");
  write_file_atomically(path.toStdString(), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace carryover
