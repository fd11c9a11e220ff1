// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/warning_box.h"

#include <QMessageBox>

#include "engine/base/error.h"

namespace carryover {

void showing_errors(QWidget* parent, const QString& title, const std::function<void()>& work) {
  try {
    work();
  } catch (const EngineError& error) {
    auto* box =
        new QMessageBox(QMessageBox::Warning, title, QString::fromStdString(error.what()), QMessageBox::Ok, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  }
}

}  // namespace carryover
