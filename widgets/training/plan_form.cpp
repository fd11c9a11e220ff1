// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/plan_form.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

#include "widgets/controls/page_parts.h"

namespace carryover {
namespace {

constexpr int input_width = 250, least_input_width = 170;

}  // namespace

PlanForm::PlanForm(QWidget* parent) : QTabWidget(parent) {
  setDocumentMode(true);
  for (const PlanGroup& group : plan_groups()) add_group(group);
}

void PlanForm::add_group(const PlanGroup& group) {
  auto* page = new QWidget;
  auto* grid = new QGridLayout(page);
  grid->setContentsMargins(10, 10, 10, 10);
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(6);
  grid->setColumnStretch(2, 1);
  grid->setColumnMinimumWidth(0, 120);
  const QString title = QCoreApplication::translate("carryover", group.title);
  int row = 0;
  for (const PlanField& field : group.fields) {
    auto* editor = new PlanFieldEditor(field, page);
    const bool wide = field.kind == PlanField::Kind::Paths || field.kind == PlanField::Kind::Folder ||
                      field.kind == PlanField::Kind::Model;
    editor->input()->setMinimumWidth(wide ? input_width : least_input_width);
    editor->input()->setMaximumWidth(input_width);
    const auto place = field.kind == PlanField::Kind::Paths ? Qt::AlignTop : Qt::AlignVCenter;
    grid->addWidget(editor->label(), row, 0, Qt::AlignLeft | place);
    grid->addWidget(editor->input(), row, 1);
    grid->addWidget(editor->remark(), row, 2, place);
    connect(editor, &PlanFieldEditor::changed, this, [this] {
      if (!filling_) Q_EMIT changed();
    });
    editors_.push_back(editor);
    tabs_.emplace_back(count(), title);
    ++row;
  }
  grid->setRowStretch(row, 1);
  QScrollArea* scroll = scrolled(page, tr("Plan of the training"), this);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  addTab(scroll, title);
}

nlohmann::json PlanForm::fields() const {
  nlohmann::json fields = nlohmann::json::object();
  for (const PlanFieldEditor* editor : editors_) fields[editor->field().key] = editor->value();
  return fields;
}

void PlanForm::set_fields(const nlohmann::json& fields) {
  check_plan_values(fields, "form");
  filling_ = true;
  for (PlanFieldEditor* editor : editors_)
    if (fields.contains(editor->field().key)) editor->set_value(fields[editor->field().key]);
  filling_ = false;
}

bool PlanForm::show_problem(const QString& problem, const QString& advice) {
  static const QRegularExpression end(QStringLiteral("[^a-z0-9_]"));
  const QString key = problem.section(end, 0, 0);
  bool found = false;
  for (int tab = 0; tab < count(); ++tab) {
    bool marked = false;
    QString title;
    for (std::size_t i = 0; i < editors_.size(); ++i) {
      if (tabs_[i].first != tab) continue;
      title = tabs_[i].second;
      const bool wrong = !key.isEmpty() && key == QLatin1String(editors_[i]->field().key);
      editors_[i]->set_problem(wrong ? problem.mid(key.size()).trimmed() + QStringLiteral(". ") + advice : QString());
      marked = marked || wrong;
    }
    setTabText(tab, marked ? title + QStringLiteral(" ⚠") : title);
    found = found || marked;
  }
  return found;
}

PlanFieldEditor* PlanForm::editor(const QString& key) const {
  const auto found = std::find_if(editors_.begin(), editors_.end(),
                                  [&](const PlanFieldEditor* each) { return key == QLatin1String(each->field().key); });
  return found == editors_.end() ? nullptr : *found;
}

}  // namespace carryover
