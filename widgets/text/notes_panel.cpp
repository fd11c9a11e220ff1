// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/notes_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/tables/table_copy.h"
#include "widgets/text/state/text_units.h"

namespace carryover {

Bookmark bookmark_of(const RunModel& run, const Selection& selection) {
  QStringList parts;
  if (selection.segment >= 0) parts += NotesPanel::tr("segment %1").arg(selection.segment);
  if (selection.head >= 0) parts += filled(NotesPanel::tr("layer %1 head %2"), selection.layer, selection.head);
  if (selection.token >= 0) parts += text_around(run, selection.token);
  return {parts.join(QStringLiteral(" · ")), selection, QString::fromStdString(run.origin().id)};
}

NotesPanel::NotesPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Notes"), parent),
      model_(lab.notebook()),
      text_(new QPlainTextEdit(this)),
      table_(new QTableView(this)) {
  text_->setTabChangesFocus(true);
  text_->setPlaceholderText(tr("Notes; kept with the session"));
  text_->setAccessibleName(tr("Notes"));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setAcceptDrops(false);  // what is dropped is opened by the window
  make_table();
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(text_);
  splitter->addWidget(make_bookmarks());
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
  connect(text_, &QPlainTextEdit::textChanged, this, [this] { context().notebook().set_text(text_->toPlainText()); });
  connect(&lab.notebook(), &Notebook::text_changed, this, [this] {
    const QString& text = context().notebook().text();
    if (text_->toPlainText() != text) text_->setPlainText(text);
  });
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
}

QWidget* NotesPanel::make_bookmarks() {
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  WrappingBar* bar = control_bar();
  add_ = new QPushButton(tr("Bookmark the selection"), side);
  add_->setToolTip(tr("Save the selection, to return to it later (Ctrl+D)"));
  add_->setIcon(themed_icon(QStringLiteral("bookmark")));
  connect(add_, &QPushButton::clicked, this, &NotesPanel::add_bookmark);
  bar->addWidget(add_);
  bar->addStretch(1);
  column->addLayout(bar);
  column->addWidget(table_, 1);
  return side;
}

void NotesPanel::make_table() {
  table_->setModel(&model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setAccessibleName(tr("Bookmarks"));
  table_->setToolTip(tr("Double-click or Enter selects it, F2 renames it, Delete removes it"));
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 6);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(BookmarksModel::Name, QHeaderView::Stretch);
  auto* remove = new QAction(tr("&Remove"), table_);
  remove->setShortcut(QKeySequence::Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  connect(remove, &QAction::triggered, this, &NotesPanel::remove_bookmarks);
  table_->addAction(remove);
  add_copy_actions(*table_);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    context().lab().go_to(context().notebook().bookmarks().at(static_cast<std::size_t>(index.row())));
    const QString why_not = index.data(Qt::ToolTipRole).toString();
    if (!why_not.isEmpty()) QToolTip::showText(QCursor::pos(), why_not, table_);
  });
}

void NotesPanel::add_bookmark() {
  const Bookmark bookmark = bookmark_of(context().run(), context().selected());
  if (!bookmark.name.isEmpty()) context().notebook().add_bookmark(bookmark);
}

void NotesPanel::remove_bookmarks() {
  std::vector<int> rows;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end(), std::greater<>());
  for (const int row : rows) context().notebook().remove_bookmark(row);
}

void NotesPanel::refresh() {
  model_.show_run(QString::fromStdString(context().run().origin().id));
  add_->setEnabled(context().selected() != Selection{});
}

}  // namespace carryover
