// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/story_text.h"

#include <QCoreApplication>
#include <algorithm>

#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/text/state/text_units.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

/// The token in bold behind what leads to it, from its first word on.
QString shown(const RunModel& run, std::int64_t token, int before) {
  const QString lead = whole_text(run, {token - before, token});
  const qsizetype word = std::ranges::find_if(lead, [](QChar c) { return c.isLetterOrNumber(); }) - lead.begin();
  return tr("“…%1<b>%2</b>”")
      .arg(lead.mid(word).simplified().toHtmlEscaped() + u' ', run.token_text(token).trimmed().toHtmlEscaped());
}

QString heads_text(const std::vector<HeadRef>& heads) {
  QStringList names;
  for (const HeadRef& head : heads) names += filled(QStringLiteral("L%1H%2"), head.layer, head.head);
  return names.join(QStringLiteral(", "));
}

}  // namespace

QString copied_sentence(const RunModel& run, const CopiedToken& token, CopySource source) {
  const double probability = token_probability(run.nll_of_token(token.target));
  const QString predicted =
      tr("The model predicts %1 with probability %2.").arg(shown(run, token.target, 5), probability_text(probability));
  const qlonglong back = static_cast<qlonglong>(token.target - token.source);
  if (source == CopySource::Carried)
    return predicted + u' ' +
           filled(
               tr("Segment %1 does not contain this word: it is %L2 tokens back, in the carried tail of the previous "
                  "segment: %3."),
               token.segment, back, shown(run, token.source, 3));
  return predicted + u' ' +
         filled(tr("%1 retrieved it from segment %2, %L3 tokens back: %4."), heads_text(token.heads),
                run.segment_of_token(token.source), back, shown(run, token.source, 3));
}

QString changed_sentence(const RunModel& run, const CopiedToken& token, const WhatIfResult& changed) {
  const auto index = static_cast<std::size_t>(token.target - changed.first_token - 1);
  const float after = changed.after.at(index), before = changed.before.at(index);
  return tr("Without it: probability <b>%1</b>; the loss on “%3” changes by %2 nats.")
      .arg(probability_text(token_probability(after)),
           signed_text(static_cast<double>(after) - static_cast<double>(before), 2),
           run.token_text(token.target).trimmed().toHtmlEscaped());
}

QString sinks_sentence(const RunModel& run, std::pair<double, int> without, std::pair<double, int> with) {
  const int segments = run.segment_count() - 1;
  return filled(
      tr("A segment that reads a carry no longer sees the first tokens of the text, on which most heads put their "
         "attention. Without these tokens, %1 of the %2 segments after the first lose their attention sink, and the "
         "loss is %3. With the first %4 tokens in each prefix, %5 of %2 lose it, and the loss is <b>%6</b> (%7 nats "
         "per token). <i>Sinks</i> shows this by layer; <i>Compare</i> shows both runs, whose losses include the "
         "first segment."),
      without.second, segments, decimal_text(without.first, 3), run.request().config.sink_length, with.second,
      decimal_text(with.first, 3), signed_text(with.first - without.first, 2));
}

QString answer_sentence(const RunModel& run, const Question& question, const std::vector<Passage>& passages) {
  QString text = tr("“%1 <b>%2</b>”: probability %3; without retrieval %4.")
                     .arg(question.text.toHtmlEscaped(), question.scored.toHtmlEscaped(),
                          probability_text(question.probability), probability_text(question.probability_without));
  if (passages.empty()) return text;
  const Passage& best = passages.front();
  return text + u' ' +
         filled(tr("The first passage that it retrieved is in segment %1, %L2 tokens back: “%3”."),
                run.segment_of_token(best.first), static_cast<qlonglong>(run.tokens_done() - best.first),
                passage_text(run, best).trimmed().toHtmlEscaped());
}

QString without_passage_sentence(const Question& question, const Question::WhatIf& without) {
  return tr("Without this passage the probability of “%1” is <b>%2</b>.")
      .arg(question.scored.toHtmlEscaped(), probability_text(without.probability));
}

}  // namespace carryover
