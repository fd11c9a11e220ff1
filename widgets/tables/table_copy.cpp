// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/table_copy.h"

#include <QAction>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QGuiApplication>
#include <QKeySequence>
#include <QTableView>
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/controls/warning_box.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

void copy_rows(const QTableView& table, QChar separator) {
  std::vector<int> rows;
  for (const QModelIndex& index : table.selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  QGuiApplication::clipboard()->setText(table_text(*table.model(), rows, separator));
}

}  // namespace

QString table_text(const QAbstractItemModel& model, const std::vector<int>& rows, QChar separator) {
  const auto field = [separator](QString text) {
    if (separator == QLatin1Char(',')) return csv_field(text);
    text = without_formula(text);
    return text.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
  };
  std::optional<FileNumbers> plain;  // lines with tabs are for a spreadsheet, which reads the language's numbers
  if (separator == QLatin1Char(',')) plain.emplace();
  QString text;
  const auto line = [&](auto cell) {
    for (int column = 0; column < model.columnCount(); ++column)
      text += (column ? QString(separator) : QString()) + field(cell(column).toString());
    text += QLatin1Char('\n');
  };
  line([&](int column) { return model.headerData(column, Qt::Horizontal, Qt::DisplayRole); });
  const int count = rows.empty() ? model.rowCount() : static_cast<int>(rows.size());
  for (int i = 0; i < count; ++i) {
    const int row = rows.empty() ? i : rows[static_cast<std::size_t>(i)];
    line([&](int column) { return model.index(row, column).data(); });
  }
  return text;
}

QAction* add_table_action(QTableView& table, const QString& text, const QKeySequence& keys,
                          std::function<void()> slot) {
  auto* action = new QAction(text, &table);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(action, &QAction::triggered, &table, std::move(slot));
  table.addAction(action);
  table.setContextMenuPolicy(Qt::ActionsContextMenu);
  return action;
}

void add_export_action(QTableView& table, const QString& title, const QString& name,
                       std::function<void(const QString& path)> write) {
  add_table_action(table, QCoreApplication::translate("TableCopy", "&Export the table…"),
                   QKeySequence(Qt::CTRL | Qt::Key_E), [&table, title, name, write = std::move(write)] {
                     const QString path = QFileDialog::getSaveFileName(
                         &table, title, name, QCoreApplication::translate("TableCopy", "CSV (*.csv)"));
                     if (!path.isEmpty()) showing_errors(&table, title, [&] { write(path); });
                   });
}

void add_copy_actions(QTableView& table) {
  add_table_action(table, QCoreApplication::translate("TableCopy", "&Copy rows"), QKeySequence::Copy,
                   [&table] { copy_rows(table, QLatin1Char('\t')); });
  add_table_action(table, QCoreApplication::translate("TableCopy", "Copy rows as CS&V"),
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), [&table] { copy_rows(table, QLatin1Char(',')); });
  add_table_action(table, QCoreApplication::translate("TableCopy", "Copy &picture"), {},
                   [&table] { QGuiApplication::clipboard()->setPixmap(table.grab()); });
}

}  // namespace carryover
