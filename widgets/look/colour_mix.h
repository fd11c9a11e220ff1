// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>

namespace carryover {

/// Black or white, whichever reads better on `background`.
QColor ink_on(const QColor& background);

/// `over` laid on `under` with the given opacity.
QColor blend(const QColor& under, const QColor& over, double opacity);

}  // namespace carryover
