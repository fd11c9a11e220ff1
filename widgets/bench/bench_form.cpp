// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bench/bench_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QStandardItemModel>
#include <algorithm>

#include "engine/bench/bench_file.h"
#include "engine/checkpoints/random_model.h"
#include "engine/cost/policy_table.h"
#include "widgets/bench/bench_plots.h"
#include "widgets/controls/path_row.h"
#include "widgets/look/widget_rows.h"

namespace carryover {
namespace {

constexpr int open_model = 0;  ///< of the list; shapes follow
constexpr int most_threads = 1024, boxes_in_a_row = 3;

QString text(std::string_view value) {
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

/// Lengths as they are typed: commas and spaces between them. Those that are none are 0.
std::vector<std::int64_t> lengths_in(const QString& typed) {
  static const QRegularExpression between(QStringLiteral("[\\s,;]+"));
  std::vector<std::int64_t> lengths;
  for (const QString& word : typed.split(between, Qt::SkipEmptyParts)) {
    const std::int64_t length = word.toLongLong();
    lengths.push_back(length > 0 && length <= bench_most_tokens ? length : 0);
  }
  return lengths;
}

std::vector<std::string> ticked(const std::vector<QCheckBox*>& boxes) {
  std::vector<std::string> names;
  for (const QCheckBox* box : boxes)
    if (box->isChecked()) names.push_back(box->objectName().toStdString());
  return names;
}

void tick(const std::vector<QCheckBox*>& boxes, const std::vector<std::string>& names) {
  for (QCheckBox* box : boxes)
    box->setChecked(std::find(names.begin(), names.end(), box->objectName().toStdString()) != names.end());
}

}  // namespace

BenchForm::BenchForm(QWidget* parent) : QWidget(parent), rows_(new QFormLayout(this)) {
  rows_->setContentsMargins(0, 0, 0, 0);
  rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  rows_->setVerticalSpacing(5);
  model_ = add_choice(tr("Model"), tr("The open model, or random weights of a known shape"), "model", {});
  with_settings_ =
      add({}, tr("Use S, M, R, heads and the other settings of the window instead of the model's defaults"),
          new QCheckBox(tr("with the window's settings"), this), "with_settings");
  connect(with_settings_, &QCheckBox::toggled, this, [this](bool on) {
    wants_settings_ = on;
    Q_EMIT changed();
  });
  QStringList dtypes, devices;
  for (const DType dtype : {DType::Auto, DType::Float32, DType::BFloat16, DType::Float64, DType::Q8})
    dtypes += text(dtype_name(dtype));
  for (const Device device : {Device::Auto, Device::Cpu, Device::Cuda}) devices += text(device_name(device));
  dtype_ = add_choice(tr("dtype"), tr("auto: the faster one on this machine"), "dtype", dtypes);
  device_ = add_choice(tr("Device"), tr("auto: a GPU if there is one"), "device", devices);
  threads_ = add_number(tr("Threads"), tr("CPU threads"), "threads", 0, most_threads);
  threads_->setSpecialValueText(tr("all"));
  contexts_ =
      add(tr("Contexts"), tr("Lengths of the texts in tokens, separated by commas"), new QLineEdit(this), "contexts");
  connect(contexts_, &QLineEdit::textChanged, this, &BenchForm::changed);
  std::vector<std::pair<QString, QString>> kinds, policies;
  for (const BenchKind kind : bench_kinds) kinds.emplace_back(text(bench_kind_name(kind)), bench_kind_title(kind));
  for (const std::string& policy : policy_names()) policies.emplace_back(text(policy), text(policy));
  kinds_ = add_boxes(tr("Work"),
                     tr("Prefill of a text, decoding of tokens after it, one training step of K + 1 segments"), kinds);
  policies_ = add_boxes(tr("Policies"), tr("What attention sees across segments"), policies);
  new_tokens_ = add_number(tr("Decoded"), tr("Tokens decoded after each text"), "new_tokens", 1, bench_most_new_tokens);
  new_tokens_->setSuffix(tr(" tokens"));
  repeats_ = add_number(tr("Repeats"),
                        tr("Repetitions of each measurement. By length: 5 up to 2048 tokens, 3 up to 8192, 1 above"),
                        "repeats", 0, bench_most_repeats);
  repeats_->setSpecialValueText(tr("by length"));
  peer_ = add_path(tr("Peer"),
                   tr("Python of a virtual environment with transformers, which is measured in the same rounds. "
                      "llama-bench is measured too if it is on PATH and the model is a GGUF file"),
                   "peer", false);
  peer_->setPlaceholderText(tr("none, or venv/bin/python"));
  output_ = add_path(tr("Folder"), tr("Folder for bench.json and bench.csv; a stopped bench writes them too"), "output",
                     true);
  output_->setPlaceholderText(tr("none: results stay in this dialog"));
  connect(model_, &QComboBox::currentIndexChanged, this, &BenchForm::update_settings_box);
  set_request({});
  add_models();
}

template <typename Field>
Field* BenchForm::add(const QString& label, const QString& help, Field* field, const char* name) {
  field->setObjectName(QLatin1String(name));
  field->setToolTip(help);
  if (!label.isEmpty()) field->setAccessibleName(label);
  field->setAccessibleDescription(help);
  rows_->addRow(label, field);
  return field;
}

QComboBox* BenchForm::add_choice(const QString& label, const QString& help, const char* name,
                                 const QStringList& items) {
  auto* box = add(label, help, new QComboBox(this), name);
  box->addItems(items);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  connect(box, &QComboBox::currentIndexChanged, this, &BenchForm::changed);
  return box;
}

QSpinBox* BenchForm::add_number(const QString& label, const QString& help, const char* name, int least,
                                std::int64_t most) {
  auto* box = add(label, help, new QSpinBox(this), name);
  box->setRange(least, static_cast<int>(most));
  connect(box, &QSpinBox::valueChanged, this, &BenchForm::changed);
  return box;
}

QLineEdit* BenchForm::add_path(const QString& label, const QString& help, const char* name, bool folder) {
  QLineEdit* edit = add_path_row(*rows_, label, help, [this, folder, label](const QString&) {
    return folder ? QFileDialog::getSaveFileName(this, tr("New folder for the bench"), QStringLiteral("bench"))
                  : QFileDialog::getOpenFileName(this, label);
  });
  edit->setObjectName(QLatin1String(name));
  connect(edit, &QLineEdit::textChanged, this, &BenchForm::changed);
  return edit;
}

std::vector<QCheckBox*> BenchForm::add_boxes(const QString& label, const QString& help,
                                             const std::vector<std::pair<QString, QString>>& names) {
  auto* all = new QWidget(this);
  auto* rows = new WidgetRows(all, boxes_in_a_row);
  std::vector<QCheckBox*> boxes;
  for (const auto& [name, title] : names) {
    auto* box = new QCheckBox(title, all);
    box->setObjectName(name);
    box->setToolTip(help);
    rows->append(box);
    boxes.push_back(box);
    connect(box, &QCheckBox::toggled, this, &BenchForm::changed);
  }
  rows_->addRow(label, all);
  return boxes;
}

void BenchForm::add_models() {
  const int chosen = model_->currentIndex();
  const QSignalBlocker quiet(model_);
  model_->clear();
  model_->addItem(model_path_.isEmpty() ? tr("no open model") : tr("%1 (open)").arg(model_name_));
  model_->setItemData(open_model, model_path_.isEmpty() ? why_no_model_ : model_path_, Qt::ToolTipRole);
  auto* items = qobject_cast<QStandardItemModel*>(model_->model());
  items->item(open_model)->setEnabled(!model_path_.isEmpty());
  for (const std::string& shape : random_shapes())
    model_->addItem(tr("%1, random weights").arg(text(shape)), text(shape));
  model_->setCurrentIndex(std::max(open_model, chosen));
  update_settings_box();
}

/// Says why the bench cannot use the window's settings; empty if it can.
QString BenchForm::why_no_settings() const {
  if (!model_chosen()) return tr("Random weights are measured with the settings of their shape");
  if (model_path_.isEmpty()) return tr("No model is open");
  return model_config_.empty() ? tr("The window has the model's own settings") : QString();
}

void BenchForm::update_settings_box() {
  const QString why_not = why_no_settings();
  const QSignalBlocker quiet(with_settings_);
  with_settings_->setEnabled(why_not.isEmpty());
  with_settings_->setChecked(why_not.isEmpty() && wants_settings_);
  with_settings_->setToolTip(why_not.isEmpty() ? with_settings_->accessibleDescription() : why_not);
}

void BenchForm::set_model(const QString& path, const QString& name, const std::string& config,
                          const QString& why_none) {
  model_path_ = path;
  model_name_ = name;
  model_config_ = config;
  why_no_model_ = why_none;
  add_models();
  Q_EMIT changed();
}

bool BenchForm::model_chosen() const {
  return model_->currentIndex() == open_model;
}

void BenchForm::set_request(const BenchRequest& request) {
  const BenchSettings& settings = request.settings;
  const int shape = model_->findData(text(settings.shape));
  model_->setCurrentIndex(settings.shape.empty() ? open_model : std::max(open_model, shape));
  dtype_->setCurrentText(text(dtype_name(request.dtype)));
  device_->setCurrentText(text(device_name(request.device)));
  threads_->setValue(request.threads);
  QStringList contexts;
  for (const std::int64_t length : settings.contexts) contexts += QString::number(length);
  contexts_->setText(contexts.join(QStringLiteral(", ")));
  tick(kinds_, settings.kinds);
  tick(policies_, settings.policies);
  repeats_->setValue(static_cast<int>(settings.repeats));
  new_tokens_->setValue(static_cast<int>(settings.new_tokens));
  peer_->setText(text(settings.peer));
  output_->setText(text(settings.output));
}

QString BenchForm::problem_of_paths() const {
  const QString peer = peer_->text().trimmed(), output = output_->text().trimmed();
  if (!peer.isEmpty() && peer.contains(u'/') && !QFileInfo(peer).isExecutable())
    return tr("Peer: %1 is not an executable program").arg(peer);
  if (!output.isEmpty() && QFileInfo::exists(output + QStringLiteral("/bench.json")))
    return tr("Folder: %1 already contains a bench; choose a new folder").arg(output);
  if (QFileInfo(output).exists() && !QFileInfo(output).isDir()) return tr("Folder: %1 is a file").arg(output);
  return {};
}

QString BenchForm::problem() const {
  if (model_chosen() && model_path_.isEmpty())
    return why_no_model_.isEmpty() ? tr("Model: no model is open; open one, or choose a shape")
                                   : tr("Model: %1").arg(why_no_model_);
  const std::vector<std::int64_t> contexts = lengths_in(contexts_->text());
  if (contexts.empty()) return tr("Contexts: enter at least one length, for example 512, 2048");
  if (std::find(contexts.begin(), contexts.end(), 0) != contexts.end())
    return tr("Contexts: enter whole numbers of tokens from 1 to %L1").arg(static_cast<qlonglong>(bench_most_tokens));
  if (ticked(kinds_).empty()) return tr("Work: tick at least one kind");
  if (ticked(policies_).empty()) return tr("Policies: tick at least one");
  return problem_of_paths();
}

BenchRequest BenchForm::request() const {
  BenchRequest request;
  BenchSettings& settings = request.settings;
  if (model_chosen()) {
    settings.model = model_path_.toStdString();
    if (wants_settings_) request.config = model_config_;
  } else {
    settings.shape = model_->currentData().toString().toStdString();
  }
  request.dtype = parse_dtype(dtype_->currentText().toStdString());
  request.device = parse_device(device_->currentText().toStdString());
  request.threads = threads_->value();
  settings.contexts = lengths_in(contexts_->text());
  settings.kinds = ticked(kinds_);
  settings.policies = ticked(policies_);
  settings.repeats = repeats_->value();
  settings.new_tokens = new_tokens_->value();
  settings.peer = peer_->text().trimmed().toStdString();
  settings.output = output_->text().trimmed().toStdString();
  return request;
}

}  // namespace carryover
