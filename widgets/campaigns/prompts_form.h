// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QWidget>

#include "widgets/campaigns/state/prompt_order.h"
#include "widgets/controls/path_row.h"

class QComboBox;
class QLineEdit;
class QPushButton;

namespace carryover {

/// The prompts to run, and the buttons that start and stop the run. GUI thread.
class PromptsForm : public QWidget {
  Q_OBJECT
 public:
  explicit PromptsForm(QWidget* parent = nullptr);

  PromptOrder order() const;
  void set_order(const PromptOrder& order);
  void set_unavailable(const QString& why);  ///< why nothing can be run, or empty
  void set_running(bool running);

 Q_SIGNALS:
  void run_wanted(const carryover::PromptOrder& order);
  void stop_wanted();

 private:
  QLineEdit* add_path(const QString& name, const QString& help, const AskPath& ask);
  void update_offer();

  QLineEdit *prompts_, *out_;
  QComboBox* against_;
  QPushButton *run_, *stop_;
  QString unavailable_;
  bool running_ = false;
};

}  // namespace carryover
