// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "engine/families/model_config.h"
#include "engine/heads/choice/head_probes.h"

class QCheckBox;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace carryover {

/// The probes by which heads are to be profiled, with the button that starts the profile, its progress, and Cancel. It
/// runs nothing itself. GUI thread.
class HeadProbeForm : public QWidget {
  Q_OBJECT
 public:
  explicit HeadProbeForm(QWidget* parent = nullptr);

  void set_model(const ModelConfig* model);   ///< null: none is open
  void set_text_tokens(std::int64_t tokens);  ///< of the open text; 0: none is open
  void set_engine_busy(const QString& why);   ///< empty: it is free
  void begin();
  void set_progress(double share, const QString& what);
  void end();

  HeadProfileRequest request() const;  ///< without the text: `kinds` says whether it is asked for
  QString why_not() const;             ///< empty: a profile can start

 public Q_SLOTS:
  void profile();  ///< as the button does; nothing where that is not offered

 Q_SIGNALS:
  void profile_wanted(const carryover::HeadProfileRequest& request);
  void cancel_wanted();

 private:
  void update_offer();

  QCheckBox *copy_, *needle_, *passage_;
  QSpinBox* tokens_;
  QPushButton *start_, *cancel_;
  QProgressBar* progress_;
  bool has_model_ = false, running_ = false;
  std::int64_t text_tokens_ = 0;
  QString busy_;
};

}  // namespace carryover
