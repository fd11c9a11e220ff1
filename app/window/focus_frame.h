// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace carryover {

/// A frame around the panel that a key has brought the focus to: many views show by nothing else that they have it. It
/// goes where the focus leaves the panel, or the mouse takes over. Lives shorter than the panels. GUI thread.
class FocusFrame : public QWidget {
  Q_OBJECT
 public:
  explicit FocusFrame(QWidget& window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QWidget* panel_of(QWidget* widget) const;
  void follow(QWidget* focused, Qt::FocusReason reason);
  void surround(QWidget* panel);

  QWidget& window_;
};

}  // namespace carryover
