// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMultiHash>
#include <QString>
#include <QXmlStreamReader>

#include "tests/support/repository.h"

namespace carryover::test {

/// A text of the window as documents quote it: without the & of a key and the … of a dialog.
inline QString quoted(QString text) {
  text = text.remove(u'&').simplified();
  if (text.endsWith(u'…')) text.chop(1);
  return text.trimmed();
}

/// The window's German for each of its English texts, as documents quote both; the same text may have several.
inline const QMultiHash<QString, QString>& german() {
  static const QMultiHash<QString, QString> texts = [] {
    QMultiHash<QString, QString> found;
    QXmlStreamReader xml(read("resources/translations/carryover_de.ts"));
    QString source;
    while (!xml.atEnd()) {
      if (xml.readNext() != QXmlStreamReader::StartElement) continue;
      if (xml.name() == u"source") source = quoted(xml.readElementText());
      if (xml.name() == u"translation" && xml.attributes().isEmpty())
        found.insert(source, quoted(xml.readElementText()));
    }
    return found;
  }();
  return texts;
}

}  // namespace carryover::test
