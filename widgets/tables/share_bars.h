// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>

namespace carryover {

/// Draws a bar behind a cell's text, by its number (number_role). Probabilities start at the left edge; contributions
/// start in the middle, blue to the right where they add and orange to the left where they subtract. GUI thread.
class ShareBars : public QStyledItemDelegate {
  Q_OBJECT
 public:
  enum Kind { Probabilities, Contributions };
  explicit ShareBars(Kind kind, QObject* parent = nullptr) : QStyledItemDelegate(parent), kind_(kind) {}

  void set_full(double full) { full_ = full; }  ///< the number whose bar is as long as there is room; 1 at first
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  Kind kind_;
  double full_ = 1;
};

}  // namespace carryover
