// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/foil_token.h"

#include <QStringList>
#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/tokenizers/tokenizer.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {
namespace {

constexpr std::size_t most_named = 6;  ///< tokens, in a message

QString named(const RunModel& run, const std::vector<std::int32_t>& ids) {
  QStringList names;
  for (std::size_t i = 0; i < std::min(most_named, ids.size()); ++i) names += quoted_token(id_text(run, ids[i]));
  if (ids.size() > most_named) names += QStringLiteral("…");
  return names.join(QStringLiteral(", "));
}

}  // namespace

FoilToken::FoilToken(const RunModel& run, QObject* parent) : QObject(parent), run_(run) {
  connect(&run, &RunModel::reset, this, [this] {
    resolve();
    Q_EMIT changed();
  });
}

void FoilToken::set_text(const QString& text) {
  if (text == text_) return;
  text_ = text;
  resolve();
  Q_EMIT changed();
}

void FoilToken::resolve() {
  id_.reset();
  problem_.clear();
  if (text_.isEmpty() || run_.is_empty()) return;
  if (!run_.tokenizer()) {
    problem_ = tr("The run has no tokenizer: open its model");
    return;
  }
  try {
    const auto encode = [this](const QString& text) { return run_.tokenizer()->encode(text.toStdString()); };
    const std::vector<std::int32_t> ids = encode(text_);
    if (ids.size() == 1) {
      id_ = ids.front();
    } else {
      const QString with_space = QLatin1Char(' ') + text_;
      problem_ = filled(tr("“%1” becomes %2 tokens: %3. %4"), text_, ids.size(), named(run_, ids),
                        encode(with_space).size() == 1 ? tr("With a space before it, “%1”, it is one").arg(with_space)
                                                       : tr("Enter a text that is a single token"));
    }
  } catch (const EngineError& error) {
    problem_ = qstring(error.problem());
  }
}

QString id_text(const RunModel& run, std::int32_t id) {
  return run.tokenizer() ? qstring(run.tokenizer()->bytes(id)) : QStringLiteral("<%1>").arg(id);
}

QString quoted_token(QString text) {
  for (QChar& letter : text) {
    if (letter == u' ') {
      letter = u'␣';
    } else if (letter == u'\n') {
      letter = u'↵';
    } else if (letter.unicode() < 0x20) {
      letter = QChar(0x2400 + letter.unicode());  // the picture of a control character
    }
  }
  return FoilToken::tr("“%1”").arg(text);
}

}  // namespace carryover
