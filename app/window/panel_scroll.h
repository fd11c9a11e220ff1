// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QScrollArea>

namespace carryover {

/// A panel in its dock. A panel that is given less room than its contents need scrolls: it neither cuts them nor makes
/// the window larger than the screen. GUI thread.
class PanelScroll : public QScrollArea {
  Q_OBJECT
 public:
  explicit PanelScroll(QWidget* panel);  ///< takes it
  QSize sizeHint() const override { return widget()->sizeHint(); }
  QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fit();
};

}  // namespace carryover
