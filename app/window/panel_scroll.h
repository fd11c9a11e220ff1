// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QScrollArea>

namespace carryover {

/// A panel in its dock. A panel that is given less room than its contents need scrolls: it neither cuts them nor makes
/// the window larger than the screen. GUI thread.
class PanelScroll : public QScrollArea {
  Q_OBJECT
 public:
  /// Takes `panel`. Less room than `enough` makes it scroll even where that is all there is.
  PanelScroll(QWidget* panel, QSize enough);
  QSize sizeHint() const override { return widget()->sizeHint(); }
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();

  QSize enough_;
};

}  // namespace carryover
