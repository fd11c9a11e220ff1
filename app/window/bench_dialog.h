// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <QElapsedTimer>
#include <QPointer>
#include <optional>

#include "app/engine_thread/bench_process.h"

class QLabel;
class QMessageBox;
class QProgressBar;
class QPushButton;

namespace carryover {

class BenchForm;
class BenchResults;
class CommandBox;
class MessageBar;

/// `carryover bench` with a form before it and its results beside it. Measures in a process of its own, one at a time,
/// and asks before that is stopped by closing. Not modal. GUI thread.
class BenchDialog : public QDialog {
  Q_OBJECT
 public:
  explicit BenchDialog(QWidget* parent = nullptr);

  BenchForm& form() { return *form_; }
  BenchResults& results() { return *results_; }
  BenchProcess& process() { return process_; }
  const std::optional<BenchReport>& report() const { return report_; }  ///< the report on show
  QString command_line() const;                                         ///< empty while something is wrong in the form
  QString said() const;  ///< the form's problem, or what goes on; then the error that is shown

  /// Sets the reason why nothing can be started now; empty: it can.
  void set_engine_busy(const QString& why);
  /// Shows what `carryover bench --output` wrote. Throws EngineError{Io, BadInput}.
  void open_folder(const QString& folder);
  /// The report as the command wrote it, or its rows as CSV, by the file's suffix. Throws EngineError{Io, Usage}.
  void save(const QString& path) const;

 public Q_SLOTS:
  void start();
  void stop();
  void reject() override;

 private:
  QWidget* build_side();
  QWidget* build_buttons();
  void connect_process();
  void validate();
  void update_buttons();
  void show_report(const QByteArray& json, const BenchReport& report, const QString& folder);
  void show_problem(const ErrorReport& problem);
  void ask_folder();
  void ask_save();
  void ask_before_closing();

  BenchProcess process_;
  BenchForm* form_;
  BenchResults* results_;
  CommandBox* command_;
  MessageBar* messages_;
  QLabel* state_;
  QProgressBar* progress_;
  QPushButton *start_, *stop_, *save_;
  QString problem_, busy_, folder_;  ///< folder_: of the bench that runs
  QByteArray json_;                  ///< of report_, as it was written
  std::optional<BenchReport> report_;
  QElapsedTimer clock_;
  QPointer<QMessageBox> question_;
};

}  // namespace carryover
