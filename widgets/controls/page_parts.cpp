// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/page_parts.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QObject>
#include <QScrollArea>
#include <QTableView>
#include <QToolButton>

#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/icons.h"

namespace carryover {

QScrollArea* scrolled(QWidget* page, const QString& name, QWidget* parent) {
  auto* area = new QScrollArea(parent);
  area->setWidget(page);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setAccessibleName(name);
  return area;
}

WrappingBar* control_bar() {
  auto* bar = new WrappingBar;
  bar->setContentsMargins(6, 4, 6, 4);
  bar->setSpacing(6);
  return bar;
}

QToolButton* add_button(QWidget* parent, WrappingBar* bar, const char* icon, const QString& text, const QString& help) {
  auto* button = new QToolButton(parent);
  button->setIcon(themed_icon(QString::fromLatin1(icon)));
  button->setText(text);
  button->setToolTip(help);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->addWidget(button);
  return button;
}

QWidget* labelled(const QString& name, QWidget* field, QWidget* button, QWidget* parent) {
  auto* together = new QWidget(parent);
  auto* row = new QHBoxLayout(together);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(new QLabel(name, together));
  row->addWidget(field, 1);
  if (button != nullptr) row->addWidget(button);
  return together;
}

void put_bar_above(QWidget* parent, QLayout* bar, QWidget* body) {
  auto* column = new QVBoxLayout(parent);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(body, 1);
}

namespace {

/// Names stand over their column's values: over numbers, at the right.
class ColumnHeader final : public QHeaderView {
 public:
  explicit ColumnHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) { setSectionsClickable(true); }

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int column) const override {
    QHeaderView::initStyleOptionForIndex(option, column);
    if (model() == nullptr || model()->rowCount() == 0) return;
    const QVariant alignment = model()->index(0, column).data(Qt::TextAlignmentRole);
    if (alignment.isValid()) option->textAlignment = Qt::Alignment(alignment.toInt());
  }
};

}  // namespace

void prepare_table(QTableView& table, const QString& accessible_name) {
  table.setHorizontalHeader(new ColumnHeader(&table));
  table.setAccessibleName(accessible_name);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.setWordWrap(false);
  table.setFrameShape(QFrame::NoFrame);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 6);
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.horizontalHeader()->setHighlightSections(false);
  table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table.setTabKeyNavigation(false);
}

}  // namespace carryover
