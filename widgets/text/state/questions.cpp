// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/questions.h"

#include <algorithm>
#include <utility>

#include "engine/base/error.h"

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
  all_.back().id = next_id_++;
  running_ = true;
  doing_.clear();
  Q_EMIT changed();
  Q_EMIT hits_changed();
  Q_EMIT list_changed();
}

void Questions::add_text(bool without_retrieval, const QString& piece) {
  CARRYOVER_CHECK(!all_.empty());
  (without_retrieval ? all_.back().without_retrieval : all_.back().answer) += piece;
  Q_EMIT changed();
}

void Questions::set_hits(std::vector<HeadHits> hits, std::vector<AskedPassage> passages) {
  CARRYOVER_CHECK(!all_.empty());
  all_.back().hits = std::move(hits);
  all_.back().passages = std::move(passages);
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
  const bool answered = std::exchange(running_, false);
  Q_EMIT changed();
  if (answered) Q_EMIT list_changed();
}

void Questions::clear() {
  restore({});
}

void Questions::restore(std::vector<Question> questions) {
  CARRYOVER_CHECK(!running_);
  all_ = std::move(questions);
  for (Question& question : all_) question.id = next_id_++;
  Q_EMIT changed();
  Q_EMIT hits_changed();
  Q_EMIT list_changed();
}

int Questions::index_of(int id) const {
  const auto found = std::ranges::find(all_, id, &Question::id);
  return found == all_.end() ? -1 : static_cast<int>(found - all_.begin());
}

void Questions::describe(int index, const QString& name, const QStringList& tags) {
  Question& question = all_.at(static_cast<std::size_t>(index));
  const QString own = name == question.text.simplified() ? QString() : name;
  if (question.name == own && question.tags == tags) return;
  question.name = own;
  question.tags = tags;
  Q_EMIT list_changed();
}

Question Questions::take(int index) {
  CARRYOVER_CHECK(index >= 0 && index < static_cast<int>(all_.size()) - (running_ ? 1 : 0));
  Question taken = std::move(all_[static_cast<std::size_t>(index)]);
  all_.erase(all_.begin() + index);
  Q_EMIT changed();
  Q_EMIT hits_changed();
  Q_EMIT list_changed();
  return taken;
}

void Questions::put_back(const Question& question) {
  const auto place = std::ranges::lower_bound(all_, question.id, {}, &Question::id);
  CARRYOVER_CHECK(!running_ || place != all_.end());  // the last one is being answered
  all_.insert(place, question);
  Q_EMIT changed();
  Q_EMIT hits_changed();
  Q_EMIT list_changed();
}

void Questions::set_unavailable(const QString& why) {
  if (unavailable_ == why) return;
  unavailable_ = why;
  Q_EMIT changed();
}

}  // namespace carryover
