// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <QTimer>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace carryover {

class CommandBox;
class MemoryEstimate;
class PlanForm;

/// Asks for a TrainingPlan: a form that is checked as it is typed, presets, the memory and time that the run will need,
/// and the command line that does the same. It starts nothing itself: it asks by signals. Not modal. GUI thread.
class FinetuneDialog : public QDialog {
  Q_OBJECT
 public:
  explicit FinetuneDialog(const TrainingPlan& plan, QWidget* parent = nullptr);

  std::optional<TrainingPlan> plan() const { return plan_; }  ///< nothing while something is wrong
  PlanForm& form() { return *form_; }
  void set_plan(const TrainingPlan& plan);
  void apply_preset(const QString& name);
  void start();  ///< as the button does: nothing where something is wrong, or the engine is busy
  QString problem() const { return problem_; }  ///< empty: the run may start
  QString command_line() const;                 ///< flags alone; empty while something is wrong
  QString config_command_line() const;  ///< by the file that the form was saved in or loaded from, while it still says
                                        ///< the same; else empty

  /// The engine is on another machine, and so are all paths: they are checked there, and of models only the open one
  /// is known here.
  void set_elsewhere(const std::string& model_path, const ModelConfig& model);

  /// Sets what the device of the open model can still give, on whichever machine that is; nothing: not known.
  void set_device_memory(Device device, const std::optional<std::int64_t>& free_bytes);

  /// Sets a remark on a part of the open model that is not trained, such as an adapter; empty: none.
  void set_remark(const QString& remark);

  /// Sets why nothing can be started now; empty: it can.
  void set_engine_busy(const QString& why);
  void show_dry_run(const StepRecord& step);
  void show_dry_run_problem(const QString& problem);

  /// Throw EngineError{Io, BadInput}.
  void save_config(const QString& path);
  void load_config(const QString& path);

 Q_SIGNALS:
  void start_wanted(const carryover::TrainingPlan& plan);
  void dry_run_wanted(const carryover::TrainingPlan& plan);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* build_side();
  QWidget* build_buttons();
  void validate();
  void check_paths(const TrainingPlan& plan) const;
  const ModelConfig& model_config(const std::string& path);
  void estimate();
  std::optional<std::int64_t> free_for(const TrainingPlan& plan) const;
  void update_buttons();
  void show_command();
  void remember_config(const QString& path);
  void ask_config(bool save);

  PlanForm* form_;
  MemoryEstimate* memory_;
  QComboBox* presets_;
  QLabel *size_, *time_, *problem_label_, *remark_;
  CommandBox* command_;
  QPushButton *dry_run_, *start_;
  Device engine_device_ = Device::Cpu;
  std::optional<std::int64_t> engine_free_;
  QString problem_, busy_, config_path_;
  nlohmann::json config_fields_;  ///< what config_path_ holds
  std::string preset_;            ///< last applied, or empty
  std::optional<TrainingPlan> plan_;
  std::string model_path_;  ///< that model_ was read from
  std::optional<ModelConfig> model_;
  bool elsewhere_ = false;
  std::optional<StepRecord> measured_;
  QTimer timer_;
};

}  // namespace carryover
