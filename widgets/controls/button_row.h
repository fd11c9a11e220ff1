// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHBoxLayout>
#include <QPushButton>

namespace carryover {

/// A dialog's buttons side by side, none of which Enter presses unless it is made the default. GUI thread.
class ButtonRow : public QWidget {
 public:
  explicit ButtonRow(QWidget* parent) : QWidget(parent), row_(new QHBoxLayout(this)) {
    row_->setContentsMargins(0, 0, 0, 0);
  }

  /// `slot` is called on `receiver`, as by QObject::connect.
  template <typename Receiver, typename Slot>
  QPushButton* add(const QString& text, const QString& help, Receiver* receiver, Slot slot) {
    auto* button = new QPushButton(text, this);
    button->setAutoDefault(false);
    button->setToolTip(help);
    connect(button, &QPushButton::clicked, receiver, slot);
    row_->addWidget(button);
    return button;
  }
  void add(QWidget* widget, int stretch = 0) { row_->addWidget(widget, stretch); }
  void add_space() { row_->addStretch(1); }

 private:
  QHBoxLayout* row_;
};

}  // namespace carryover
