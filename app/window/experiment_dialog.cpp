// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_dialog.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include "engine/records/run_command.h"
#include "widgets/controls/button_row.h"
#include "widgets/controls/command_box.h"

namespace carryover {
namespace {

constexpr int most_threads = 1024, as_planned = -1;

/// Paths or names as they are typed, with semicolons or commas between them.
std::vector<std::string> listed(const QLineEdit& edit, QChar between) {
  std::vector<std::string> values;
  for (const QString& value : edit.text().split(between, Qt::SkipEmptyParts))
    if (!value.trimmed().isEmpty()) values.push_back(value.trimmed().toStdString());
  return values;
}

QString joined(const std::vector<std::string>& values, const QString& between) {
  QStringList texts;
  for (const std::string& value : values) texts += QString::fromStdString(value);
  return texts.join(between);
}

}  // namespace

ExperimentDialog::ExperimentDialog(QWidget* parent)
    : QDialog(parent),
      model_rows_(new QWidget(this)),
      file_(new QComboBox(this)),
      threads_(new QSpinBox(this)),
      command_(new CommandBox(this)),
      state_(new QLabel(this)) {
  setWindowTitle(tr("Run an experiment"));
  auto* rows = new QFormLayout;
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  build_form(*rows);
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  state_->setAccessibleName(tr("State"));
  auto* buttons = new ButtonRow(this);
  start_ = buttons->add(tr("Start"), tr("Run it in a process of its own"), this, &ExperimentDialog::accept);
  start_->setDefault(true);
  buttons->add(state_, 1);
  buttons->add(tr("Close"), {}, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addLayout(rows);
  column->addWidget(command_, 1);
  column->addWidget(buttons);
  resize(720, 520);
  read_plan();
}

void ExperimentDialog::add_browse(QHBoxLayout& row, const QString& label, QLineEdit* edit, Choice choice) {
  auto* browse = new QToolButton(this);
  browse->setText(QStringLiteral("…"));
  browse->setAccessibleName(tr("Choose: %1").arg(label));
  row.addWidget(browse);
  connect(browse, &QToolButton::clicked, edit, [this, edit, label, choice] {
    const QString path = choice == Choice::File     ? QFileDialog::getOpenFileName(this, label, edit->text())
                         : choice == Choice::Folder ? QFileDialog::getExistingDirectory(this, label, edit->text())
                                                    : QFileDialog::getSaveFileName(this, label, edit->text());
    if (!path.isEmpty()) edit->setText(path);
  });
}

QLineEdit* ExperimentDialog::add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice) {
  auto* both = new QWidget(this);
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  auto* edit = new QLineEdit(both);
  edit->setToolTip(help);
  edit->setAccessibleName(label);
  edit->setAccessibleDescription(help);
  row->addWidget(edit, 1);
  add_browse(*row, label, edit, choice);
  rows.addRow(label, both);
  connect(edit, &QLineEdit::textChanged, this, &ExperimentDialog::validate);
  return edit;
}

void ExperimentDialog::build_form(QFormLayout& rows) {
  auto* both = new QWidget(this);
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 0, 0);
  file_->setEditable(true);
  file_->addItems(example_plans());
  file_->setCurrentIndex(-1);
  file_->setAccessibleName(tr("Plan"));
  file_->setToolTip(tr("A JSON file: models, recipes, seeds, evaluations, texts"));
  row->addWidget(file_, 1);
  add_browse(*row, tr("Plan"), file_->lineEdit(), Choice::File);
  rows.addRow(tr("Plan"), both);
  connect(file_, &QComboBox::currentTextChanged, this, &ExperimentDialog::read_plan);
  folder_ = add_path(rows, tr("Folder"),
                     tr("Of the experiment: a new one, or one that has some of its cells, which are not made again"),
                     Choice::NewFolder);
  rows.addRow(tr("Models"), model_rows_);
  data_ = add_path(rows, tr("Training texts"), tr("Files or folders in place of the plan's; several with ;"),
                   Choice::Folder);
  texts_ = add_path(rows, tr("Evaluation texts"), tr("Files or folders in place of the plan's; several with ;"),
                    Choice::Folder);
  data_->setPlaceholderText(tr("as planned"));
  texts_->setPlaceholderText(tr("as planned"));
  only_ = new QLineEdit(this);
  only_->setAccessibleName(tr("Recipes"));
  only_->setToolTip(tr("Run these recipes alone; several with commas"));
  rows.addRow(tr("Recipes"), only_);
  connect(only_, &QLineEdit::textChanged, this, &ExperimentDialog::validate);
  threads_->setRange(as_planned, most_threads);
  threads_->setSpecialValueText(tr("as planned"));
  threads_->setValue(as_planned);
  threads_->setAccessibleName(tr("Threads"));
  threads_->setToolTip(tr("Threads of the processor; 0: all"));
  rows.addRow(tr("Threads"), threads_);
  connect(threads_, &QSpinBox::valueChanged, this, &ExperimentDialog::validate);
}

QStringList ExperimentDialog::example_plans() {
  const QDir plans(
      QDir(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/carryover/experiments")).canonicalPath());
  QStringList paths;
  for (const QString& name : plans.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
    paths += plans.filePath(name);
  return plans.path() == QStringLiteral(".") ? QStringList() : paths;
}

void ExperimentDialog::read_plan() {
  const QString path = file_->currentText().trimmed();
  plan_ = {};
  plan_problem_.clear();
  if (path.isEmpty()) {
    plan_problem_ = tr("Plan: choose one");
  } else if (!QFileInfo(path).isFile()) {
    plan_problem_ = tr("Plan: %1 is no file").arg(path);
  } else if (const auto problem = attempt([&] { plan_ = read_experiment_plan(path.toStdString()); })) {
    plan_problem_ = QStringLiteral("%1: %2").arg(problem->where, problem->problem);
  }
  show_models();
  folder_->setPlaceholderText(planned_folder());
  QStringList recipes;
  for (const PlanRecipe& recipe : plan_.recipes) recipes += QString::fromStdString(recipe.name);
  only_->setPlaceholderText(recipes.isEmpty() ? tr("all") : tr("all: %1").arg(recipes.join(QStringLiteral(", "))));
  validate();
}

/// A row for each model of the plan. What was typed for one of that name stays.
void ExperimentDialog::show_models() {
  std::vector<std::pair<std::string, QString>> typed;
  for (const auto& [name, edit] : models_) typed.emplace_back(name, edit->text());
  models_.clear();
  qDeleteAll(model_rows_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
  delete model_rows_->layout();
  auto* rows = new QFormLayout(model_rows_);
  rows->setContentsMargins(0, 0, 0, 0);
  for (const PlanModel& model : plan_.models) {
    QLineEdit* edit = add_path(*rows, QString::fromStdString(model.name),
                               tr("A folder or GGUF file in place of the plan's"), Choice::File);
    edit->setPlaceholderText(QString::fromStdString(model.path));
    models_.emplace_back(model.name, edit);
    for (const auto& [name, text] : typed)
      if (name == model.name) edit->setText(text);
  }
}

QString ExperimentDialog::planned_folder() const {
  if (plan_.name.empty()) return {};
  return QDir::current().absoluteFilePath(QStringLiteral("runs/experiments/") + QString::fromStdString(plan_.name));
}

QString ExperimentDialog::problem_of_form() const {
  if (!plan_problem_.isEmpty()) return plan_problem_;
  const ExperimentRequest wanted = request();
  if (const QFileInfo folder(QString::fromStdString(wanted.out)); folder.exists() && !folder.isDir())
    return tr("Folder: %1 is a file").arg(folder.filePath());
  ExperimentPlan plan = plan_;
  if (const auto problem = attempt([&] { apply_overrides(plan, wanted.overrides); }))
    return QStringLiteral("%1: %2").arg(problem->where, problem->problem);
  for (const PlanModel& model : plan.models)
    if (!QFileInfo::exists(QString::fromStdString(model.path)))
      return tr("Model %1: %2 is not there")
          .arg(QString::fromStdString(model.name), QString::fromStdString(model.path));
  return {};
}

void ExperimentDialog::validate() {
  problem_ = problem_of_form();
  command_->set_command(command_line());
  state_->setText(problem_.isEmpty() ? QString() : tr("Not ready: %1").arg(problem_));
  start_->setEnabled(problem_.isEmpty());
}

QString ExperimentDialog::command_line() const {
  return problem_.isEmpty() ? QString::fromStdString(shell_command(experiment_command(request()))) : QString();
}

ExperimentRequest ExperimentDialog::request() const {
  ExperimentRequest request;
  request.plan = file_->currentText().trimmed().toStdString();
  const QString folder = folder_->text().trimmed();
  request.out = (folder.isEmpty() ? planned_folder() : folder).toStdString();
  for (const auto& [name, edit] : models_)
    if (const QString path = edit->text().trimmed(); !path.isEmpty())
      request.overrides.models.push_back({name, path.toStdString()});
  request.overrides.data = listed(*data_, u';');
  request.overrides.texts = listed(*texts_, u';');
  request.overrides.only = listed(*only_, u',');
  request.overrides.threads = threads_->value();
  return request;
}

void ExperimentDialog::set_request(const ExperimentRequest& request) {
  file_->setEditText(QString::fromStdString(request.plan));
  folder_->setText(QString::fromStdString(request.out));
  for (const auto& [name, edit] : models_) {
    edit->clear();
    for (const PlanModel& model : request.overrides.models)
      if (model.name == name) edit->setText(QString::fromStdString(model.path));
  }
  data_->setText(joined(request.overrides.data, QStringLiteral(";")));
  texts_->setText(joined(request.overrides.texts, QStringLiteral(";")));
  only_->setText(joined(request.overrides.only, QStringLiteral(", ")));
  threads_->setValue(request.overrides.threads);
  validate();
}

void ExperimentDialog::accept() {
  validate();
  if (!problem_.isEmpty()) return;
  Q_EMIT start_wanted(request());
  QDialog::accept();
}

}  // namespace carryover
