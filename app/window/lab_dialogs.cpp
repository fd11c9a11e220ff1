// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/lab_dialogs.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QInputDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSysInfo>
#include <QVBoxLayout>

#include "app/window/bench_dialog.h"
#include "app/window/continue_dialog.h"
#include "app/window/engine_dialog.h"
#include "app/window/evaluation_dialog.h"
#include "app/window/experiment_dialog.h"
#include "app/window/model_dialog.h"
#include "engine/bench/bench_command.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/installed/model_places.h"
#include "widgets/bench/bench_form.h"
#include "widgets/look/form_history.h"
#include "widgets/look/form_memory.h"
#include "widgets/training/finetune_dialog.h"

namespace carryover {
namespace {

template <typename Dialog>
Dialog* raised(Dialog* dialog) {
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
  return dialog;
}

void open_once(QDialog* dialog) {
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace

void LabDialogs::ask_model() {
  ModelRequest open;
  if (const auto& model = lab_.loader.model()) {
    open.path = model->info.path;
    open.adapter = model->info.adapter;
  }
  open.dtype = lab_.context.run_options().dtype;
  open.device = lab_.context.run_options().device;
  QString there;
  if (!lab_.engine.command().isEmpty())
    there = lab_.engine.elsewhere() ? QString::fromStdString(lab_.engine.elsewhere()->place.host)
                                    : tr("the engine's machine");
  auto* dialog = new ModelDialog(open, there, model_places({}), window_);
  connect(dialog, &ModelDialog::chosen, &lab_, &Lab::open_model);
  FormMemory::keep(*dialog, QStringLiteral("model"));
  open_once(dialog);
}

void LabDialogs::ask_text() {
  const QString path =
      QFileDialog::getOpenFileName(window_, tr("Open a text"), {}, tr("Text (*.txt *.md);;All files (*)"));
  if (!path.isEmpty()) lab_.open_text(path);
}

void LabDialogs::ask_pasted_text() {
  auto* dialog = new QDialog(window_);
  dialog->setWindowTitle(tr("Paste a text"));
  auto* edit = new QPlainTextEdit(dialog);
  edit->setPlaceholderText(tr("Any UTF-8 text"));
  edit->setTabChangesFocus(true);
  // Not paste(): in Qt 6.4 it crashes where the clipboard is nobody's.
  edit->insertPlainText(QGuiApplication::clipboard()->text());
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(edit);
  layout->addWidget(buttons);
  dialog->resize(560, 380);
  connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(dialog, &QDialog::accepted, &lab_, [this, edit] { lab_.open_pasted_text(edit->toPlainText()); });
  new FormHistory(*dialog);
  FormMemory::keep(*dialog, QStringLiteral("paste ") + edit->toPlainText());  // what was made of this clipboard
  open_once(dialog);
}

void LabDialogs::ask_run() {
  const QString folder = QFileDialog::getExistingDirectory(window_, tr("Open the folder of a run"));
  if (!folder.isEmpty()) lab_.runs.open_run(folder);
}

void LabDialogs::ask_open_state() {
  ask_state_file(tr("Open a document's state"), false, [this](const QString& file) { lab_.documents.open(file); });
}

void LabDialogs::ask_save_state() {
  ask_state_file(tr("Save the document's state"), true, [this](const QString& file) { lab_.documents.save(file); });
}

/// Asks for a state's file. On another machine it is a path to type, because this one can't look into the folders
/// there.
void LabDialogs::ask_state_file(const QString& title, bool save, const std::function<void(const QString&)>& use) {
  if (!lab_.engine.command().isEmpty()) {
    auto* dialog = new QInputDialog(window_);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Its path on the engine's machine"));
    connect(dialog, &QInputDialog::textValueSelected, &lab_, use);
    return open_once(dialog);
  }
  const QString suffix = QStringLiteral("state");
  auto* dialog = new QFileDialog(window_, title, {}, tr("Document states (*.%1);;All files (*)").arg(suffix));
  if (save) {
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(QFileInfo(lab_.context.asked().text_name()).completeBaseName() + u'.' + suffix);
  } else {
    dialog->setFileMode(QFileDialog::ExistingFile);
  }
  connect(dialog, &QFileDialog::fileSelected, &lab_, use);
  open_once(dialog);
}

void LabDialogs::ask_engine() {
  auto* dialog = new EngineDialog(lab_.engine.command(), window_);
  connect(dialog, &EngineDialog::command_chosen, &lab_.engine, &EngineConnection::change_to);
  FormMemory::keep(*dialog, QStringLiteral("engine"));
  open_once(dialog);
}

FinetuneDialog* LabDialogs::finetune() const {
  return finetune_;
}

FinetuneDialog* LabDialogs::open_finetune() {
  if (!finetune_) finetune_ = make_finetune();
  return raised(finetune_.data());
}

BenchDialog* LabDialogs::bench() const {
  return bench_;
}

BenchDialog* LabDialogs::open_bench() {
  if (!bench_) bench_ = make_bench();
  return raised(bench_.data());
}

ExperimentDialog* LabDialogs::open_experiment(const ExperimentRequest& request) {
  if (!experiment_) {
    experiment_ = new ExperimentDialog(window_);
    experiment_->setAttribute(Qt::WA_DeleteOnClose);
    connect(experiment_, &ExperimentDialog::start_wanted, &lab_.experiments, &ExperimentController::start);
    FormMemory::keep(*experiment_, QStringLiteral("experiment"));
  }
  if (!request.plan.empty()) experiment_->set_request(request);
  return raised(experiment_.data());
}

EvaluationDialog* LabDialogs::make_evaluation() {
  auto* dialog = new EvaluationDialog(window_);
  connect(dialog, &EvaluationDialog::start_wanted, &lab_.evaluations, &EvaluationController::start);
  connect(&lab_.loader, &ModelLoader::model_changed, dialog, [this, dialog] {  // it may have been opened too early
    if (!dialog->has_model()) dialog->set_model(lab_.suggested_evaluation(), lab_.why_no_evaluation());
  });
  return dialog;
}

EvaluationDialog* LabDialogs::open_evaluation() {
  if (!evaluation_) evaluation_ = make_evaluation();
  lab_.context.settle_settings();
  evaluation_->set_model(lab_.suggested_evaluation(), lab_.why_no_evaluation());
  return raised(evaluation_.data());
}

EvaluationDialog* LabDialogs::show_evaluation(const EvaluationRequest& request) {
  if (!evaluation_) evaluation_ = make_evaluation();
  evaluation_->set_request(request);
  return raised(evaluation_.data());
}

ContinueDialog* LabDialogs::ask_to_continue(const ExperimentRequest& request) {
  delete continue_;  // another experiment's
  continue_ = new ContinueDialog(request, window_);
  continue_->setAttribute(Qt::WA_DeleteOnClose);
  connect(continue_, &ContinueDialog::start_wanted, &lab_.experiments, &ExperimentController::start);
  connect(continue_, &ContinueDialog::change_wanted, this, &LabDialogs::open_experiment);
  return raised(continue_.data());
}

QString LabDialogs::about() const {
  const auto& model = lab_.loader.model();
  const auto& elsewhere = lab_.engine.elsewhere();
  QString libraries = model ? QString::fromStdString(model->info.library_versions) : tr("LibTorch: not opened yet");
  if (elsewhere) libraries += QStringLiteral(" (%1)").arg(QString::fromStdString(elsewhere->place.host));
  return QStringList{tr("Carryover %1").arg(QStringLiteral(CARRYOVER_VERSION)),
                     tr("A lab for language models that read long texts in segments"),
                     tr("Licence: GNU General Public License, version 3 or later"),
                     QStringLiteral("Qt %1").arg(QString::fromLatin1(qVersion())),
                     libraries,
                     QSysInfo::prettyProductName() + u' ' + QSysInfo::currentCpuArchitecture()}
      .join(u'\n');
}

void LabDialogs::show_about() {
  auto* dialog = new QDialog(window_);
  dialog->setWindowTitle(tr("About Carryover"));
  auto* text = new QLabel(about(), dialog);
  text->setTextFormat(Qt::PlainText);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text->setAccessibleName(tr("About Carryover"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  const QPushButton* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
  connect(copy, &QPushButton::clicked, text, [text] { QGuiApplication::clipboard()->setText(text->text()); });
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(text);
  layout->addWidget(buttons);
  open_once(dialog);
}

FinetuneDialog* LabDialogs::make_finetune() {
  auto* dialog = new FinetuneDialog(lab_.suggested_plan(), window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (lab_.engine.elsewhere() && lab_.loader.model()) {
    const ModelInfo& open = lab_.loader.model()->info;
    dialog->set_elsewhere(open.path, open.config);
  }
  connect(&lab_.training, &TrainController::dry_run_done, dialog,
          [dialog](const DryRun& result) { dialog->show_dry_run(result.step); });
  connect(&lab_.training, &TrainController::dry_run_failed, dialog,
          [dialog](const ErrorReport& report) { dialog->show_dry_run_problem(report.problem); });
  connect(dialog, &FinetuneDialog::start_wanted, &lab_.training, &TrainController::start);
  connect(dialog, &FinetuneDialog::dry_run_wanted, &lab_.training, &TrainController::dry_run);
  const auto tell_busy = [&lab = lab_, dialog] { dialog->set_engine_busy(lab.runs.why_engine_is_busy()); };
  connect(&lab_.runs, &RunController::state_changed, dialog, tell_busy);
  tell_busy();
  const auto tell_memory = [&lab = lab_, dialog] {
    if (const auto& model = lab.loader.model()) dialog->set_device_memory(model->info.device, lab.memory.free_bytes());
  };
  connect(&lab_.memory, &DeviceMemory::changed, dialog, tell_memory);
  tell_memory();
  const auto tell_adapter = [&lab = lab_, dialog] {
    const auto& model = lab.loader.model();
    const QString adapter = model ? QString::fromStdString(model->info.adapter) : QString();
    dialog->set_remark(adapter.isEmpty() ? adapter
                                         : tr("Training starts from the model without the open adapter %1. To train on "
                                              "top of the adapter, export the merged model first.")
                                               .arg(adapter));
  };
  connect(&lab_.loader, &ModelLoader::model_changed, dialog, tell_adapter);
  tell_adapter();
  FormMemory::keep(*dialog, QStringLiteral("finetune"));
  return dialog;
}

BenchDialog* LabDialogs::make_bench() {
  auto* dialog = new BenchDialog(window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  const auto tell_model = [&lab = lab_, dialog] {
    const auto& model = lab.loader.model();
    if (!lab.engine.command().isEmpty())
      return dialog->form().set_model({}, {}, {}, tr("the open one is on another machine; choose a shape"));
    if (!model) return dialog->form().set_model({}, {}, {});
    const ModelInfo& open = model->info;
    std::string config;  // where what the model was trained under can't be read, the command will say so
    attempt([&] { config = config_difference(lab.context.config(), initial_config(open.config, open.path, {})); });
    dialog->form().set_model(QString::fromStdString(open.path),
                             QFileInfo(QString::fromStdString(open.path)).completeBaseName(), config);
  };
  connect(&lab_.loader, &ModelLoader::model_changed, dialog, tell_model);
  connect(&lab_.engine, &EngineConnection::changed, dialog, tell_model);
  connect(&lab_.context, &LabContext::config_changed, dialog, tell_model);
  tell_model();
  const auto tell_busy = [&lab = lab_, dialog] { dialog->set_engine_busy(lab.runs.why_engine_is_busy()); };
  connect(&lab_.runs, &RunController::state_changed, dialog, tell_busy);
  tell_busy();
  FormMemory::keep(*dialog, QStringLiteral("bench"));
  return dialog;
}

}  // namespace carryover
