// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QString>
#include <QTextLayout>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "widgets/runs/state/run_model.h"

namespace carryover {

/// A stretch of one token on one line. A token that spans lines has several, and so has one on both sides of a change
/// of direction. Of a cluster that several tokens make up (a letter of several bytes, an emoji of several characters),
/// each token has its share of the width.
struct TokenPiece {
  std::int64_t token;
  QString text;     ///< printable; "↵" for a line break; empty where an earlier piece has it
  double x, width;  ///< pixels from the line's left end
  bool line_break = false;
};

/// A line of a text: its pieces, in the order of the tokens, and what draws it. The line is shaped and ordered as a
/// whole, by Qt's own rules for scripts and directions: the pieces are only where its tokens came to be.
class TokenLine {
 public:
  TokenLine() = default;
  TokenLine(std::vector<TokenPiece> pieces, std::shared_ptr<const QTextLayout> text, int index)
      : pieces_(std::move(pieces)), text_(std::move(text)), index_(index) {}
  bool empty() const { return pieces_.empty(); }
  std::size_t size() const { return pieces_.size(); }
  const TokenPiece& front() const { return pieces_.front(); }
  const TokenPiece& back() const { return pieces_.back(); }
  auto begin() const { return pieces_.begin(); }
  auto end() const { return pieces_.end(); }
  /// Draws all but the line break, in the painter's pen; `x` is the line's left end.
  void draw(QPainter& painter, double x, double baseline) const;

 private:
  std::vector<TokenPiece> pieces_;
  std::shared_ptr<const QTextLayout> text_;  ///< of its paragraph; null where that is empty
  int index_ = 0;                            ///< of the line in it
};

/// A place in the text by line: block, then line in it.
struct LinePlace {
  int block = 0;
  int line = 0;
  bool operator==(const LinePlace&) const = default;
  auto operator<=>(const LinePlace&) const = default;
};

/// Line breaks of a text of any length: cut into blocks of about `block_tokens`, of which only those looked at are laid
/// out; the others' heights are estimated from the mean so far. GUI thread.
class TokenLayout {
 public:
  static constexpr std::int64_t block_tokens = 512;

  void reset(const RunModel* run);
  void set_metrics(const QFont& font, double width);  ///< drops the cache where either changed

  int block_count() const;
  std::int64_t token_count() const;
  const std::vector<TokenLine>& lines(int block);
  std::int64_t estimated_lines() const;  ///< of the whole text
  std::int64_t estimated_line_of(LinePlace place) const;
  LinePlace place_of_estimate(std::int64_t line);
  LinePlace place_of_token(std::int64_t token);
  LinePlace moved(LinePlace place, std::int64_t lines);  ///< stops at either end

 private:
  std::int64_t block_start(int block) const;
  int block_of_token(std::int64_t token) const;
  double estimate(int block) const;
  std::vector<TokenLine> lay_out(int block) const;

  const RunModel* run_ = nullptr;
  std::shared_ptr<const std::vector<std::int32_t>> ids_;  ///< that are laid out
  QFont font_;
  double width_ = 600;
  std::unordered_map<int, std::vector<TokenLine>> cache_;
  std::vector<int> known_lines_;  ///< by block; 0: not laid out yet
  std::int64_t known_sum_ = 0, known_count_ = 0;
};

}  // namespace carryover
