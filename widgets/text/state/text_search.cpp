// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/state/text_search.h"

#include <algorithm>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {
namespace {

constexpr std::int64_t slice_tokens = 8192;  // about 2 ms

char lower_byte(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

TextSearch::TextSearch(RunModel& run, QObject* parent) : QObject(parent), run_(run) {
  connect(&timer_, &QTimer::timeout, this, &TextSearch::work);
  connect(&run, &RunModel::reset, this, &TextSearch::cancel);
}

void TextSearch::cancel() {
  timer_.stop();
}

void TextSearch::find(const QString& text, std::int64_t start, bool forward) {
  cancel();
  const std::int64_t count = run_.token_count();
  needle_ = text.toStdString();
  std::transform(needle_.begin(), needle_.end(), needle_.begin(), lower_byte);
  if (needle_.empty() || count == 0 || !run_.tokenizer()) {
    Q_EMIT not_found();
    return;
  }
  forward_ = forward;
  start = std::clamp<std::int64_t>(start, -1, count - 1);
  if (forward) {
    next_ = (start + 1) % count;
  } else {
    next_ = start > 0 ? start : count;
  }
  remaining_ = count;
  timer_.start(0);
}

void TextSearch::work() {
  const std::int64_t count = run_.token_count();
  const std::int64_t room = forward_ ? count - next_ : next_;
  const std::int64_t length = std::min({slice_tokens, remaining_, room});
  const std::int64_t begin = forward_ ? next_ : next_ - length;
  const std::int64_t match = match_in(begin, begin + length);
  if (match >= 0) {
    cancel();
    Q_EMIT found(match);
    return;
  }
  remaining_ -= length;
  if (remaining_ == 0) {
    cancel();
    Q_EMIT not_found();
    return;
  }
  next_ = forward_ ? (begin + length) % count : (begin > 0 ? begin : count);
}

/// The first match (the last when searching backwards) that begins in tokens [begin, end); it may end behind.
std::int64_t TextSearch::match_in(std::int64_t begin, std::int64_t end) const {
  const auto& ids = *run_.request().ids;
  std::string text;
  std::vector<std::size_t> ends;  // by token of the slice
  std::size_t slice_bytes = 0;
  for (std::int64_t token = begin; token < run_.token_count(); ++token) {
    if (token >= end && text.size() >= slice_bytes + needle_.size()) break;
    text += run_.tokenizer()->bytes(ids[static_cast<std::size_t>(token)]);
    if (token < end) {
      slice_bytes = text.size();
      ends.push_back(slice_bytes);
    }
  }
  std::transform(text.begin(), text.end(), text.begin(), lower_byte);
  const std::size_t at = forward_           ? text.find(needle_)
                         : slice_bytes == 0 ? std::string::npos
                                            : text.rfind(needle_, slice_bytes - 1);
  if (at == std::string::npos || at >= slice_bytes) return -1;
  return begin + (std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
}

}  // namespace carryover
