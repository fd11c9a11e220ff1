// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointer>
#include <functional>

#include "app/controllers/lab.h"

namespace carryover {

class BenchDialog;
class ContinueDialog;
class EvaluationDialog;
class ExperimentDialog;
class FinetuneDialog;

/// The window's dialogs: those that ask what to open, and those of fine-tuning, experiments and the bench. Those of
/// fine-tuning and the bench stay open while one goes on. They are the window's children. GUI thread. Lives shorter
/// than the lab.
class LabDialogs : public QObject {
  Q_OBJECT
 public:
  LabDialogs(Lab& lab, QWidget* window) : lab_(lab), window_(window) {}

  void ask_model();  ///< path, adapter, dtype and device
  void ask_text();
  void ask_pasted_text();
  void ask_run();
  void ask_open_state();
  void ask_save_state();
  void ask_engine();
  FinetuneDialog* finetune() const;  ///< null where it is not open
  FinetuneDialog* open_finetune();   ///< filled in from what is open; the same one while it is open
  BenchDialog* bench() const;        ///< null where it is not open
  BenchDialog* open_bench();         ///< the same one while it is open
  ExperimentDialog* open_experiment(const ExperimentRequest& request);  ///< filled in with it
  EvaluationDialog* open_evaluation();                                  ///< of the open model, filled in as it was left
  EvaluationDialog* show_evaluation(const EvaluationRequest& request);  ///< filled in with it
  ContinueDialog* ask_to_continue(const ExperimentRequest& request);    ///< the command, before it is run
  void show_about();  ///< versions and licence, to be copied into a report

 private:
  FinetuneDialog* make_finetune();
  BenchDialog* make_bench();
  EvaluationDialog* make_evaluation();
  QString about() const;
  void ask_state_file(const QString& title, bool save, const std::function<void(const QString&)>& use);

  Lab& lab_;
  QWidget* window_;
  QPointer<FinetuneDialog> finetune_;
  QPointer<BenchDialog> bench_;
  QPointer<ExperimentDialog> experiment_;
  QPointer<EvaluationDialog> evaluation_;
  QPointer<ContinueDialog> continue_;
};

}  // namespace carryover
