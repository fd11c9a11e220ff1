// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLayout>
#include <vector>

namespace carryover {

/// A row of controls that continues on the next line where its panel is too narrow, so that no panel makes the window
/// wider than a screen. Items with a stretch share what their line has left. GUI thread.
class WrappingBar : public QLayout {
  Q_OBJECT
 public:
  explicit WrappingBar(QWidget* parent = nullptr) : QLayout(parent) {}
  ~WrappingBar() override;

  void addWidget(QWidget* widget, int stretch = 0);
  void addStretch(int stretch = 1);
  void addSpacing(int width);

  void addItem(QLayoutItem* item) override { items_.push_back({item, 0}); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
  QSize sizeHint() const override;     ///< on one line
  QSize minimumSize() const override;  ///< of the widest item alone
  void setGeometry(const QRect& place) override;

 private:
  struct Item {
    QLayoutItem* item;
    int stretch;
  };
  int gap() const { return spacing() < 0 ? 6 : spacing(); }
  int width_of(const Item& item) const;
  int arrange(const QRect& place, bool apply) const;  ///< the height that it takes
  int arrange_line(std::size_t first, std::size_t end, const QRect& line, bool apply) const;

  std::vector<Item> items_;
};

}  // namespace carryover
