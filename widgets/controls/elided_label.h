// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace carryover {

/// A line of plain text that has a "…" where its place is too narrow, and never asks for more of it. Its tooltip then
/// begins with the whole text. GUI thread.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideRight);

  bool is_cut() const;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  Qt::TextElideMode mode_;
};

}  // namespace carryover
