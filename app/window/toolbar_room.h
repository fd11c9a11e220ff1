// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>
#include <vector>

class QToolBar;

namespace carryover {

/// Keeps a toolbar's widgets in sight in a narrow window: what matters less gives up room, one after the other, until
/// all fit. What does not fit even then is behind Qt's ». Lives shorter than the toolbar. GUI thread.
class ToolbarRoom : public QObject {
  Q_OBJECT
 public:
  explicit ToolbarRoom(QToolBar& bar);

  /// `give(true)` gives up room and `give(false)` takes it back; what is added first gives first.
  void add(std::function<void(bool)> give);
  /// Is called when the toolbar is resized; call it after a text in the toolbar has changed.
  void fit();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  ///< of the toolbar

 private:
  int needed_width() const;

  QToolBar& bar_;
  std::vector<std::function<void(bool)>> givers_;
  std::size_t given_ = 0;  ///< of the givers, from the first on
};

}  // namespace carryover
