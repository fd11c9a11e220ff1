// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/markup.h"

#include <QLabel>
#include <QTextDocumentFragment>

namespace carryover {

void set_markup(QLabel& label, const QString& markup) {
  label.setTextFormat(Qt::RichText);
  label.setText(markup);
}

QString plain_text(const QLabel& label) {
  const QString text = label.text();
  return label.textFormat() == Qt::RichText ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
}

}  // namespace carryover
