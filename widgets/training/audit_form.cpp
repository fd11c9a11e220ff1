// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/audit_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSpinBox>
#include <algorithm>

#include "engine/cost/policy_table.h"
#include "widgets/look/form_history.h"

namespace carryover {
namespace {

constexpr int usual_segment = 32, usual_tail = 8;  // short: the checks read the text hundreds of times
constexpr std::int64_t small_model = 20'000'000;   // parameters; up to here fp64 is the default
constexpr std::int64_t usual_depth = 4;            // the default K at most

}  // namespace

AuditForm::AuditForm(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(4);
  grid_->setColumnStretch(1, 1);
  grid_->setColumnStretch(3, 1);
  segment_ =
      add_number(tr("Segment S"), tr("Tokens of a segment; M and R are at most a quarter of it"), 1, usual_segment);
  segments_ =
      add_number(tr("Segments N"), tr("Number of segments; more than K + 1 show the effect of the truncation"), 1, 4);
  depth_ = add_number(tr("Depth K"), tr("Segment transitions that gradients cross"), 0, 1);
  first_ = add_number(tr("From token"), tr("First token of the open text that the audit reads"), 0, 0);
  QStringList policies;
  for (const std::string& name : policy_names()) policies << QString::fromStdString(name);
  policy_ = add_choice(tr("Policy"), tr("full: full attention over all segments at once"), policies);
  rank_ =
      add_number(tr("LoRA rank"), tr("0: every parameter; otherwise an adapter on all modules, with nonzero B"), 0, 0);
  dtype_ = add_choice(tr("dtype"),
                      tr("fp64 also checks finite differences; the other dtypes are faster and have wider bounds"),
                      {QStringLiteral("fp64"), QStringLiteral("fp32"), QStringLiteral("bf16")});
  new FormHistory(*this);
}

void AuditForm::add(QWidget* field, const QString& label, const QString& help) {
  field->setToolTip(help);
  field->setAccessibleName(label);
  field->setAccessibleDescription(help);
  auto* name = new QLabel(label, this);
  name->setToolTip(help);
  name->setBuddy(field);
  const int row = fields_ / 2, column = fields_ % 2 * 2;
  grid_->addWidget(name, row, column);
  grid_->addWidget(field, row, column + 1);
  ++fields_;
}

QSpinBox* AuditForm::add_number(const QString& label, const QString& help, int least, int value) {
  auto* box = new QSpinBox(this);
  box->setRange(least, 1'000'000'000);
  box->setGroupSeparatorShown(true);
  box->setValue(value);
  add(box, label, help);
  connect(box, &QSpinBox::valueChanged, this, &AuditForm::changed);
  return box;
}

QComboBox* AuditForm::add_choice(const QString& label, const QString& help, const QStringList& names) {
  auto* box = new QComboBox(this);
  box->addItems(names);
  add(box, label, help);
  connect(box, &QComboBox::currentIndexChanged, this, &AuditForm::changed);
  return box;
}

void AuditForm::adopt(const ModelConfig& model, const SegmentConfig& config) {
  segment_->setValue(static_cast<int>(std::min<std::int64_t>(config.segment_length, usual_segment)));
  depth_->setValue(static_cast<int>(std::clamp<std::int64_t>(config.truncation_depth, 0, usual_depth)));
  segments_->setValue(depth_->value() + 3);
  first_->setValue(0);
  dtype_->setCurrentText(model.parameters() <= small_model ? QStringLiteral("fp64") : QStringLiteral("fp32"));
}

AuditSettings AuditForm::settings(const SegmentConfig& base) const {
  AuditSettings wanted;
  wanted.config = base;
  SegmentConfig& config = wanted.config;
  const std::int64_t length = segment_->value();
  if (length < config.segment_length) {
    const std::int64_t tail = std::max(length / 4, std::min<std::int64_t>(length, usual_tail));
    config.carry_length = std::min(config.carry_length, tail);
    config.retrieval_length = std::min(config.retrieval_length, tail);
    config.anchors.reset();
  }
  config.segment_length = length;
  config.truncation_depth = depth_->value();
  wanted.policy = policy_->currentText().toStdString();
  wanted.segments = segments_->value();
  wanted.first_token = first_->value();
  wanted.lora_rank = rank_->value();
  wanted.dtype = parse_dtype(dtype_->currentText().toStdString());
  return wanted;
}

}  // namespace carryover
