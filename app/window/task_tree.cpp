// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/task_tree.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>

#include "engine/campaigns/evaluations/task_kinds.h"
#include "engine/tasks/task_table.h"
#include "widgets/look/qstring.h"
#include "widgets/training/state/plan_values.h"

namespace carryover {
namespace {

QString kind_text(TaskKind kind) {
  return kind == TaskKind::Generation ? TaskTree::tr("answers")
         : kind == TaskKind::Choice   ? TaskTree::tr("choices")
                                      : TaskTree::tr("loss");
}

void make_checkable(QTreeWidgetItem* item) {
  item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
  item->setCheckState(0, Qt::Unchecked);
}

QTreeWidgetItem* task_item(const std::string& name) {
  const TaskInfo info = make_task(name)->info();
  QStringList about{kind_text(info.kind), qstring(info.metric)};
  if (info.needs_data) about += TaskTree::tr("needs data");
  auto* item = new QTreeWidgetItem({qstring(name), about.join(QStringLiteral(", "))});
  item->setToolTip(0, qstring(info.convention));
  item->setToolTip(1, qstring(info.convention));
  make_checkable(item);
  return item;
}

}  // namespace

TaskTree::TaskTree(QWidget* parent) : QTreeWidget(parent) {
  setAccessibleName(tr("Tasks"));
  setHeaderLabels({tr("Task"), tr("What it is")});
  setUniformRowHeights(true);
  for (const TaskFamily& family : task_families()) {
    const std::vector<std::string> names = family.tasks();
    if (names.empty()) continue;  // files of one's own
    auto* top = new QTreeWidgetItem(this, {qstring(family.name), field_text(family.description.c_str())});
    const QString data = family.data.empty() ? QString() : tr("Data: %1").arg(field_text(family.data.c_str()));
    top->setToolTip(0, data);
    top->setToolTip(1, field_text(family.description.c_str()) + (data.isEmpty() ? QString() : u'\n' + data));
    make_checkable(top);
    if (names.size() == 1 && names.front() == family.name) continue;  // it is the task itself
    top->setFlags(top->flags() | Qt::ItemIsAutoTristate);
    for (const std::string& name : names) top->addChild(task_item(name));
  }
  header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  connect(this, &QTreeWidget::itemChanged, this, &TaskTree::checks_changed);
}

std::vector<QTreeWidgetItem*> TaskTree::tasks() const {
  std::vector<QTreeWidgetItem*> items;
  for (int i = 0; i < topLevelItemCount(); ++i) {
    QTreeWidgetItem* top = topLevelItem(i);
    if (top->childCount() == 0) items.push_back(top);
    for (int j = 0; j < top->childCount(); ++j) items.push_back(top->child(j));
  }
  return items;
}

std::vector<std::string> TaskTree::checked() const {
  std::vector<std::string> names;
  for (const QTreeWidgetItem* item : tasks())
    if (item->checkState(0) == Qt::Checked) names.push_back(item->text(0).toStdString());
  return names;
}

void TaskTree::set_checked(const std::vector<std::string>& names) {
  {
    const QSignalBlocker quiet(this);
    for (QTreeWidgetItem* item : tasks()) {
      const bool wanted = std::ranges::find(names, item->text(0).toStdString()) != names.end();
      item->setCheckState(0, wanted ? Qt::Checked : Qt::Unchecked);
      if (wanted && item->parent() != nullptr) item->parent()->setExpanded(true);
    }
  }
  viewport()->update();
  Q_EMIT checks_changed();
}

}  // namespace carryover
