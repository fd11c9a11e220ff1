// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/form_memory.h"

#include <QDialog>
#include <QPointer>

#include "engine/base/error.h"
#include "widgets/look/form_history.h"

namespace carryover {

FormMemory& FormMemory::of(QWidget& window) {
  const QString name = QStringLiteral("form_memory");
  if (auto* found = window.findChild<QObject*>(name, Qt::FindDirectChildrenOnly))
    return *static_cast<FormMemory*>(found);
  auto* made = new FormMemory(&window);
  made->setObjectName(name);
  return *made;
}

void FormMemory::keep(QDialog& dialog, const QString& name) {
  auto* history = dialog.findChild<FormHistory*>();
  CARRYOVER_CHECK(history != nullptr);
  if (dialog.parentWidget() == nullptr) return;
  FormMemory& memory = of(*dialog.parentWidget()->window());
  history->begin();
  if (const auto kept = memory.typed_.constFind(name); kept != memory.typed_.cend()) history->set_values(*kept);
  connect(&dialog, &QDialog::finished, &memory, [&memory, name, kept = QPointer(history)](int result) {
    if (kept == nullptr) return;
    const QVariantMap typed = kept->typed();
    if (result == QDialog::Accepted || typed.isEmpty())
      memory.typed_.remove(name);
    else
      memory.typed_[name] = typed;
  });
}

}  // namespace carryover
