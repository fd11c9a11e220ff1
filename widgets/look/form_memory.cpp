// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/form_memory.h"

#include <QDialog>
#include <algorithm>

#include "engine/base/error.h"
#include "widgets/look/form_history.h"

namespace carryover {
namespace {

constexpr qsizetype longest_typed = 10'000;  // characters

bool is_typed_by_hand(const QString& name, const QVariantMap& values) {
  return name.size() <= longest_typed && std::all_of(values.cbegin(), values.cend(), [](const QVariant& value) {
           return value.toString().size() <= longest_typed;
         });
}

}  // namespace

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
  memory.open_[name] = history;
  connect(&dialog, &QDialog::finished, &memory, [&memory, name, kept = QPointer(history)](int result) {
    if (memory.open_.value(name) == kept) memory.open_.remove(name);
    if (kept == nullptr) return;
    const QVariantMap typed = kept->typed();
    if (result == QDialog::Accepted || typed.isEmpty())
      memory.typed_.remove(name);
    else
      memory.typed_[name] = typed;
  });
}

TypedForms FormMemory::typed(QWidget& window) {
  const FormMemory& memory = of(window);
  TypedForms forms = memory.typed_;
  for (auto each = memory.open_.cbegin(); each != memory.open_.cend(); ++each)
    if (each.value() != nullptr) forms[each.key()] = each.value()->typed();
  forms.removeIf(
      [](TypedForms::iterator form) { return form.value().isEmpty() || !is_typed_by_hand(form.key(), form.value()); });
  return forms;
}

void FormMemory::restore(QWidget& window, const TypedForms& typed) {
  of(window).typed_ = typed;
}

}  // namespace carryover
