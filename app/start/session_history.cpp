// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/session_history.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QShortcut>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/saved_window/session_summary.h"
#include "widgets/controls/button_row.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

enum Column { Name, Changed, Size, Contents, Columns };

QStringList row_of(const SessionSummary& session) {
  const QString contents = session.crashed ? SessionHistory::tr("%1; its window did not close by itself") : "%1";
  return {session.name, QLocale().toString(session.changed, QLocale::ShortFormat), bytes_text(session.bytes),
          contents.arg(session.contents)};
}

}  // namespace

SessionHistory::SessionHistory(SessionKeeper& keeper, QWidget* parent)
    : QDialog(parent), keeper_(keeper), list_(new QTreeWidget(this)), total_(new QLabel(this)) {
  setWindowTitle(tr("Session history"));
  list_->setAccessibleName(tr("Earlier sessions"));
  list_->setHeaderLabels({tr("Session"), tr("Last change"), tr("Size"), tr("Contents")});
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  total_->setTextFormat(Qt::PlainText);
  total_->setWordWrap(true);
  auto* buttons = new ButtonRow(this);
  open_ = buttons->add(tr("Open"), tr("Shows the session in this window; what is on show now stays in this list"), this,
                       &SessionHistory::open_chosen);
  delete_ = buttons->add(tr("Delete"), tr("Deletes the chosen sessions with their runs when this window closes"), this,
                         &SessionHistory::delete_chosen);
  undo_ =
      buttons->add(tr("Undo"), tr("Brings back the session that was deleted last"), this, &SessionHistory::undo_delete);
  buttons->add_space();
  buttons->add(tr("Close"), {}, this, &QDialog::reject);
  open_->setDefault(true);
  auto* column = new QVBoxLayout(this);
  column->addWidget(list_, 1);
  column->addWidget(total_);
  column->addWidget(buttons);
  connect(new QShortcut(QKeySequence::Delete, list_), &QShortcut::activated, this, &SessionHistory::delete_chosen);
  connect(new QShortcut(QKeySequence::Undo, this), &QShortcut::activated, this, &SessionHistory::undo_delete);
  connect(list_, &QTreeWidget::itemSelectionChanged, this, &SessionHistory::update_buttons);
  connect(list_, &QTreeWidget::itemActivated, this, &SessionHistory::open_chosen);
  resize(760, 380);
  fill();
}

void SessionHistory::fill() {
  const QStringList before = chosen();
  list_->clear();
  std::int64_t bytes = 0;
  for (const QString& folder : keeper_.earlier().folders()) {
    const SessionSummary session = summary_of(folder);
    bytes += session.bytes;
    auto* row = new QTreeWidgetItem(list_, row_of(session));
    row->setData(Name, Qt::UserRole, folder);
    row->setTextAlignment(Size, Qt::AlignRight | Qt::AlignVCenter);
    row->setSelected(before.contains(folder));
  }
  total_->setText(
      filled(tr("Sessions: %1, %2 on disk. A session stays until you delete it here. One that is deleted can be "
                "brought back until this window closes."),
             list_->topLevelItemCount(), bytes_text(bytes)));
  for (int column = Name; column < Contents; ++column) list_->resizeColumnToContents(column);
  update_buttons();
}

QStringList SessionHistory::chosen() const {
  QStringList folders;
  for (const QTreeWidgetItem* row : list_->selectedItems()) folders += row->data(Name, Qt::UserRole).toString();
  return folders;
}

void SessionHistory::update_buttons() {
  const qsizetype count = list_->selectedItems().size();
  open_->setEnabled(count == 1);
  delete_->setEnabled(count > 0);
  undo_->setEnabled(keeper_.earlier().can_undo());
}

void SessionHistory::open_chosen() {
  const QStringList folders = chosen();
  if (folders.size() != 1) return;
  accept();
  keeper_.open_earlier(folders.front());
}

void SessionHistory::delete_chosen() {
  for (const QString& folder : chosen()) keeper_.earlier().remove(folder);
  fill();
}

void SessionHistory::undo_delete() {
  keeper_.earlier().undo();
  fill();
}

}  // namespace carryover
