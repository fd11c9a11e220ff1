// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/experiment_dialog.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "widgets/controls/command_box.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_history.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/screen_size.h"
#include "widgets/look/shared_folder.h"
#include "widgets/look/shown_name.h"

namespace carryover {
namespace {

constexpr int most_threads = 1024, as_planned = -1;
constexpr int most_lines = 8, line_width = 560;  ///< of what a plan needs; the rest is in the tooltip
constexpr double most_bytes = 1e18;

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
    : CommandDialog(parent),
      model_rows_(new QWidget(this)),
      shipped_(new QComboBox(this)),
      needs_(new QLabel(this)),
      threads_(new QSpinBox(this)) {
  setWindowTitle(tr("Run an experiment"));
  auto* rows = new QFormLayout;
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  build_form(*rows);
  auto* column = new QVBoxLayout(this);
  column->addLayout(rows);
  resize(size_on_screen(*this, {760, 560}));
  read_plan();
  complete(column, tr("Dry run"), tr("Reads models and texts, and estimates the time"), tr("Estimating…"));
  column->setStretchFactor(command_box(), 1);
}

void ExperimentDialog::build_plan_rows(QFormLayout& rows) {
  shipped_->setAccessibleName(tr("Shipped plans"));
  shipped_->setPlaceholderText(tr("plans that came with the program"));
  shipped_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  for (const ShippedPlan& plan : shipped_plans()) {
    shipped_->addItem(plan.ready ? plan.title : tr("%1 (choose its model and texts)").arg(plan.title), plan.path);
    shipped_->setItemData(shipped_->count() - 1, plan.about, Qt::ToolTipRole);
  }
  shipped_->setCurrentIndex(-1);
  FormHistory::leave_out(*shipped_);  // it follows from the plan's file
  rows.addRow(tr("Shipped plans"), shipped_);
  file_ = add_path(rows, tr("Plan"), tr("A JSON file: models, recipes, seeds, evaluations, texts"), Choice::File);
  connect(file_, &QLineEdit::textChanged, this, &ExperimentDialog::read_plan);
  connect(shipped_, &QComboBox::activated, this, [this] { file_->setText(shipped_->currentData().toString()); });
  needs_->setTextFormat(Qt::PlainText);
  needs_->setAccessibleName(tr("What the plan needs"));
  rows.addRow(tr("Needs"), needs_);
}

void ExperimentDialog::build_form(QFormLayout& rows) {
  build_plan_rows(rows);
  folder_ =
      add_path(rows, tr("Folder"), tr("A new folder, or the folder of an experiment, whose finished cells are kept"),
               Choice::NewFolder);
  rows.addRow(tr("Models"), model_rows_);
  data_ = add_path(rows, tr("Training texts"), tr("Files or folders that replace the plan's texts, separated by ;"),
                   Choice::Folder);
  texts_ = add_path(rows, tr("Evaluation texts"), tr("Files or folders that replace the plan's texts, separated by ;"),
                    Choice::Folder);
  data_->setPlaceholderText(tr("as planned"));
  texts_->setPlaceholderText(tr("as planned"));
  only_ = new QLineEdit(this);
  only_->setAccessibleName(tr("Recipes"));
  only_->setToolTip(tr("Run only these recipes, separated by commas"));
  rows.addRow(tr("Recipes"), only_);
  connect(only_, &QLineEdit::textChanged, this, &ExperimentDialog::validate);
  threads_->setRange(as_planned, most_threads);
  threads_->setSpecialValueText(tr("as planned"));
  threads_->setValue(as_planned);
  threads_->setAccessibleName(tr("Threads"));
  threads_->setToolTip(tr("CPU threads; 0: all"));
  rows.addRow(tr("Threads"), threads_);
  connect(threads_, &QSpinBox::valueChanged, this, &ExperimentDialog::validate);
}

std::vector<ExperimentDialog::ShippedPlan> ExperimentDialog::shipped_plans() {
  const QDir plans(shared_folder(QStringLiteral("experiments")));
  if (plans.path() == QStringLiteral(".")) return {};
  std::vector<ShippedPlan> shipped;
  for (const QString& name : plans.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
    const QString path = plans.filePath(name);
    attempt([&] {
      const ExperimentPlan plan = read_experiment_plan(path.toStdString());
      shipped.push_back(
          {path, QString::fromStdString(plan.title), QString::fromStdString(plan.about), all_there(plan_needs(plan))});
    });
  }
  std::stable_partition(shipped.begin(), shipped.end(), [](const ShippedPlan& plan) { return plan.ready; });
  return shipped;
}

void ExperimentDialog::read_plan() {
  const QString path = file_->text().trimmed();
  shipped_->setCurrentIndex(shipped_->findData(path));
  plan_ = {};
  plan_problem_.clear();
  if (path.isEmpty()) {
    plan_problem_ = tr("Plan: choose one");
  } else if (!QFileInfo(path).isFile()) {
    plan_problem_ = tr("Plan: %1 is not a file").arg(path);
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
    QLineEdit* edit = add_path(*rows, action_text(QString::fromStdString(model.name)),
                               tr("Folder or GGUF file that replaces the plan's model"), Choice::File);
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

QString ExperimentDialog::problem_of_form() {
  if (!plan_problem_.isEmpty()) return plan_problem_;
  const ExperimentRequest wanted = request();
  if (const QFileInfo folder(QString::fromStdString(wanted.out)); folder.exists() && !folder.isDir())
    return tr("Folder: %1 is a file").arg(folder.filePath());
  ExperimentPlan plan = plan_;
  if (const auto problem = attempt([&] { apply_overrides(plan, wanted.overrides); }))
    return QStringLiteral("%1: %2").arg(problem->where, problem->problem);
  needed_ = plan_needs(plan);
  const auto missing = std::ranges::find(needed_, false, &PlanNeed::there);
  return missing == needed_.end() ? QString() : line_of(*missing);
}

QString ExperimentDialog::line_of(const PlanNeed& need) const {
  const QString name = QString::fromStdString(need.name), path = QString::fromStdString(need.path);
  QString line;
  switch (need.kind) {
    case PlanNeed::Kind::Model:
      line = tr("model %1: %2").arg(name, path);
      break;
    case PlanNeed::Kind::Adapter:
      line = tr("adapter of %1: %2").arg(name, path);
      break;
    case PlanNeed::Kind::Data:
      line = tr("training texts: %1").arg(path);
      break;
    case PlanNeed::Kind::Texts:
      line = need.count > 1 ? filled(tr("%1 evaluation texts: %2"), need.count, path)
                            : tr("evaluation texts: %1").arg(path);
  }
  return need.there ? line : tr("%1 (missing)").arg(line);
}

QString ExperimentDialog::needs() const {
  QStringList lines;
  for (const PlanNeed& need : needed_) lines += line_of(need);
  return lines.join(u'\n');
}

QString ExperimentDialog::review() {
  needed_.clear();
  const QString problem = problem_of_form();
  QStringList lines;
  for (const QString& line : needs().split(u'\n', Qt::SkipEmptyParts).mid(0, most_lines))
    lines += needs_->fontMetrics().elidedText(line, Qt::ElideMiddle, line_width);
  needs_->setText(lines.isEmpty() ? QStringLiteral("–") : lines.join(u'\n'));
  needs_->setToolTip(needs());
  return problem;
}

std::vector<std::string> ExperimentDialog::command() const {
  return experiment_command(request());
}

QString ExperimentDialog::forecast_text(const nlohmann::json& printed, const std::string& where) const {
  const JsonFields fields(printed, where);
  const std::int64_t cells = fields.integer("cells"), done = fields.integer("done");
  const double bytes = std::clamp(fields.find_number("bytes_to_write").value_or(0), 0.0, most_bytes);
  return filled(tr("%1 of %2 cells to run: about %3, %4 of disk space"), cells - done, cells,
                duration_text(fields.find_number("seconds").value_or(0)), bytes_text(static_cast<std::int64_t>(bytes)));
}

ExperimentRequest ExperimentDialog::request() const {
  ExperimentRequest request;
  request.plan = file_->text().trimmed().toStdString();
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
  file_->setText(QString::fromStdString(request.plan));
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

}  // namespace carryover
