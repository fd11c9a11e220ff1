// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/story_needle.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"

namespace carryover {
namespace {

constexpr std::int64_t slack = 3;  ///< tokens between the cue and its segment's end: joints may tokenise otherwise

std::string tr(const char* text) {
  return QCoreApplication::translate("carryover", text).toStdString();
}

/// The first place at or after `at`, before `end`, where the text has one of `ends`; else where a word begins.
std::int64_t place_after(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::int64_t at,
                         std::int64_t end, const std::string& ends) {
  const auto bytes = [&](std::int64_t i) { return tokenizer.bytes(ids[static_cast<std::size_t>(i)]); };
  const auto has_ended = [&](const std::string& text) {
    return !text.empty() && ends.find(text.back()) != std::string::npos;
  };
  for (std::int64_t i = at; i < end; ++i)
    if (i == 0 || has_ended(bytes(i - 1))) return i;
  for (std::int64_t i = at; i < end; ++i)
    if (bytes(i).starts_with(' ')) return i;
  return at;
}

/// The last word's beginning at or before `at`.
std::int64_t word_before(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::int64_t at) {
  for (std::int64_t i = at; i > 0; --i) {
    const std::string bytes = tokenizer.bytes(ids[static_cast<std::size_t>(i)]);
    if (bytes.starts_with(' ') || bytes.starts_with('\n')) return i;
  }
  return at;
}

std::string first_half(const QString& sentence) {
  const QStringList words = sentence.split(u' ', Qt::SkipEmptyParts);
  return words.mid(0, std::max<qsizetype>(1, (words.size() + 1) / 2)).join(u' ').toStdString();
}

std::int64_t token_count(const Tokenizer& tokenizer, const std::string& text) {
  return static_cast<std::int64_t>(tokenizer.encode(text).size());
}

std::string piece_of(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::int64_t from,
                     std::int64_t to) {
  return tokenizer.decode(ids.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
}

[[noreturn]] void refuse_empty_sentence() {
  throw EngineError(Fault::BadInput, tr("sentence"), tr("there is no sentence"),
                    tr("Enter a sentence of a few words or more."));
}

}  // namespace

std::string put_sentence(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, const QString& sentence,
                         double depth) {
  const std::string words = sentence.simplified().toStdString();
  if (words.empty()) refuse_empty_sentence();
  const auto total = static_cast<std::int64_t>(ids.size());
  const std::int64_t wanted = std::llround(std::clamp(depth, 0.0, 1.0) * static_cast<double>(total));
  const std::int64_t at = place_after(tokenizer, ids, wanted, total, ".!?");  // lines of a novel end anywhere
  return piece_of(tokenizer, ids, 0, at) + ' ' + words + ' ' + piece_of(tokenizer, ids, at, total);
}

HiddenSentence hide_sentence(const Tokenizer& tokenizer, std::span<const std::int32_t> ids, std::int64_t segment_length,
                             const QString& sentence, double depth) {
  const std::string words = sentence.simplified().toStdString();
  const auto total = static_cast<std::int64_t>(ids.size());
  const std::int64_t last_segment = (total - 1) / segment_length;
  if (words.empty()) refuse_empty_sentence();
  HiddenSentence hidden;
  hidden.cue = first_half(sentence.simplified());
  const std::int64_t needle = token_count(tokenizer, ' ' + words), cue = token_count(tokenizer, ' ' + hidden.cue);
  const std::int64_t cue_at = last_segment * segment_length - slack - cue - needle;  // counted in the text as it was
  const std::int64_t last_place = cue_at - segment_length;
  if (last_segment < 2 || last_place <= 0)
    throw EngineError(Fault::BadInput, tr("sentence"), tr("the text that is run is too short for the sentence"),
                      tr("Run three segments or more, or use fewer words."));
  const std::int64_t wanted = std::llround(std::clamp(depth, 0.0, 1.0) * static_cast<double>(last_place));
  const std::int64_t at =
      place_after(tokenizer, ids, wanted, std::min(wanted + segment_length, last_place + 1), ".!?\n");
  const std::int64_t ask = std::max(at, word_before(tokenizer, ids, cue_at));
  const auto piece = [&](std::int64_t from, std::int64_t to) { return piece_of(tokenizer, ids, from, to); };
  hidden.text = piece(0, at) + ' ';
  hidden.begin = static_cast<std::int64_t>(hidden.text.size());
  hidden.text += words;
  hidden.end = static_cast<std::int64_t>(hidden.text.size());
  hidden.text += ' ' + piece(at, ask) + ' ' + hidden.cue + ' ' + piece(ask, total);
  return hidden;
}

TokenSpan tokens_of_bytes(const RunModel& run, std::int64_t begin, std::int64_t end) {
  const auto& ids = *run.request().ids;
  TokenSpan span{-1, 0};
  std::int64_t byte = 0;
  const bool bos =
      run.request().config.bos && run.tokenizer()->bos() && !ids.empty() && ids.front() == *run.tokenizer()->bos();
  for (std::size_t i = bos ? 1 : 0; i < ids.size() && byte < end; ++i) {
    byte += static_cast<std::int64_t>(run.tokenizer()->bytes(ids[i]).size());
    if (byte <= begin) continue;
    if (span.begin < 0) span.begin = static_cast<std::int64_t>(i);
    span.end = static_cast<std::int64_t>(i) + 1;
  }
  return span.begin < 0 ? TokenSpan{} : span;
}

std::vector<SpanHit> heads_that_fetched(const RunModel& run, const TokenSpan& span) {
  std::vector<SpanHit> found;
  for (int segment = run.segment_of_token(span.begin) + 1; segment < run.segment_count(); ++segment) {
    for (const HitIndex::Column& head : run.hit_index().columns()) {
      SpanHit hit{segment, head.layer, head.head, 0, -1};
      bool anchored = false;
      for (const BriefHit slot : head.of(segment)) {
        if (!slot.is_evidence() || slot.position() < span.begin || slot.position() >= span.end) continue;
        ++hit.fetched;
        const bool anchor = slot.kind() == HitKind::Anchor;
        if (hit.position < 0 || (anchor && !anchored)) hit.position = slot.position();
        anchored = anchored || anchor;
      }
      if (hit.fetched > 0) found.push_back(hit);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const SpanHit& a, const SpanHit& b) { return a.fetched > b.fetched; });
  return found;
}

}  // namespace carryover
