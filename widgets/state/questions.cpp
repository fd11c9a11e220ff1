// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/questions.h"

#include "engine/core/base/error.h"

namespace carryover {

QString question_prompt(const QString& typed) {
  const QString text = typed.trimmed();
  if (!text.endsWith(QLatin1Char('?'))) return QStringLiteral("\n\n") + text;
  return QStringLiteral("\n\nQuestion: %1\nAnswer:").arg(text);
}

void Questions::begin(const Question& question) {
  all_.push_back(question);
  running_ = true;
  Q_EMIT changed();
  Q_EMIT hits_changed();
}

void Questions::add_text(bool without_retrieval, const QString& piece) {
  CARRYOVER_CHECK(!all_.empty());
  (without_retrieval ? all_.back().without_retrieval : all_.back().answer) += piece;
  Q_EMIT changed();
}

void Questions::set_hits(std::vector<HeadHits> hits) {
  CARRYOVER_CHECK(!all_.empty());
  all_.back().hits = std::move(hits);
  Q_EMIT hits_changed();
}

void Questions::end() {
  running_ = false;
  Q_EMIT changed();
}

void Questions::set_unavailable(const QString& why) {
  if (unavailable_ == why) return;
  unavailable_ = why;
  Q_EMIT changed();
}

}  // namespace carryover
