// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/bench_dialog.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>

#include "app/window/message_bar.h"
#include "engine/formats/output_file.h"
#include "engine/formats/regular_file.h"
#include "engine/runs/records/run_command.h"
#include "widgets/bench/bench_form.h"
#include "widgets/bench/bench_results.h"
#include "widgets/controls/button_row.h"
#include "widgets/controls/command_box.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_history.h"
#include "widgets/look/screen_size.h"

namespace carryover {
namespace {

constexpr int side_width = 350;

}  // namespace

BenchDialog::BenchDialog(QWidget* parent)
    : QDialog(parent), form_(new BenchForm(this)), results_(new BenchResults(this)), messages_(new MessageBar(this)) {
  setWindowTitle(tr("Benchmark"));
  auto* columns = new QHBoxLayout;
  columns->setSpacing(12);
  columns->addWidget(build_side());
  columns->addWidget(results_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(columns, 1);
  layout->addWidget(messages_);
  layout->addWidget(build_buttons());
  connect(form_, &BenchForm::changed, this, &BenchDialog::validate);
  connect_process();
  resize(size_on_screen(*this, {1160, 720}));
  validate();
  new FormHistory(*form_);
}

QWidget* BenchDialog::build_side() {
  auto* widget = new QWidget(this);
  widget->setFixedWidth(side_width);
  auto* side = new QVBoxLayout(widget);
  side->setContentsMargins(0, 0, 0, 0);
  side->setSpacing(8);
  side->addWidget(form_);
  side->addStretch(1);
  command_ = new CommandBox(widget);
  side->addWidget(command_);
  return widget;
}

QWidget* BenchDialog::build_buttons() {
  auto* row = new ButtonRow(this);
  state_ = new QLabel(row);
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  state_->setAccessibleName(tr("Progress"));
  progress_ = new QProgressBar(row);
  progress_->setRange(0, 0);
  progress_->setFixedWidth(90);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("A bench is running"));
  start_ = row->add(tr("Start"), {}, this, &BenchDialog::start);
  start_->setDefault(true);
  stop_ = row->add(tr("Stop"), tr("Results measured so far are kept"), this, &BenchDialog::stop);
  row->add(progress_);
  row->add(state_, 1);
  row->add(tr("Open…"), tr("Show an earlier bench from its folder"), this, &BenchDialog::ask_folder);
  save_ = row->add(tr("Save…"), tr("Save the report as JSON, or its rows as CSV"), this, &BenchDialog::ask_save);
  row->add(tr("Close"), {}, this, &BenchDialog::reject);
  return row;
}

void BenchDialog::connect_process() {
  connect(&process_, &BenchProcess::progressed, this,
          [this](const QString& what) { state_->setText(filled(tr("%1 (%2 s)"), what, clock_.elapsed() / 1000)); });
  connect(&process_, &BenchProcess::done, this,
          [this](const QByteArray& json, const BenchReport& report) { show_report(json, report, folder_); });
  connect(&process_, &BenchProcess::failed, this, &BenchDialog::show_problem);
  connect(&process_, &BenchProcess::ended, this, [this] {
    delete question_;
    validate();  // its folder holds a bench now
    if (problem_.isEmpty()) state_->setText(tr("Ended after %1 s").arg(clock_.elapsed() / 1000));
  });
  connect(&process_, &BenchProcess::stopped, this, [this] {
    show_problem({Fault::Cancelled, tr("bench"), tr("was stopped before anything was measured"), {}});
  });
}

QString BenchDialog::command_line() const {
  if (!problem_.isEmpty()) return {};
  return QString::fromStdString(shell_command(bench_command(form_->request())));
}

void BenchDialog::validate() {
  problem_ = form_->problem();
  command_->set_command(command_line());
  if (!process_.running()) state_->setText(problem_.isEmpty() ? QString() : tr("Not ready: %1").arg(problem_));
  update_buttons();
}

void BenchDialog::update_buttons() {
  const bool running = process_.running();
  form_->setEnabled(!running);
  start_->setEnabled(!running && problem_.isEmpty() && busy_.isEmpty());
  start_->setToolTip(!busy_.isEmpty()      ? tr("Not now: %1").arg(busy_)
                     : !problem_.isEmpty() ? tr("Not ready: %1").arg(problem_)
                                           : tr("Measure in a separate process"));
  stop_->setEnabled(running);
  progress_->setVisible(running);
  save_->setEnabled(report_.has_value());
}

void BenchDialog::set_engine_busy(const QString& why) {
  busy_ = why;
  update_buttons();
}

void BenchDialog::start() {
  validate();
  if (!start_->isEnabled()) return;
  const BenchRequest request = form_->request();
  const QString folder = QString::fromStdString(request.settings.output);
  folder_ = folder.isEmpty() ? folder : QDir(folder).absolutePath();
  messages_->hide();
  clock_.start();
  state_->setText(tr("Starting…"));
  process_.start(bench_command(request), {QStringLiteral("--json")});
  update_buttons();
}

void BenchDialog::stop() {
  if (!process_.running()) return;
  process_.stop();
  state_->setText(tr("Stopping…"));
  stop_->setEnabled(false);
}

void BenchDialog::show_report(const QByteArray& json, const BenchReport& report, const QString& folder) {
  json_ = json;
  report_ = report;
  messages_->hide();
  results_->show_report(report, folder);
  update_buttons();
}

void BenchDialog::show_problem(const ErrorReport& problem) {
  messages_->show_error(problem);
}

QString BenchDialog::said() const {
  return state_->text() + (messages_->isHidden() ? QString() : u'\n' + messages_->text());
}

void BenchDialog::open_folder(const QString& folder) {
  const QString path = QDir(folder).filePath(QStringLiteral("bench.json"));
  require_regular_file(path.toStdString());
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    throw EngineError(Fault::Io, path.toStdString(), file.errorString().toStdString(),
                      tr("Choose a folder that was written by carryover bench --output.").toStdString());
  const QByteArray json = file.readAll();
  show_report(json, parse_bench(json.toStdString(), path.toStdString()), QDir(folder).absolutePath());
  state_->setText(tr("From %1").arg(folder));
}

void BenchDialog::save(const QString& path) const {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix != QStringLiteral("json") && suffix != QStringLiteral("csv"))
    throw EngineError(Fault::Usage, path.toStdString(), tr("is neither .json nor .csv").toStdString(),
                      tr("Choose one of these suffixes.").toStdString());
  CARRYOVER_CHECK(report_.has_value());
  write_file_atomically(path.toStdString(),
                        suffix == QStringLiteral("json") ? json_.toStdString() : bench_csv(*report_));
}

void BenchDialog::ask_folder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open the folder of a bench"));
  if (folder.isEmpty()) return;
  if (const auto problem = attempt([&] { open_folder(folder); })) show_problem(*problem);
}

void BenchDialog::ask_save() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the bench"), QStringLiteral("bench.json"),
                                                    tr("JSON (*.json);;CSV (*.csv)"));
  if (path.isEmpty()) return;
  if (const auto problem = attempt([&] { save(path); })) show_problem(*problem);
}

// Escape and the window's own button come here too.
void BenchDialog::reject() {
  process_.running() ? ask_before_closing() : QDialog::reject();
}

void BenchDialog::ask_before_closing() {
  if (question_) return question_->raise();
  question_ =
      new QMessageBox(QMessageBox::Question, windowTitle(),
                      tr("A bench is running. Closing stops it, and its results are lost unless it has a folder."),
                      QMessageBox::NoButton, this);
  question_->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* close = question_->addButton(tr("Stop and close"), QMessageBox::DestructiveRole);
  question_->setDefaultButton(question_->addButton(tr("Keep it running"), QMessageBox::RejectRole));
  connect(close, &QPushButton::clicked, this, [this] {
    connect(&process_, &BenchProcess::ended, this, &BenchDialog::close, Qt::QueuedConnection);
    stop();
  });
  question_->open();
}

}  // namespace carryover
