// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/finetune_dialog.h"

#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/checkpoints/model_source.h"
#include "engine/cost/training_cost.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"
#include "widgets/controls/button_row.h"
#include "widgets/controls/command_box.h"
#include "widgets/controls/memory_estimate.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_history.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/screen_size.h"
#include "widgets/look/theme.h"
#include "widgets/training/plan_form.h"
#include "widgets/training/state/plan_command.h"

namespace carryover {
namespace {

constexpr int check_delay_ms = 200;
constexpr int side_width = 330;

}  // namespace

FinetuneDialog::FinetuneDialog(const TrainingPlan& plan, QWidget* parent)
    : QDialog(parent), form_(new PlanForm(this)), memory_(new MemoryEstimate(this)) {
  setWindowTitle(tr("Fine-tune"));
  auto* columns = new QHBoxLayout;
  columns->setSpacing(12);
  columns->addWidget(form_, 1);
  columns->addWidget(build_side());
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(columns, 1);
  remark_ = new QLabel(this);
  remark_->setWordWrap(true);
  remark_->setTextFormat(Qt::PlainText);
  remark_->hide();
  layout->addWidget(remark_);
  problem_label_ = new QLabel(this);
  problem_label_->setWordWrap(true);
  problem_label_->setTextFormat(Qt::PlainText);
  problem_label_->setAccessibleName(tr("Problem with the plan"));
  layout->addWidget(problem_label_);
  layout->addWidget(build_buttons());
  timer_.setSingleShot(true);
  timer_.setInterval(check_delay_ms);
  connect(&timer_, &QTimer::timeout, this, &FinetuneDialog::validate);
  connect(form_, &PlanForm::changed, this, [this] {
    measured_.reset();  // it was of another plan
    timer_.start();
  });
  resize(size_on_screen(*this, {1100, 680}));
  set_plan(plan);
  new FormHistory(*this);
}

QWidget* FinetuneDialog::build_side() {
  auto* widget = new QWidget(this);
  widget->setFixedWidth(side_width);
  auto* side = new QVBoxLayout(widget);
  side->setContentsMargins(0, 0, 0, 0);
  side->setSpacing(8);
  presets_ = new QComboBox(widget);
  presets_->addItem(tr("Preset…"));
  for (const TrainingPreset& preset : training_presets())
    presets_->addItem(QString::fromStdString(preset.title), QString::fromStdString(preset.name));
  presets_->setAccessibleName(tr("Preset"));
  FormHistory::leave_out(*presets_);  // it fills in others
  presets_->setToolTip(tr("Fills in the form, but keeps model, texts, folder and grouping"));
  connect(presets_, &QComboBox::activated, this, [this](int index) {
    if (index > 0) apply_preset(presets_->itemData(index).toString());
  });
  side->addWidget(presets_);
  auto* memory_box = new QGroupBox(tr("Memory"), widget);
  auto* memory_layout = new QVBoxLayout(memory_box);
  memory_layout->addWidget(memory_);
  side->addWidget(memory_box);
  auto* work = new QGroupBox(tr("Work"), widget);
  auto* work_layout = new QVBoxLayout(work);
  size_ = new QLabel(work);
  time_ = new QLabel(work);
  for (QLabel* label : {size_, time_}) {
    label->setWordWrap(true);
    work_layout->addWidget(label);
  }
  dry_run_ = new QPushButton(tr("Dry run"), work);
  dry_run_->setToolTip(tr("Two steps on the first samples: measures memory and time, writes nothing"));
  connect(dry_run_, &QPushButton::clicked, this, [this] {
    validate();
    if (!plan_ || !busy_.isEmpty()) return;
    time_->setText(tr("Dry run in progress…"));
    Q_EMIT dry_run_wanted(*plan_);
  });
  work_layout->addWidget(dry_run_);
  side->addWidget(work);
  command_ = new CommandBox(widget);
  side->addWidget(command_);
  side->addStretch(1);
  return widget;
}

QWidget* FinetuneDialog::build_buttons() {
  auto* row = new ButtonRow(this);
  row->add(tr("Load config…"), tr("Fill the form from a JSON file, as --config takes it"), this,
           [this] { ask_config(false); });
  row->add(tr("Save config…"), tr("Write the form as JSON, for --config"), this, [this] { ask_config(true); });
  row->add_space();
  row->add(tr("Close"), tr("Close without starting the training"), this, [this] { close(); });
  start_ = row->add(tr("Start"), {}, this, &FinetuneDialog::start);
  start_->setDefault(true);
  return row;
}

void FinetuneDialog::start() {
  validate();
  if (!plan_ || !problem_.isEmpty() || !busy_.isEmpty()) return;
  Q_EMIT start_wanted(*plan_);
  accept();
}

void FinetuneDialog::set_plan(const TrainingPlan& plan) {
  form_->set_fields(plan_json(plan));
  measured_.reset();
  validate();
}

void FinetuneDialog::apply_preset(const QString& name) {
  for (const TrainingPreset& preset : training_presets()) {
    if (name.toStdString() != preset.name) continue;
    TrainingPlan plan;
    try {
      plan = plan_from_json(form_->fields(), "form");
    } catch (const EngineError&) {  // what can't be read is what the preset replaces, but for these
      plan.model = form_->editor(QStringLiteral("model"))->value().get<std::string>();
      plan.data = form_->editor(QStringLiteral("data"))->value().get<std::vector<std::string>>();
      plan.output_dir = form_->editor(QStringLiteral("output_dir"))->value().get<std::string>();
    }
    preset.apply(plan);
    preset_ = name.toStdString();
    set_plan(plan);
  }
}

void FinetuneDialog::set_elsewhere(const std::string& model_path, const ModelConfig& model) {
  elsewhere_ = true;
  model_path_ = model_path;
  model_ = model;
  validate();
}

const ModelConfig& FinetuneDialog::model_config(const std::string& path) {
  if (elsewhere_ && model_path_ != path)
    refuse_field("form", "model", "is not the open one", tr("Open it first: it is on another machine.").toStdString());
  if (!model_ || model_path_ != path) {
    model_.reset();
    try {
      model_ = ModelSource::open(path)->config();
    } catch (const EngineError& error) {
      refuse_field("form", "model", QStringLiteral("can't be opened: ").toStdString() + error.problem(),
                   error.advice());
    }
    model_path_ = path;
  }
  return *model_;
}

void FinetuneDialog::check_paths(const TrainingPlan& plan) const {
  if (plan.data.empty()) refuse_field("form", "data", "is empty", tr("Choose a text to train on.").toStdString());
  if (plan.output_dir.empty()) refuse_field("form", "output_dir", "is empty", tr("Choose a new folder.").toStdString());
  if (elsewhere_) return;
  for (const std::string& path : plan.data)
    if (!QFileInfo::exists(QString::fromStdString(path)))
      refuse_field("form", "data", "is not there: " + path, tr("Correct the path.").toStdString());
  const QString folder = QString::fromStdString(plan.output_dir);
  if (QFileInfo::exists(folder + QStringLiteral("/config.json")))
    refuse_field("form", "output_dir", "holds a run already",
                 tr("Choose a new folder, or resume that run in Training runs.").toStdString());
}

void FinetuneDialog::validate() {
  timer_.stop();
  problem_.clear();
  plan_.reset();
  QString advice;
  try {
    TrainingPlan plan = plan_from_json(form_->fields(), "form");
    plan.validate(model_config(plan.model), "form");
    check_paths(plan);
    plan_ = std::move(plan);
  } catch (const EngineError& error) {
    problem_ = QString::fromStdString(error.problem());
    advice = QString::fromStdString(error.advice());
    if (problem_ == QStringLiteral("names no model")) problem_ = QStringLiteral("model is empty");
  }
  const bool beside = form_->show_problem(problem_, advice);
  problem_label_->setText(beside ? tr("Not ready: see the field marked in “%1”.").arg([this] {
    for (int tab = 0; tab < form_->count(); ++tab)
      if (form_->tabText(tab).endsWith(QChar(0x26a0))) return form_->tabText(tab).chopped(2);
    return QString();
  }())
                                 : problem_ + (advice.isEmpty() ? QString() : QStringLiteral(". ") + advice));
  QPalette palette = problem_label_->palette();
  palette.setColor(QPalette::WindowText, current_theme().anchor);
  problem_label_->setPalette(palette);
  problem_label_->setVisible(!problem_.isEmpty());
  show_command();
  estimate();
  update_buttons();
}

QString FinetuneDialog::command_line() const {
  return plan_ && model_ ? plan_command(*plan_, *model_, preset_) : QString();
}

QString FinetuneDialog::config_command_line() const {
  if (!plan_ || config_path_.isEmpty() || config_fields_ != plan_json(*plan_)) return {};
  return QStringLiteral("carryover train --config %1").arg(shell_word(config_path_));
}

void FinetuneDialog::show_command() {
  command_->set_command(command_line(), config_command_line());
}

void FinetuneDialog::remember_config(const QString& path) {
  config_path_ = path;
  config_fields_ = form_->fields();
  show_command();
}

void FinetuneDialog::set_device_memory(Device device, const std::optional<std::int64_t>& free_bytes) {
  engine_device_ = device;
  engine_free_ = free_bytes;
  estimate();
}

/// This machine's memory counts only if the training runs here and on the CPU.
std::optional<std::int64_t> FinetuneDialog::free_for(const TrainingPlan& plan) const {
  const Device device = plan.device == Device::Auto ? engine_device_ : plan.device;
  if (device == engine_device_ && engine_free_) return engine_free_;
  return elsewhere_ || device == Device::Cuda ? std::nullopt : free_memory();
}

void FinetuneDialog::estimate() {
  memory_->set_measured(measured_ ? std::optional(measured_->memory) : std::nullopt);
  if (!plan_) {
    memory_->set_estimate(std::nullopt);
    size_->setText(tr("–"));
    time_->setText({});
    return;
  }
  const TrainingCost cost =
      training_cost(*model_, plan_->config, plan_->training, plan_->policy, bytes_per_value(plan_->dtype));
  memory_->set_free(free_for(*plan_));
  memory_->set_estimate(cost.memory);
  const std::int64_t step_tokens = plan_->tokens_per_sample() * plan_->training.samples_per_step();
  const TrainingConfig& training = plan_->training;
  const QString recall =
      filled(tr(" and %L1 documents of up to %L2 segments"), static_cast<qlonglong>(training.recall_samples),
             static_cast<qlonglong>(training.recall_segments));
  size_->setText(filled(
      tr("%L1 trained parameters. Each step reads %L2 × %L3 tokens%6; %L4 steps read %5 tokens of text."),
      static_cast<qlonglong>(cost.trainable_parameters), static_cast<qlonglong>(plan_->training.samples_per_step()),
      static_cast<qlonglong>(plan_->tokens_per_sample()), static_cast<qlonglong>(plan_->training.max_steps),
      count_text(step_tokens * plan_->training.max_steps), training.recall_samples > 0 ? recall : QString()));
  if (!measured_) return time_->setText(tr("A dry run estimates the time."));
  time_->setText(filled(tr("A step took %1: %2 for all steps, %L3 tokens/s."), duration_text(measured_->seconds),
                        duration_text(measured_->seconds * static_cast<double>(plan_->training.max_steps)),
                        decimal_text(measured_->tokens_per_second, 0)));
}

void FinetuneDialog::show_dry_run(const StepRecord& step) {
  measured_ = step;
  estimate();
}

void FinetuneDialog::show_dry_run_problem(const QString& problem) {
  time_->setText(tr("The dry run failed: %1").arg(problem));
}

void FinetuneDialog::set_remark(const QString& remark) {
  remark_->setText(remark);
  remark_->setVisible(!remark.isEmpty());
}

void FinetuneDialog::set_engine_busy(const QString& why) {
  busy_ = why;
  update_buttons();
}

void FinetuneDialog::update_buttons() {
  const bool ready = plan_.has_value() && busy_.isEmpty();
  start_->setEnabled(ready);
  start_->setToolTip(!busy_.isEmpty()      ? tr("Not now: %1").arg(busy_)
                     : !problem_.isEmpty() ? tr("Not ready: %1").arg(problem_)
                                           : tr("Train, and follow the training in the window"));
  dry_run_->setEnabled(ready);
}

void FinetuneDialog::save_config(const QString& path) {
  write_file_atomically(path.toStdString(), plan_json(plan_from_json(form_->fields(), "form")).dump(2) + "\n");
  remember_config(path);
}

void FinetuneDialog::load_config(const QString& path) {
  const std::string where = path.toStdString();
  const auto json = read_json_file(where, JsonKind::Settings);
  if (!json.is_object())
    throw EngineError(Fault::BadInput, where, "is not a JSON object", "Choose a config of a training run.");
  set_plan(plan_from_json(json, where));
  remember_config(path);
}

void FinetuneDialog::ask_config(bool save) {
  const QString path =
      save ? QFileDialog::getSaveFileName(this, tr("Save the config"), QStringLiteral("run.json"), tr("JSON (*.json)"))
           : QFileDialog::getOpenFileName(this, tr("Load a config"), {}, tr("JSON (*.json)"));
  if (path.isEmpty()) return;
  try {
    save ? save_config(path) : load_config(path);
  } catch (const EngineError& error) {
    problem_label_->setText(QString::fromStdString(error.what()));
    problem_label_->show();
  }
}

void FinetuneDialog::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !timer_.isActive()) timer_.start();
}

}  // namespace carryover
