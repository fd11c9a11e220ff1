// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/script_selection.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "engine/base/error.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("Script", text);
}

[[noreturn]] void refuse(const QString& what, const QString& value) {
  throw EngineError(Fault::Usage, what.toStdString(), tr("there is no “%1” here").arg(value).toStdString(),
                    tr("Count from 0, and select what the run has.").toStdString());
}

std::int64_t number_below(const QString& what, const QString& word, std::int64_t end) {
  bool ok = false;
  const std::int64_t number = word.toLongLong(&ok);
  if (!ok || number < 0 || number >= end) refuse(what, word);
  return number;
}

int segment_by_word(const RunModel& run, const QString& word) {
  const int count = run.segment_count();
  if (count == 0) refuse(QStringLiteral("segment"), word);
  if (word == QStringLiteral("first")) return 0;
  if (word == QStringLiteral("last")) return count - 1;
  if (word != QStringLiteral("most-anchors"))
    return static_cast<int>(number_below(QStringLiteral("segment"), word, count));
  int best = 0;
  for (int segment = 1; segment < count; ++segment)
    if (run.digest(segment).anchors > run.digest(best).anchors) best = segment;
  return best;
}

const Hit& best_hit(const HeadHits& head) {
  return *std::max_element(head.hits.begin(), head.hits.end(), [](const Hit& a, const Hit& b) {
    return std::pair(a.kind == HitKind::Anchor, a.score) < std::pair(b.kind == HitKind::Anchor, b.score);
  });
}

const HeadHits* first_head(const RunModel& run, int segment) {
  if (segment < 0 || segment >= run.segment_count()) return nullptr;
  const auto& hits = run.snapshot(segment).hits;
  const auto found = std::find_if(hits.begin(), hits.end(), [](const HeadHits& head) { return !head.hits.empty(); });
  return found == hits.end() ? nullptr : &*found;
}

void select_part(LabContext& context, Selection& selection, const QString& what, const QString& word) {
  const RunModel& run = context.run();
  if (what == QStringLiteral("segment")) {
    selection.segment = segment_by_word(run, word);
    if (run.segment_of_token(selection.token) != selection.segment) selection.token = -1;
  } else if (what == QStringLiteral("layer")) {
    selection.layer = static_cast<int>(number_below(what, word, run.model().config.layers));
  } else if (what == QStringLiteral("head") && word == QStringLiteral("first")) {
    const HeadHits* head = first_head(run, selection.segment);
    if (!head) refuse(what, word);
    selection.layer = head->layer;
    selection.head = head->head;
  } else if (what == QStringLiteral("head")) {
    selection.head = static_cast<int>(number_below(what, word, run.model().config.heads));
  } else if (what == QStringLiteral("token") && word == QStringLiteral("top-hit")) {
    const HeadHits* head = run.hits(selection.segment, selection.layer, selection.head);
    if (!head || head->hits.empty()) refuse(what, word);
    selection.token = best_hit(*head).position;
  } else if (what == QStringLiteral("token")) {
    selection.token = number_below(what, word, run.token_count());
  } else {
    refuse(QStringLiteral("select"), what);
  }
}

}  // namespace

void select_something(LabContext& context) {
  const RunModel& run = context.run();
  for (int segment = run.segment_count() - 1; segment >= 0; --segment) {
    const HeadHits* head = run.digest(segment).evidence > 0 ? first_head(run, segment) : nullptr;
    if (!head) continue;
    context.select({segment, head->layer, head->head, best_hit(*head).position});  // a source, so that texts show marks
    return;
  }
}

void select_by_words(LabContext& context, const QStringList& words) {
  if (words.isEmpty()) return select_something(context);
  if (words.size() % 2 != 0) refuse(QStringLiteral("select"), words.last());
  Selection selection = context.selected();
  for (int i = 0; i < words.size(); i += 2) select_part(context, selection, words[i], words[i + 1]);
  context.select(selection);
}

}  // namespace carryover
