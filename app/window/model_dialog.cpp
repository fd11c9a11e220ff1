// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "app/controllers/adapter_base.h"
#include "app/window/hub_fetch.h"
#include "app/window/installed_models.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/checkpoints/adapter_fit.h"
#include "engine/checkpoints/model_source.h"
#include "engine/hub/hub_cache.h"
#include "engine/hub/hub_settings.h"
#include "widgets/look/form_history.h"
#include "widgets/look/shown_name.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

QToolButton* small_button(QWidget* parent, const QString& text, const QString& help) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(help);
  button->setAccessibleName(help);
  return button;
}

QHBoxLayout* row_with(QWidget* row, QLineEdit* line) {
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(line, 1);
  return layout;
}

template <typename Value, typename NameOf>
QComboBox* choice(QWidget* parent, std::initializer_list<Value> values, Value chosen, NameOf name_of) {
  auto* box = new QComboBox(parent);
  for (const Value value : values) box->addItem(QString::fromUtf8(name_of(value).data()));
  box->setCurrentText(QString::fromUtf8(name_of(chosen).data()));
  return box;
}

}  // namespace

ModelDialog::ModelDialog(const ModelRequest& open, const QString& elsewhere, const std::vector<ModelPlace>& places,
                         QWidget* parent)
    : QDialog(parent),
      model_(new QLineEdit(QString::fromStdString(open.path), this)),
      adapter_(new QLineEdit(QString::fromStdString(open.adapter), this)),
      hub_(new HubFetch(this)),
      here_(elsewhere.isEmpty()) {
  setWindowTitle(here_ ? tr("Open a model") : title_text(tr("Open a model on %1").arg(elsewhere)));
  auto* form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->addRow(tr("&Model"), build_model(here_));
  form->addRow(QString(), hub_);
  form->addRow(tr("&Adapter"), build_adapter(here_));
  base_ = new QLabel(this);
  base_->setForegroundRole(QPalette::PlaceholderText);
  base_->setWordWrap(true);
  base_->setTextFormat(Qt::PlainText);
  form->addRow(QString(), base_);
  dtype_ =
      choice(this, {DType::Auto, DType::Float32, DType::BFloat16, DType::Float64, DType::Q8}, open.dtype, dtype_name);
  device_ = choice(this, {Device::Auto, Device::Cpu, Device::Cuda}, open.device, device_name);
  form->addRow(tr("d&type"), dtype_);
  form->addRow(tr("&Device"), device_);
  problem_label_ = new QLabel(this);
  problem_label_->setWordWrap(true);
  problem_label_->setTextFormat(Qt::PlainText);
  problem_label_->setAccessibleName(tr("Problem with the choice"));
  problem_label_->setStyleSheet(QStringLiteral("color: %1").arg(current_theme().anchor.name()));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  open_ = buttons->addButton(tr("Open"), QDialogButtonBox::AcceptRole);
  open_->setDefault(true);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(problem_label_);
  if (here_ && !places.empty())
    build_list(places);
  else
    layout->addStretch(1);
  layout->addWidget(buttons);
  resize(installed_ == nullptr ? 600 : 860, installed_ == nullptr ? sizeHint().height() : 560);
  for (QLineEdit* line : {model_, adapter_}) connect(line, &QLineEdit::textChanged, this, &ModelDialog::check);
  connect(dtype_, &QComboBox::currentIndexChanged, this, &ModelDialog::check);
  connect(hub_, &HubFetch::fetched, this, [this](const QString& path) {
    model_->setText(path);
    open_->click();
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    check();
    if (!problem_.isEmpty()) return;
    accept();
    Q_EMIT chosen(request());
  });
  check();
  new FormHistory(*this);
}

QWidget* ModelDialog::build_model(bool here) {
  auto* row = new QWidget(this);
  QHBoxLayout* layout = row_with(row, model_);
  model_->setPlaceholderText(here ? tr("Model folder, GGUF file or name such as Qwen/Qwen3-0.6B")
                                  : tr("Model folder or GGUF file"));
  model_->setAccessibleName(tr("Model"));
  if (!here) return row;
  QToolButton* file = small_button(row, tr("File…"), tr("Choose a GGUF file"));
  QToolButton* folder = small_button(row, tr("Folder…"), tr("Choose a model folder"));
  layout->addWidget(file);
  layout->addWidget(folder);
  const auto take = [this](const QString& path) {
    if (!path.isEmpty()) model_->setText(path);
  };
  connect(file, &QToolButton::clicked, this, [this, take] {
    take(QFileDialog::getOpenFileName(this, tr("Open a model"), {}, tr("GGUF (*.gguf);;All files (*)")));
  });
  connect(folder, &QToolButton::clicked, this,
          [this, take] { take(QFileDialog::getExistingDirectory(this, tr("Open a model folder"))); });
  return row;
}

QWidget* ModelDialog::build_adapter(bool here) {
  auto* row = new QWidget(this);
  QHBoxLayout* layout = row_with(row, adapter_);
  adapter_->setPlaceholderText(tr("None"));
  adapter_->setAccessibleName(tr("Adapter"));
  adapter_->setToolTip(tr("PEFT folder to merge into the model when it loads"));
  QToolButton* remove = small_button(row, tr("None"), tr("Open the model without an adapter"));
  connect(remove, &QToolButton::clicked, adapter_, &QLineEdit::clear);
  if (here) {
    QToolButton* folder = small_button(row, tr("Folder…"), tr("Choose an adapter's folder"));
    layout->addWidget(folder);
    connect(folder, &QToolButton::clicked, this, [this] {
      const QString path = QFileDialog::getExistingDirectory(this, tr("Choose an adapter's folder"));
      if (!path.isEmpty()) adapter_->setText(path);
    });
  }
  layout->addWidget(remove);
  return row;
}

void ModelDialog::build_list(const std::vector<ModelPlace>& places) {
  installed_ = new InstalledModels(places, this);
  FormHistory::leave_out(installed_->words());
  connect(installed_, &InstalledModels::picked, model_, &QLineEdit::setText);
  connect(installed_, &InstalledModels::opened, this, [this](const QString& path) {
    model_->setText(path);
    open_->click();
  });
  static_cast<QVBoxLayout*>(layout())->addWidget(installed_, 1);
}

ModelRequest ModelDialog::request() const {
  ModelRequest request;
  request.path = (here_ ? read_path_ : model_->text().trimmed()).toStdString();
  request.adapter = adapter_->text().trimmed().toStdString();
  request.dtype = parse_dtype(dtype_->currentText().toStdString());
  request.device = parse_device(device_->currentText().toStdString());
  return request;
}

QString ModelDialog::problem_of_model() {
  const QString text = model_->text().trimmed();
  if (text.isEmpty() || !here_) {
    hub_->offer({});
    read_text_.clear();
    return text.isEmpty() ? tr("Model: choose a folder or a GGUF file.") : QString();
  }
  if (text == read_text_) return read_problem_;
  read_text_ = text;
  read_problem_.clear();
  config_.reset();
  hub_->offer({});
  try {
    read_path_ = typed_path();
    if (read_path_.isEmpty()) return read_problem_ = tr("Model: not on this computer. Fetch asks the hub for it.");
    if (is_adapter_folder(read_path_))
      return read_problem_ = tr("Model: this is an adapter. Enter it below, and its base model here.");
    config_ = ModelSource::open(read_path_.toStdString())->config();
  } catch (const EngineError& error) {
    read_problem_ =
        tr("Model: %1. %2").arg(QString::fromStdString(error.problem()), QString::fromStdString(error.advice()));
  }
  return read_problem_;
}

QString ModelDialog::typed_path() {
  std::optional<HubName> name = parse_hub_name(read_text_.toStdString());
  if (QFileInfo::exists(read_text_)) name.reset();
  QString path = read_text_;
  if (name) {
    RunControl control;
    path = QString::fromStdString(cached_model(hub_settings().cache, *name, control));
    if (!path.isEmpty()) name.reset();
  }
  hub_->offer(name);
  return path;
}

QString ModelDialog::problem_of_adapter() {
  const QString path = adapter_->text().trimmed();
  base_->clear();
  if (path.isEmpty()) return {};
  if (dtype_->currentText() == QString::fromUtf8(dtype_name(DType::Q8).data()))
    return tr("An adapter can't be merged into 8-bit weights. Choose another dtype, or no adapter.");
  if (!here_) return {};
  const QString base = base_of_adapter(path);
  if (!base.isEmpty() && QFileInfo(base).canonicalFilePath() != QFileInfo(read_path_).canonicalFilePath())
    base_->setText(tr("Its base model is %1.").arg(base));
  if (!config_) return {};
  try {
    check_adapter_fits(read_adapter_folder(path.toStdString()), *config_);
    return {};
  } catch (const EngineError& error) {
    return tr("Adapter: %1. %2").arg(QString::fromStdString(error.problem()), QString::fromStdString(error.advice()));
  }
}

void ModelDialog::check() {
  const QString of_model = problem_of_model(), of_adapter = problem_of_adapter();
  problem_ = of_model.isEmpty() ? of_adapter : of_model;
  problem_label_->setText(problem_);
  open_->setEnabled(problem_.isEmpty());
  open_->setToolTip(problem_);
}

}  // namespace carryover
