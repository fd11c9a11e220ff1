// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/token_layout.h"

#include <QFontMetricsF>
#include <algorithm>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {
namespace {

constexpr std::size_t cached_blocks = 256;
constexpr std::int64_t newline_search = 128;  ///< tokens behind a block's nominal start that may hold a better one

/// Bytes at the end of `text` that begin a character without finishing it.
std::size_t unfinished_bytes(const std::string& text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;  // inside a character
    const std::size_t needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

/// Control characters draw nothing, or worse: shown as their picture.
QString printable(QString text) {
  for (QChar& letter : text) {
    if (letter == u'\t') letter = u' ';
    if (letter.unicode() < 0x20 && letter != u'\n') letter = QChar(0x2400 + letter.unicode());
  }
  return text;
}

/// Collects pieces into lines of a width.
class LineBreaker {
 public:
  LineBreaker(const QFont& font, double width) : metrics_(font), width_(width), lines_(1) {}

  void add(std::int64_t token, const QString& text) {
    const QStringList parts = text.split(u'\n');
    for (qsizetype i = 0; i < parts.size(); ++i) {
      const bool ends_line = i + 1 < parts.size();
      if (!parts[i].isEmpty() || parts.size() == 1) add_piece(token, parts[i]);
      if (ends_line) {
        place(token, QStringLiteral("↵"), metrics_.horizontalAdvance(u'n'));
        begin_line();
      }
    }
  }

  std::vector<TokenLine> take() {
    if (lines_.size() > 1 && lines_.back().empty()) lines_.pop_back();
    return std::move(lines_);
  }

 private:
  void add_piece(std::int64_t token, QString text) {
    double width = metrics_.horizontalAdvance(text);
    if (x_ > 0 && x_ + width > width_) wrap(text, width);
    while (width > width_ && text.size() > 1) {  // a token wider than the view
      const qsizetype fits = letters_that_fit(text);
      const QString head = text.left(fits);
      place(token, head, metrics_.horizontalAdvance(head));
      begin_line();
      text = text.mid(fits);
      width = metrics_.horizontalAdvance(text);
    }
    place(token, text, width);
  }

  /// Begins a line before a piece; the word that it continues comes along, where that word began on this line behind
  /// another one and fits.
  void wrap(const QString& next, double next_width) {
    TokenLine& line = lines_.back();
    std::size_t word = line.size();
    if (!next.startsWith(u' ')) {
      const auto begins_word = [&line](std::size_t i) {
        return line[i].text.startsWith(u' ') || (i > 0 && line[i - 1].text.endsWith(u' '));
      };
      do --word;
      while (word > 0 && !begins_word(word));
    }
    if (word == 0 || (word < line.size() && x_ - line[word].x + next_width > width_)) word = line.size();
    const TokenLine moved(line.begin() + static_cast<std::ptrdiff_t>(word), line.end());
    line.resize(word);
    begin_line();
    for (const TokenPiece& piece : moved) place(piece.token, piece.text, piece.width);
  }

  qsizetype letters_that_fit(const QString& text) const {
    qsizetype count = std::max<qsizetype>(1, static_cast<qsizetype>(width_ / std::max(1.0, metrics_.maxWidth())));
    while (count < text.size() && metrics_.horizontalAdvance(text.left(count + 1)) <= width_) ++count;
    return count;
  }

  void place(std::int64_t token, const QString& text, double width) {
    lines_.back().push_back({token, text, x_, width});
    x_ += width;
  }

  void begin_line() {
    lines_.emplace_back();
    x_ = 0;
  }

  QFontMetricsF metrics_;
  double width_;
  double x_ = 0;
  std::vector<TokenLine> lines_;
};

}  // namespace

void TokenLayout::reset(const RunModel* run) {
  run_ = run;
  ids_ = run != nullptr && !run->is_empty() ? run->request().ids : nullptr;
  cache_.clear();
  known_lines_.assign(static_cast<std::size_t>(block_count()), 0);
  known_sum_ = known_count_ = 0;
}

void TokenLayout::set_metrics(const QFont& font, double width) {
  if (font == font_ && width == width_) return;
  font_ = font;
  width_ = width;
  reset(run_);
}

std::int64_t TokenLayout::token_count() const {
  // Another run may have begun, and a layout of the window may come before the view is told of it.
  return run_ && ids_ && run_->request().ids == ids_ ? run_->token_count() : 0;
}

int TokenLayout::block_count() const {
  return static_cast<int>((token_count() + block_tokens - 1) / block_tokens);
}

// A block starts a line. So that this shows nowhere, it starts behind a line break of the text where one is near: a
// rule that needs no other block's layout.
std::int64_t TokenLayout::block_start(int block) const {
  const std::int64_t nominal = block * block_tokens;
  if (block == 0 || nominal >= token_count()) return std::min(nominal, token_count());
  const std::int64_t end = std::min(nominal + newline_search, token_count());
  for (std::int64_t token = nominal; token < end; ++token)
    if (run_->token_text(token).endsWith(u'\n')) return token + 1;
  return nominal;
}

int TokenLayout::block_of_token(std::int64_t token) const {
  const int block = static_cast<int>(token / block_tokens);
  return block > 0 && token < block_start(block) ? block - 1 : block;
}

std::vector<TokenLine> TokenLayout::lay_out(int block) const {
  LineBreaker breaker(font_, width_);
  const std::int64_t end = block + 1 < block_count() ? block_start(block + 1) : token_count();
  std::string pending;
  for (std::int64_t token = block_start(block); token < end; ++token) {
    if (!run_->tokenizer()) {
      breaker.add(token, run_->token_text(token) + u' ');
      continue;
    }
    pending += run_->tokenizer()->bytes((*run_->request().ids)[static_cast<std::size_t>(token)]);
    const std::size_t open = token + 1 < end ? unfinished_bytes(pending) : 0;
    breaker.add(token, printable(QString::fromUtf8(pending.data(), static_cast<qsizetype>(pending.size() - open))));
    pending.erase(0, pending.size() - open);
  }
  return breaker.take();
}

const std::vector<TokenLine>& TokenLayout::lines(int block) {
  const auto found = cache_.find(block);
  if (found != cache_.end()) return found->second;
  if (cache_.size() >= cached_blocks) cache_.clear();
  auto& lines = cache_.emplace(block, lay_out(block)).first->second;
  auto& known = known_lines_[static_cast<std::size_t>(block)];
  if (known == 0) {
    known = static_cast<int>(lines.size());
    known_sum_ += known;
    ++known_count_;
  }
  return lines;
}

double TokenLayout::estimate(int block) const {
  const int known = known_lines_[static_cast<std::size_t>(block)];
  if (known > 0) return known;
  return known_count_ > 0 ? static_cast<double>(known_sum_) / static_cast<double>(known_count_) : 40.0;
}

std::int64_t TokenLayout::estimated_lines() const {
  double sum = 0;
  for (int block = 0; block < block_count(); ++block) sum += estimate(block);
  return static_cast<std::int64_t>(sum);
}

std::int64_t TokenLayout::estimated_line_of(LinePlace place) const {
  double sum = place.line;
  for (int block = 0; block < std::min(place.block, block_count()); ++block) sum += estimate(block);
  return static_cast<std::int64_t>(sum);
}

LinePlace TokenLayout::place_of_estimate(std::int64_t line) {
  double left = static_cast<double>(std::max<std::int64_t>(0, line));
  for (int block = 0; block < block_count(); ++block) {
    const double height = estimate(block);
    if (left < height || block + 1 == block_count()) {
      const int last = static_cast<int>(lines(block).size()) - 1;
      return {block, std::clamp(static_cast<int>(left), 0, last)};
    }
    left -= height;
  }
  return {};
}

LinePlace TokenLayout::place_of_token(std::int64_t token) {
  if (token < 0 || token >= token_count()) return {};
  const int block = block_of_token(token);
  const auto& block_lines = lines(block);
  for (std::size_t line = 0; line < block_lines.size(); ++line)
    if (!block_lines[line].empty() && block_lines[line].back().token >= token) return {block, static_cast<int>(line)};
  return {block, 0};
}

LinePlace TokenLayout::moved(LinePlace place, std::int64_t distance) {
  if (block_count() == 0) return {};
  while (distance > 0) {
    const int last = static_cast<int>(lines(place.block).size()) - 1;
    if (place.line + distance <= last) return {place.block, place.line + static_cast<int>(distance)};
    if (place.block + 1 >= block_count()) return {place.block, last};
    distance -= last - place.line + 1;
    place = {place.block + 1, 0};
  }
  while (distance < 0) {
    if (place.line + distance >= 0) return {place.block, place.line + static_cast<int>(distance)};
    if (place.block == 0) return {0, 0};
    distance += place.line + 1;
    place.block -= 1;
    place.line = static_cast<int>(lines(place.block).size()) - 1;
  }
  return place;
}

}  // namespace carryover
