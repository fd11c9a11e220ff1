// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <optional>
#include <vector>

#include "engine/families/model_config.h"
#include "engine/installed/model_places.h"
#include "engine/runs/values/model_info.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace carryover {

class HubFetch;
class InstalledModels;

/// Asks which model to open: its path or its name on a hub, an adapter to merge into it or none, dtype and device;
/// below them the models on this computer. What is typed is checked at once, as far as it is on this machine. A name
/// that is not here can be fetched. The dialog opens nothing itself. GUI thread.
class ModelDialog : public QDialog {
  Q_OBJECT
 public:
  /// `elsewhere`: the machine that paths are of, or empty. `places`: where models are listed; none: there is no list.
  ModelDialog(const ModelRequest& open, const QString& elsewhere, const std::vector<ModelPlace>& places,
              QWidget* parent = nullptr);

  ModelRequest request() const;
  QString problem() const { return problem_; }  ///< empty: it can be opened
  QLineEdit& model() { return *model_; }
  QLineEdit& adapter() { return *adapter_; }
  QPushButton& open_button() { return *open_; }
  HubFetch& hub() { return *hub_; }
  InstalledModels* installed() { return installed_; }  ///< null without places

 Q_SIGNALS:
  void chosen(const carryover::ModelRequest& request);

 private:
  QWidget* build_model(bool here);
  QWidget* build_adapter(bool here);
  void build_list(const std::vector<ModelPlace>& places);
  void check();
  QString problem_of_model();
  /// Returns the path of what is typed: that of a name in the Hugging Face cache. If it is a name that is not there, it
  /// is offered to be fetched.
  QString typed_path();
  QString problem_of_adapter();

  QLineEdit *model_, *adapter_;
  QComboBox *dtype_, *device_;
  QLabel *problem_label_, *base_;
  QPushButton* open_;
  HubFetch* hub_;
  InstalledModels* installed_ = nullptr;
  QString problem_;
  bool here_;
  QString read_text_, read_path_, read_problem_;  ///< of the model whose configuration was read last
  std::optional<ModelConfig> config_;
};

}  // namespace carryover
