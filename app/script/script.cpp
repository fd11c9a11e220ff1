// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/script.h"

#include <QCoreApplication>

#include "engine/base/error.h"
#include "engine/base/json_parser.h"
#include "engine/data/text_source.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

/// Splits one line; empty where there is nothing but a comment.
class LineReader {
 public:
  LineReader(const QString& line, const QString& where) : line_(line), where_(where) {}

  QStringList words() {
    QStringList found;
    for (;;) {
      while (at_ < line_.size() && line_[at_].isSpace()) ++at_;
      if (at_ == line_.size() || line_[at_] == QLatin1Char('#')) return found;
      found += word();
    }
  }

 private:
  QString word() {
    QString text;
    while (at_ < line_.size() && !line_[at_].isSpace()) {
      const QChar letter = line_[at_++];
      if (letter == QLatin1Char('"') || letter == QLatin1Char('\''))
        text += quoted(letter);
      else
        text += letter;
    }
    return text;
  }

  QString quoted(QChar quote) {
    QString text;
    for (; at_ < line_.size() && line_[at_] != quote; ++at_) {
      const bool escapes = quote == QLatin1Char('"') && line_[at_] == QLatin1Char('\\') && at_ + 1 < line_.size() &&
                           (line_[at_ + 1] == quote || line_[at_ + 1] == QLatin1Char('\\'));
      if (escapes) ++at_;
      text += line_[at_];
    }
    if (at_++ == line_.size())
      throw EngineError(Fault::BadInput, where_.toStdString(), tr("a quote has no end").toStdString(),
                        tr("Close it with %1.").arg(quote).toStdString());
    return text;
  }

  const QString& line_;
  const QString& where_;
  qsizetype at_ = 0;
};

}  // namespace

std::vector<Statement> parse_script(const QString& text, const QString& name) {
  std::vector<Statement> statements;
  int number = 0;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    const QString where = filled(QStringLiteral("%1:%2"), name, ++number);
    const QStringList words = LineReader(line, where).words();
    if (!words.isEmpty()) statements.push_back({number, words});
  }
  return statements;
}

QString tr(const char* text) {
  return QCoreApplication::translate("Script", text);
}

void refuse(const QString& where, const QString& problem, const QString& advice) {
  throw EngineError(Fault::Usage, where.toStdString(), problem.toStdString(), advice.toStdString());
}

nlohmann::json json_of_word(const QString& word) {
  return find_json(word.toStdString(), JsonKind::Settings).value_or(word.toStdString());
}

std::vector<Statement> read_script(const QString& path) {
  return parse_script(QString::fromStdString(read_text(path.toStdString())), path);
}

}  // namespace carryover
