// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include "engine/campaigns/experiments/experiment_command.h"

namespace carryover {

/// Shows the command that an experiment was started with, by another process or an earlier window, before it is run
/// again for what is left. The folder may be anybody's. GUI thread.
class ContinueDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ContinueDialog(const ExperimentRequest& request, QWidget* parent = nullptr);
  const QString& command_line() const { return command_; }

 public Q_SLOTS:
  void accept() override;  ///< runs it
  void change();           ///< asks for the form of it instead

 Q_SIGNALS:
  void start_wanted(const carryover::ExperimentRequest& request);
  void change_wanted(const carryover::ExperimentRequest& request);

 private:
  ExperimentRequest request_;
  QString command_;
};

}  // namespace carryover
