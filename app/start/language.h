// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QString>
#include <QTranslator>
#include <utility>
#include <vector>

class QCoreApplication;

namespace carryover {

/// A language of the window: "system" follows the user's locale.
struct Language {
  QString id;    ///< "system", "en", "de"
  QString name;  ///< in itself
};
std::vector<Language> languages();

/// The finished translations of .ts files, read as they are: no compiler of catalogues is needed to build the program.
class Catalogue : public QTranslator {
  Q_OBJECT
 public:
  using QTranslator::QTranslator;
  bool add(const QString& path);  ///< false where the file is not there, or is none
  qsizetype size() const { return texts_.size(); }
  bool isEmpty() const override { return texts_.isEmpty(); }
  QString translate(const char* context, const char* source, const char* disambiguation, int n) const override;

 private:
  QHash<std::pair<QString, QString>, QString> texts_;  ///< by context, its namespace left out, and source
  QHash<QString, QString> any_;  ///< by source alone: lupdate can't see the context of a file's own tr()
};

/// Installs the language's words, with Qt's own where they are on this machine, and its numbers, for everything made
/// afterwards. What is not translated is English.
void install_language(QCoreApplication& application, const QString& id);

}  // namespace carryover
