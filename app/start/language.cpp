// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/language.h"

#include <QCoreApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QXmlStreamReader>

#include "widgets/look/icons.h"

namespace carryover {
namespace {

QString file_of(const char* name, const QString& language) {
  load_resources();
  return QStringLiteral(":/translations/%1_%2.ts").arg(QLatin1String(name), language);
}

/// The system's numbers where it speaks the language, with its country's ways.
QLocale numbers_of(const QString& language) {
  const QLocale system = QLocale::system(), wanted(language);
  return system.language() == wanted.language() ? system : wanted;
}

}  // namespace

bool Catalogue::add(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return false;
  QXmlStreamReader xml(&file);
  QString context, source;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == u"name") {
      context = xml.readElementText();
    } else if (xml.name() == u"source") {
      source = xml.readElementText();
    } else if (xml.name() == u"translation" && !xml.attributes().hasAttribute(QStringLiteral("type"))) {
      const QString text = xml.readElementText();
      if (text.isEmpty()) continue;
      texts_.insert({context, source}, text);
      if (!any_.contains(source)) any_.insert(source, text);
    }
  }
  return !xml.hasError();
}

QString Catalogue::translate(const char* context, const char* source, const char* /*disambiguation*/, int /*n*/) const {
  const QString words = QString::fromUtf8(source);
  const QString own = QString::fromUtf8(context).section(QStringLiteral("::"), -1);
  const auto found = texts_.constFind({own, words});
  return found != texts_.cend() ? *found : any_.value(words);
}

std::vector<Language> languages() {
  return {{QStringLiteral("system"), QCoreApplication::translate("Language", "As the system")},
          {QStringLiteral("en"), QStringLiteral("English")},
          {QStringLiteral("de"), QStringLiteral("Deutsch")}};
}

void install_language(QCoreApplication& application, const QString& id) {
  const bool system = id == QStringLiteral("system");
  const QString language = (system ? QLocale::system().name() : id).section(u'_', 0, 0);
  if (!system) QLocale::setDefault(numbers_of(language));
  auto* catalogue = new Catalogue(&application);
  catalogue->add(file_of("qt", language));
  if (!catalogue->add(file_of("carryover", language))) {
    delete catalogue;
    return;
  }
  auto* qt = new QTranslator(&application);
  if (qt->load(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(qt);
  QCoreApplication::installTranslator(catalogue);
}

}  // namespace carryover
