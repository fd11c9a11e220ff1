// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/path_row.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

namespace carryover {

QToolButton* browse_button(QLineEdit* field, const QString& label, const AskPath& ask, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(QStringLiteral("…"));
  button->setAccessibleName(QObject::tr("Choose: %1").arg(label));
  QObject::connect(button, &QToolButton::clicked, field, [field, ask] {
    const QString path = ask(field->text());
    if (path.isEmpty()) return;
    field->setText(path);
    field->setModified(true);
  });
  return button;
}

QLineEdit* add_path_row(QFormLayout& rows, const QString& label, const QString& help, const AskPath& ask) {
  auto* both = new QWidget(rows.parentWidget());
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  auto* field = new QLineEdit(both);
  field->setToolTip(help);
  field->setAccessibleName(label);
  field->setAccessibleDescription(help);
  row->addWidget(field, 1);
  row->addWidget(browse_button(field, label, ask, both));
  rows.addRow(label, both);
  return field;
}

}  // namespace carryover
