// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "engine/base/dtype.h"
#include "engine/config/segment_config.h"

class QComboBox;
class QGridLayout;
class QSpinBox;

namespace carryover {

/// The audit to run: the tokens [first_token, first_token + segments · S) of the open text, on a model loaded for it
/// alone. A plain value.
struct AuditSettings {
  SegmentConfig config;
  std::string policy = "segmented";
  std::int64_t segments = 0, first_token = 0;
  std::int64_t lora_rank = 0;
  DType dtype = DType::Float64;

  std::int64_t tokens() const { return segments * config.segment_length; }
};

/// The fields of an audit, two in a row. GUI thread.
class AuditForm : public QWidget {
  Q_OBJECT
 public:
  explicit AuditForm(QWidget* parent = nullptr);

  /// Returns `base` with the form's lengths: M and R are at most a quarter of a segment that was made shorter.
  AuditSettings settings(const SegmentConfig& base) const;
  /// Takes over values that suit the model; values that the user sets stay until another model is opened.
  void adopt(const ModelConfig& model, const SegmentConfig& config);

 Q_SIGNALS:
  void changed();

 private:
  void add(QWidget* field, const QString& label, const QString& help);
  QSpinBox* add_number(const QString& label, const QString& help, int least, int value);
  QComboBox* add_choice(const QString& label, const QString& help, const QStringList& names);

  QGridLayout* grid_;
  int fields_ = 0;
  QSpinBox *segment_, *segments_, *depth_, *first_, *rank_;
  QComboBox *policy_, *dtype_;
};

}  // namespace carryover
