// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/questions.h"

#include <algorithm>

#include "engine/core/base/error.h"

namespace carryover {

QString question_prompt(const QString& typed) {
  const QString text = typed.trimmed();
  if (!text.endsWith(QLatin1Char('?'))) return QStringLiteral("\n\n") + text;
  return QStringLiteral("\n\nQuestion: %1\nAnswer:").arg(text);
}

const Question::WhatIf* Question::find(const std::vector<TokenRange>& without) const {
  const auto found = std::ranges::find(what_ifs, without, &WhatIf::without);
  return found == what_ifs.end() ? nullptr : &*found;
}

void Questions::begin(const Question& question) {
  all_.push_back(question);
  running_ = true;
  doing_.clear();
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

void Questions::begin_what_if() {
  running_ = true;
  doing_.clear();
  Q_EMIT changed();
}

void Questions::set_probabilities(const QString& scored, double with, double without) {
  CARRYOVER_CHECK(!all_.empty());
  Question& last = all_.back();
  last.scored = scored;
  last.probability = with;
  last.probability_without = without;
  Q_EMIT hits_changed();
}

void Questions::add_what_if(const Question::WhatIf& what_if) {
  CARRYOVER_CHECK(!all_.empty());
  std::erase_if(all_.back().what_ifs, [&](const Question::WhatIf& each) { return each.without == what_if.without; });
  all_.back().what_ifs.push_back(what_if);
  Q_EMIT hits_changed();
}

void Questions::set_progress(double share, const QString& what) {
  progress_ = share;
  doing_ = what;
  Q_EMIT progressed();
}

void Questions::complete() {
  CARRYOVER_CHECK(!all_.empty());
  all_.back().complete = true;
}

void Questions::end() {
  running_ = false;
  Q_EMIT changed();
}

void Questions::clear() {
  CARRYOVER_CHECK(!running_);
  all_.clear();
  Q_EMIT changed();
  Q_EMIT hits_changed();
}

void Questions::set_unavailable(const QString& why) {
  if (unavailable_ == why) return;
  unavailable_ = why;
  Q_EMIT changed();
}

}  // namespace carryover
