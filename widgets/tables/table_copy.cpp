// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/table_copy.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QTableView>
#include <algorithm>
#include <functional>
#include <vector>

#include "widgets/tables/hits_model.h"

namespace carryover {
namespace {

void copy_rows(const QTableView& table, QChar separator) {
  std::vector<int> rows;
  for (const QModelIndex& index : table.selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  QGuiApplication::clipboard()->setText(table_text(*table.model(), rows, separator));
}

}  // namespace

void add_copy_actions(QTableView& table) {
  const auto add = [&table](const QString& text, const QKeySequence& keys, std::function<void()> slot) {
    auto* action = new QAction(text, &table);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(action, &QAction::triggered, &table, std::move(slot));
    table.addAction(action);
  };
  table.setContextMenuPolicy(Qt::ActionsContextMenu);
  add(QCoreApplication::translate("TableCopy", "&Copy rows"), QKeySequence::Copy,
      [&table] { copy_rows(table, QLatin1Char('\t')); });
  add(QCoreApplication::translate("TableCopy", "Copy rows as CS&V"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
      [&table] { copy_rows(table, QLatin1Char(',')); });
  add(QCoreApplication::translate("TableCopy", "Copy &picture"), {},
      [&table] { QGuiApplication::clipboard()->setPixmap(table.grab()); });
}

}  // namespace carryover
