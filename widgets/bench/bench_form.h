// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include <utility>
#include <vector>

#include "engine/bench/bench_command.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace carryover {

/// The fields of a bench: the model or shape, the settings, the kinds of work and the peer. GUI thread.
class BenchForm : public QWidget {
  Q_OBJECT
 public:
  explicit BenchForm(QWidget* parent = nullptr);

  /// Sets the model that can be chosen beside the shapes, and how the window's settings differ from those that the
  /// command would take (config_difference()). An empty path: none; `why_none` says why.
  void set_model(const QString& path, const QString& name, const std::string& config, const QString& why_none = {});
  void set_request(const BenchRequest& request);  ///< its model, where it has one, must be the open one

  /// Returns what is wrong; if empty, request() is what the form says.
  QString problem() const;
  BenchRequest request() const;

 Q_SIGNALS:
  void changed();

 private:
  template <typename Field>
  Field* add(const QString& label, const QString& help, Field* field, const char* name);
  QComboBox* add_choice(const QString& label, const QString& help, const char* name, const QStringList& items);
  QSpinBox* add_number(const QString& label, const QString& help, const char* name, int least, std::int64_t most);
  QLineEdit* add_path(const QString& label, const QString& help, const char* name, bool folder);
  std::vector<QCheckBox*> add_boxes(const QString& label, const QString& help,
                                    const std::vector<std::pair<QString, QString>>& names);
  void add_models();
  QString why_no_settings() const;
  void update_settings_box();
  bool model_chosen() const;
  QString problem_of_paths() const;

  QFormLayout* rows_;
  QString model_path_, model_name_, why_no_model_;
  std::string model_config_;
  QComboBox *model_, *dtype_, *device_;
  QCheckBox* with_settings_;
  bool wants_settings_ = true;  ///< wherever there are some
  QSpinBox *threads_, *repeats_, *new_tokens_;
  QLineEdit *contexts_, *peer_, *output_;
  std::vector<QCheckBox*> kinds_, policies_;
};

}  // namespace carryover
