// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/token_layout.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/base/utf8.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {
namespace {

constexpr std::size_t cached_blocks = 128;
constexpr std::int64_t newline_search = 128;  ///< tokens behind a block's nominal start that may hold a better one

/// Control characters draw nothing, or worse: shown as their picture.
QString printable(QString text) {
  for (QChar& letter : text) {
    if (letter == u'\t') letter = u' ';
    if (letter.unicode() < 0x20) letter = QChar(0x2400 + letter.unicode());
  }
  return text;
}

/// Places a token in a paragraph, in UTF-16 units. A token that begins or ends within a character has a fraction.
struct TokenSpan {
  std::int64_t token;
  double from, to;
};

/// A paragraph is the text between two line breaks.
struct Paragraph {
  QString text;
  std::vector<TokenSpan> tokens;
  std::int64_t break_token = -1;  ///< that has the line break; -1: none ends it
};

/// Cuts the bytes of consecutive tokens into paragraphs.
class ParagraphCutter {
 public:
  /// `ends[i]`: where token first + i ends in `bytes`.
  ParagraphCutter(const std::string& bytes, const std::vector<std::size_t>& ends, std::int64_t first)
      : bytes_(bytes), ends_(ends), first_(first) {}

  std::vector<Paragraph> take() {
    while (at_ < bytes_.size()) {
      const Utf8Unit unit = first_utf8_unit(std::string_view(bytes_).substr(at_));
      bytes_[at_] == '\n' ? end_paragraph() : add_character(unit);
    }
    end_tokens(at_);
    if (paragraphs_.size() > 1 && paragraphs_.back().text.isEmpty() && paragraphs_.back().tokens.empty())
      paragraphs_.pop_back();
    return std::move(paragraphs_);
  }

 private:
  void add_character(const Utf8Unit& unit) {
    QString& text = paragraphs_.back().text;
    const auto before = static_cast<double>(text.size());
    text += unit.kind == Utf8Unit::Kind::Character
                ? printable(QString::fromUtf8(bytes_.data() + at_, static_cast<qsizetype>(unit.length)))
                : QString(QChar::ReplacementCharacter);
    end_tokens(at_, unit.length, before);
    at_ += unit.length;
  }

  /// Ends the tokens whose bytes end before `begin` or within the `length` bytes there, which are the text from
  /// `before` to its end.
  void end_tokens(std::size_t begin, std::size_t length = 0, double before = 0) {
    const auto after = static_cast<double>(paragraphs_.back().text.size());
    for (; token_ < ends_.size() && ends_[token_] <= begin + length; ++token_) {
      const std::size_t within = std::max(begin, ends_[token_]) - begin;
      const double to =
          length == 0 ? after : before + (after - before) * static_cast<double>(within) / static_cast<double>(length);
      paragraphs_.back().tokens.push_back({first_ + static_cast<std::int64_t>(token_), from_, to});
      from_ = to;
    }
  }

  void end_paragraph() {
    end_tokens(at_);
    Paragraph& ended = paragraphs_.back();
    const auto to = static_cast<double>(ended.text.size());
    if (to > from_) ended.tokens.push_back({first_ + static_cast<std::int64_t>(token_), from_, to});
    ended.break_token = first_ + static_cast<std::int64_t>(token_);
    ++at_;
    if (ends_[token_] == at_) ++token_;
    from_ = 0;
    paragraphs_.emplace_back();
  }

  const std::string& bytes_;
  const std::vector<std::size_t>& ends_;
  std::int64_t first_;
  std::size_t at_ = 0, token_ = 0;
  double from_ = 0;  ///< where the token begins in the last paragraph
  std::vector<Paragraph> paragraphs_ = std::vector<Paragraph>(1);
};

/// A grapheme cluster on a line: its part of the text, and the x at which reading enters and leaves it.
struct Cluster {
  int begin, end;
  double enter, leave;  ///< `leave` is on the left where it is read from right to left
};

/// Returns the clusters of a line. Reading leaves a cluster at the next one's entry if that is within it (each cluster
/// of a ligature has its own entry there), else at the end of what was shaped.
std::vector<Cluster> clusters_of(const QTextLayout& text, const QTextLine& line) {
  std::vector<Cluster> clusters;
  const int end = line.textStart() + line.textLength();
  for (int at = line.textStart(); at < end;) {
    const int next = std::min(end, std::max(at + 1, text.nextCursorPosition(at)));
    clusters.push_back({at, next, line.cursorToX(at, QTextLine::Leading), line.cursorToX(at, QTextLine::Trailing)});
    at = next;
  }
  for (std::size_t i = 0; i + 1 < clusters.size(); ++i) {
    Cluster& cluster = clusters[i];
    const double entry = clusters[i + 1].enter;
    if (entry > std::min(cluster.enter, cluster.leave) && entry < std::max(cluster.enter, cluster.leave))
      cluster.leave = entry;
  }
  return clusters;
}

/// Lays one paragraph out in lines of a width.
class ParagraphLines {
 public:
  ParagraphLines(const Paragraph& paragraph, const QFont& font, double width)
      : paragraph_(paragraph), font_(font), width_(width) {}

  void append_to(std::vector<TokenLine>& lines) {
    if (!paragraph_.text.isEmpty()) shape();
    const int count = text_ ? text_->lineCount() : 1;
    for (int i = 0; i < count; ++i) {
      pieces_.clear();
      double left = 0, right = 0;
      if (text_) place_tokens(text_->lineAt(i), left, right);
      if (!text_)
        for (const TokenSpan& span : paragraph_.tokens) pieces_.push_back({span.token, {}, 0, 0});
      if (i + 1 == count && paragraph_.break_token >= 0) place_break(left, right);
      lines.emplace_back(std::move(pieces_), text_, i);
      pieces_ = {};
    }
  }

 private:
  void shape() {
    auto text = std::make_shared<QTextLayout>(paragraph_.text, font_);
    QTextOption option(paragraph_.text.isRightToLeft() ? Qt::AlignRight : Qt::AlignLeft);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    text->setTextOption(option);
    text->setCacheEnabled(true);
    text->setCursorMoveStyle(Qt::VisualMoveStyle);  // else x is the neighbour's where the direction changes
    text->beginLayout();
    for (QTextLine line = text->createLine(); line.isValid(); line = text->createLine()) {
      line.setLineWidth(width_);
      line.setPosition({0, 0});
    }
    text->endLayout();
    text_ = std::move(text);
  }

  void place_tokens(const QTextLine& line, double& left, double& right) {
    const std::vector<Cluster> clusters = clusters_of(*text_, line);
    const int end = line.textStart() + line.textLength();
    left = right = clusters.empty() ? 0 : clusters.front().enter;
    for (const Cluster& cluster : clusters) {
      left = std::min({left, cluster.enter, cluster.leave});
      right = std::max({right, cluster.enter, cluster.leave});
    }
    std::size_t cluster = 0;
    for (; token_ < paragraph_.tokens.size(); ++token_) {
      const TokenSpan& span = paragraph_.tokens[token_];
      if (span.from >= end && (span.to > end || end < paragraph_.text.size())) break;
      while (cluster < clusters.size() && clusters[cluster].end <= span.from) ++cluster;
      if (!is_space_before_break(span, end)) place_token(span, clusters, cluster, end);
      if (span.to > end) break;  // goes on in the next line
    }
  }

  /// The space that a word begins with stays behind where the line was broken: the token is where its word is.
  bool is_space_before_break(const TokenSpan& span, int end) const {
    if (span.to <= end) return false;
    const auto begin = static_cast<qsizetype>(span.from);
    return QStringView(paragraph_.text).mid(begin, end - begin).trimmed().isEmpty();
  }

  void place_token(const TokenSpan& span, const std::vector<Cluster>& clusters, std::size_t cluster, int end) {
    const std::size_t first = pieces_.size();
    for (; cluster < clusters.size() && clusters[cluster].begin < span.to; ++cluster)
      add_share(span, clusters[cluster]);
    if (pieces_.size() == first) {  // a token without bytes
      const double x = clusters.empty()            ? 0
                       : cluster < clusters.size() ? clusters[cluster].enter
                                                   : clusters.back().leave;
      pieces_.push_back({span.token, {}, x, 0});
    }
    const int told = std::min(end, static_cast<int>(span.to));
    pieces_[first].text = paragraph_.text.mid(told_, told - told_);
    told_ = told;
  }

  void add_share(const TokenSpan& span, const Cluster& cluster) {
    const double units = cluster.end - cluster.begin;
    const double from = (std::max<double>(span.from, cluster.begin) - cluster.begin) / units;
    const double to = (std::min<double>(span.to, cluster.end) - cluster.begin) / units;
    const auto at = [&](double share) {
      return std::clamp(cluster.enter + share * (cluster.leave - cluster.enter), 0.0, width_);
    };
    const double left = std::min(at(from), at(to)), right = std::max(at(from), at(to));
    constexpr double touching = 0.02;
    if (!pieces_.empty() && pieces_.back().token == span.token) {
      TokenPiece& last = pieces_.back();
      const double last_right = last.x + last.width;
      if (std::abs(left - last_right) < touching) return void(last.width = right - last.x);
      if (std::abs(right - last.x) < touching) {
        last.x = left;
        return void(last.width = last_right - left);
      }
    }
    pieces_.push_back({span.token, {}, left, right - left});
  }

  /// Places the line break behind the text, in its direction.
  void place_break(double left, double right) {
    const double width = QFontMetricsF(font_).horizontalAdvance(u'n');
    const bool backwards = paragraph_.text.isRightToLeft();
    pieces_.push_back({paragraph_.break_token, QStringLiteral("↵"), backwards ? left - width : right, width, true});
  }

  const Paragraph& paragraph_;
  const QFont& font_;
  double width_;
  std::shared_ptr<const QTextLayout> text_;
  std::vector<TokenPiece> pieces_;  ///< of the line
  std::size_t token_ = 0;           ///< of the paragraph's, that is placed next
  int told_ = 0;                    ///< end of the text that pieces have
};

}  // namespace

void TokenLine::draw(QPainter& painter, double x, double baseline) const {
  if (!text_) return;
  const QTextLine line = text_->lineAt(index_);
  line.draw(&painter, {x, baseline - line.ascent()});
}

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
  const std::int64_t begin = block_start(block);
  const std::int64_t end = block + 1 < block_count() ? block_start(block + 1) : token_count();
  std::string bytes;
  std::vector<std::size_t> ends;
  for (std::int64_t token = begin; token < end; ++token) {
    bytes += run_->tokenizer() ? run_->tokenizer()->bytes((*run_->request().ids)[static_cast<std::size_t>(token)])
                               : run_->token_text(token).toStdString() + ' ';
    ends.push_back(bytes.size());
  }
  std::vector<TokenLine> lines;
  for (const Paragraph& paragraph : ParagraphCutter(bytes, ends, begin).take())
    ParagraphLines(paragraph, font_, width_).append_to(lines);
  return lines;
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
