// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QLabel;

namespace carryover {

/// Shows rich text. Whoever composes it has put each part that comes from outside (a token, a name, a path) through
/// QString::toHtmlEscaped(). All other labels and all tooltips show plain text (see LabStyle::polish()).
void set_markup(QLabel& label, const QString& markup);

/// Returns the label's text without markup.
QString plain_text(const QLabel& label);

}  // namespace carryover
