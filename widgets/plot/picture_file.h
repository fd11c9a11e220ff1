// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace carryover {

/// Writes what `widget` looks like, in the format that the path's suffix names; the file appears whole. GUI thread.
/// Throws EngineError{Io} naming the path.
void write_picture(QWidget& widget, const QString& path);

}  // namespace carryover
