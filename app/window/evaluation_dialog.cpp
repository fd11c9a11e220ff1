// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/evaluation_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/window/task_tree.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/checkpoints/model_source.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/json_file.h"
#include "engine/tasks/task_table.h"
#include "widgets/controls/page_parts.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/screen_size.h"
#include "widgets/look/widget_rows.h"
#include "widgets/training/state/plan_values.h"

namespace carryover {
namespace {

constexpr int most_samples = 1'000'000, policies_in_a_row = 3;
constexpr std::int64_t most_length = std::int64_t{1} << 31;

/// Whole numbers with commas or blanks between them. Throws EngineError{Usage}.
std::vector<std::int64_t> lengths_of(const QString& text) {
  std::vector<std::int64_t> lengths;
  for (const QString& word : QString(text).replace(u',', u' ').split(u' ', Qt::SkipEmptyParts)) {
    bool ok = false;
    lengths.push_back(word.toLongLong(&ok));
    if (!ok || lengths.back() < 1 || lengths.back() > most_length)
      throw EngineError(Fault::Usage, EvaluationDialog::tr("Lengths").toStdString(),
                        EvaluationDialog::tr("“%1” is not a number of tokens").arg(word).toStdString(),
                        EvaluationDialog::tr("For example 4096, 8192.").toStdString());
  }
  if (lengths.empty()) lengths = {0};
  return lengths;
}

std::uint64_t seed_of(const QString& text) {
  bool ok = false;
  const qulonglong seed = text.trimmed().toULongLong(&ok);
  if (!ok || seed > static_cast<qulonglong>(INT64_MAX))
    throw EngineError(Fault::Usage, EvaluationDialog::tr("Seed").toStdString(),
                      EvaluationDialog::tr("“%1” is not a whole number").arg(text).toStdString(),
                      EvaluationDialog::tr("For example 42.").toStdString());
  return seed;
}

}  // namespace

EvaluationDialog::EvaluationDialog(QWidget* parent) : CommandDialog(parent) {
  setWindowTitle(tr("Evaluate a model"));
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_tasks());
  split->addWidget(scrolled(build_settings(), tr("Settings of the evaluation"), this));
  split->setSizes({440, 400});
  auto* column = new QVBoxLayout(this);
  column->addWidget(split, 1);
  resize(size_on_screen(*this, {900, 660}));
  complete(column, tr("Dry run"), tr("Makes the samples, counts their tokens, and estimates the time"),
           tr("Making samples…"));
}

QWidget* EvaluationDialog::build_tasks() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  tasks_ = new TaskTree(page);
  connect(tasks_, &TaskTree::checks_changed, this, &EvaluationDialog::validate);
  column->addWidget(tasks_, 1);
  data_rows_ = new QFormLayout;
  data_rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  own_ = add_path(*data_rows_, tr("Own samples"),
                  tr("A .jsonl file with a prompt and its answers or choices on each line, as an additional task"),
                  Choice::File);
  own_->setPlaceholderText(own_->toolTip());
  for (const TaskFamily& family : task_families()) {
    if (family.data.empty()) continue;
    QLineEdit* edit = add_path(*data_rows_, tr("Data of %1").arg(qstring(family.name)), field_text(family.data.c_str()),
                               Choice::Folder);
    edit->setPlaceholderText(edit->toolTip());
    data_[family.name] = edit;
    data_fields_[family.name] = edit->parentWidget();
  }
  column->addLayout(data_rows_);
  return page;
}

QSpinBox* EvaluationDialog::add_number(QFormLayout& rows, const QString& label, const QString& help,
                                       const QString& none) {
  auto* box = new QSpinBox(this);
  box->setRange(0, most_samples);
  box->setSpecialValueText(none);
  box->setAccessibleName(label);
  box->setToolTip(help);
  rows.addRow(label, box);
  connect(box, &QSpinBox::valueChanged, this, &EvaluationDialog::validate);
  return box;
}

QWidget* EvaluationDialog::add_policies() {
  auto* page = new QWidget(this);
  auto* rows = new WidgetRows(page, policies_in_a_row);
  for (const std::string& policy : policy_names()) {
    auto* box = new QCheckBox(qstring(policy), page);
    box->setToolTip(qstring(find_policy(policy)->help));
    box->setChecked(policies_.empty());
    rows->append(box);
    policies_.push_back(box);
    connect(box, &QCheckBox::toggled, this, &EvaluationDialog::validate);
  }
  return page;
}

QWidget* EvaluationDialog::build_settings() {
  auto* page = new QWidget(this);
  auto* rows = new QFormLayout(page);
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  rows->setRowWrapPolicy(QFormLayout::WrapLongRows);
  model_name_ = new QLabel(page);
  model_name_->setTextFormat(Qt::PlainText);
  model_name_->setWordWrap(true);
  model_name_->setAccessibleName(tr("Model"));
  rows->addRow(tr("Model"), model_name_);
  lengths_ = new QLineEdit(page);
  lengths_->setAccessibleName(tr("Lengths"));
  lengths_->setToolTip(tr("Maximum tokens of prompt and answer, separated by commas; empty: each sample's own length"));
  lengths_->setPlaceholderText(tr("as they are"));
  connect(lengths_, &QLineEdit::textChanged, this, &EvaluationDialog::validate);
  rows->addRow(tr("Lengths"), lengths_);
  rows->addRow(tr("Policies"), add_policies());
  variants_ = new QLineEdit(page);
  variants_->setAccessibleName(tr("With settings"));
  variants_->setToolTip(
      tr("Additional policies with their own settings, such as a control without retrieval; separated by commas"));
  variants_->setPlaceholderText(QStringLiteral("segmented[retrieval_length=0]"));
  connect(variants_, &QLineEdit::textChanged, this, &EvaluationDialog::validate);
  rows->addRow(tr("With settings"), variants_);
  samples_ =
      add_number(*rows, tr("Samples"), tr("Samples of each generated task at each length"), tr("the task's default"));
  limit_ = add_number(*rows, tr("Limit"), tr("Run only the first samples of each task and length"), tr("all"));
  seed_ = new QLineEdit(QString::number(EvaluationPlan().seed), page);
  seed_->setAccessibleName(tr("Seed"));
  seed_->setToolTip(tr("Seed of generated samples"));
  connect(seed_, &QLineEdit::textChanged, this, &EvaluationDialog::validate);
  rows->addRow(tr("Seed"), seed_);
  chat_ = new QCheckBox(tr("format prompts with the model's chat template"), page);
  chat_->setAccessibleName(tr("Chat template"));
  connect(chat_, &QCheckBox::toggled, this, &EvaluationDialog::validate);
  rows->addRow(tr("Chat template"), chat_);
  question_ = new QComboBox(page);
  question_->addItems({tr("inside: the policy compresses it with the context"),
                       tr("outside: the context is read first, without the question")});
  question_->setAccessibleName(tr("Question"));
  question_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(question_, &QComboBox::currentIndexChanged, this, &EvaluationDialog::validate);
  rows->addRow(tr("Question"), question_);
  folder_ = add_path(*rows, tr("Folder"),
                     tr("A new folder, or the folder of an evaluation with the same settings, which then continues"),
                     Choice::Folder);
  return page;
}

void EvaluationDialog::set_model(const EvaluationPlan& plan, const QString& why_none) {
  model_ = plan;
  why_no_model_ = why_none;
  read_shape();
  validate();
}

void EvaluationDialog::read_shape() {
  if (model_.model.empty()) return;
  if (const auto problem = attempt([this] { shape_ = ModelSource::open(model_.model)->config(); }))
    why_no_model_ = QStringLiteral("%1: %2").arg(problem->where, problem->problem);
}

void EvaluationDialog::set_request(const EvaluationRequest& request) {
  const EvaluationPlan& plan = request.plan;
  model_ = plan;
  why_no_model_.clear();
  read_shape();
  tasks_->set_checked(plan.tasks);
  own_->clear();
  for (const std::string& task : plan.tasks)
    if (task.starts_with("file:")) own_->setText(qstring(task.substr(task.find(':') + 1)));
  for (auto& [family, edit] : data_) {
    const auto found = plan.data.find(family);
    edit->setText(found == plan.data.end() ? QString() : qstring(found->second));
  }
  QStringList lengths;
  for (const std::int64_t length : plan.lengths)
    if (length > 0) lengths += QString::number(length);
  lengths_->setText(lengths.join(QStringLiteral(", ")));
  for (QCheckBox* box : policies_)
    box->setChecked(std::ranges::find(plan.policies, box->text().toStdString()) != plan.policies.end());
  QStringList variants;
  for (const std::string& policy : plan.policies)
    if (policy.find('[') != std::string::npos) variants += qstring(policy);
  variants_->setText(variants.join(QStringLiteral(", ")));
  samples_->setValue(static_cast<int>(std::min<std::int64_t>(plan.samples, most_samples)));
  limit_->setValue(static_cast<int>(std::min<std::int64_t>(plan.limit, most_samples)));
  seed_->setText(QString::number(plan.seed));
  chat_->setChecked(plan.chat);
  question_->setCurrentIndex(static_cast<int>(plan.question));
  folder_->setText(qstring(request.out));
  validate();
}

/// Returns the checked policies, then those with settings; of a folder that continues, in the folder's order.
std::vector<std::string> EvaluationDialog::policies() const {
  std::vector<std::string> names;
  for (const QCheckBox* box : policies_)
    if (box->isChecked()) names.push_back(box->text().toStdString());
  for (const std::string& name : variant_names(variants_->text().toStdString()))
    names.push_back(policy_variant(name).name());
  std::ranges::stable_sort(names, {}, [this](const std::string& name) {
    return std::ranges::find(model_.policies, name) - model_.policies.begin();
  });
  return names;
}

/// Throws EngineError{BadInput, Usage} where a field can't be read.
EvaluationPlan EvaluationDialog::plan() const {
  EvaluationPlan plan;
  plan.model = model_.model;
  plan.adapter = model_.adapter;
  plan.config = model_.config;
  plan.dtype = model_.dtype;
  plan.device = model_.device;
  plan.tasks = tasks_->checked();
  if (const QString own = own_->text().trimmed(); !own.isEmpty())
    plan.tasks.push_back("file:" + QFileInfo(own).absoluteFilePath().toStdString());
  plan.lengths = lengths_of(lengths_->text());
  plan.policies = policies();
  plan.samples = samples_->value();
  plan.limit = limit_->value();
  plan.seed = seed_of(seed_->text());
  for (const auto& [family, edit] : data_)
    if (const QString path = edit->text().trimmed(); !path.isEmpty() && data_fields_.at(family)->isVisibleTo(this))
      plan.data[family] = QFileInfo(path).absoluteFilePath().toStdString();
  plan.chat = chat_->isChecked();
  plan.question = static_cast<QuestionPlace>(question_->currentIndex());
  return plan;
}

EvaluationRequest EvaluationDialog::request() const {
  const QString folder = folder_->text().trimmed();
  return {plan(), QFileInfo(folder.isEmpty() ? planned_folder() : folder).absoluteFilePath().toStdString(), 0};
}

QString EvaluationDialog::planned_folder() const {
  if (model_.model.empty()) return {};
  return QDir::current().absoluteFilePath(QStringLiteral("runs/evaluations/") + qstring(evaluated_name(model_.model)));
}

/// A family's row is there while one of its tasks is checked.
void EvaluationDialog::show_data_rows(const std::vector<std::string>& tasks) {
  for (const auto& [family, field] : data_fields_) {
    const bool wanted =
        std::ranges::any_of(tasks, [&family = family](const auto& task) { return task_family(task).name == family; });
    field->setVisible(wanted);
    data_rows_->labelForField(field)->setVisible(wanted);
  }
}

QString EvaluationDialog::problem_of_form() const {
  if (!why_no_model_.isEmpty()) return why_no_model_;
  if (model_.model.empty()) return tr("open a model first");
  QString problem;
  const auto wrong = attempt([&] {
    const EvaluationRequest wanted = request();
    if (wanted.plan.tasks.empty())
      throw EngineError(Fault::Usage, tr("Tasks").toStdString(), tr("select at least one").toStdString(), "");
    if (wanted.plan.policies.empty())
      throw EngineError(Fault::Usage, tr("Policies").toStdString(), tr("select at least one").toStdString(), "");
    for (const std::string& task : wanted.plan.tasks)
      if (task.starts_with("file:")
              ? !QFileInfo(own_->text().trimmed()).isFile()
              : make_task(task)->info().needs_data && !wanted.plan.data.contains(task_family(task).name))
        problem = task.starts_with("file:")
                      ? tr("Own samples: %1 is not a file").arg(own_->text())
                      : tr("%1 needs data: %2").arg(qstring(task), qstring(task_family(task).data));
    for (const auto& [family, path] : wanted.plan.data)
      if (!QFileInfo::exists(qstring(path)))
        problem = tr("Data of %1: %2 is missing").arg(qstring(family), qstring(path));
    check_plan(wanted.plan);
    check_policies(wanted.plan, shape_, tr("Settings").toStdString());
    evaluation_command(wanted);
    if (const QFileInfo folder(qstring(wanted.out)); folder.exists() && !folder.isDir())
      problem = tr("Folder: %1 is a file").arg(folder.filePath());
  });
  return wrong ? QStringLiteral("%1: %2").arg(wrong->where, wrong->problem) : problem;
}

QString EvaluationDialog::review() {
  show_data_rows(tasks_->checked());
  model_name_->setText(model_.model.empty() ? QStringLiteral("–") : qstring(model_.model));
  folder_->setPlaceholderText(planned_folder());
  return problem_of_form();
}

std::vector<std::string> EvaluationDialog::command() const {
  return evaluation_command(request());
}

/// Samples and tokens are those of one policy, the time is that of all.
QString EvaluationDialog::forecast_text(const nlohmann::json& printed, const std::string& where) const {
  std::int64_t samples = 0, tokens = 0, new_tokens = 0;
  const JsonFields fields(printed, where);
  if (const nlohmann::json* tasks = fields.find("tasks"); tasks != nullptr && tasks->is_array())
    for (const nlohmann::json& task : *tasks) {
      const JsonFields numbers(task, where);
      samples += numbers.integer("samples");
      tokens += numbers.integer("tokens");
      new_tokens += numbers.integer("new_tokens");
    }
  return tr("%1 samples for each policy, %2 tokens, at most %3 to generate: about %4 in total")
      .arg(count_text(samples), count_text(tokens), count_text(new_tokens),
           duration_text(fields.find_number("seconds").value_or(0)));
}

}  // namespace carryover
