// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/head_probe_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "widgets/look/filled_text.h"
#include "widgets/look/form_history.h"
#include "widgets/look/icons.h"

namespace carryover {
namespace {

constexpr std::int64_t least_tokens = 32, most_tokens = 4096, usual_tokens = 512, usual_needle = 32;

}  // namespace

HeadProbeForm::HeadProbeForm(QWidget* parent) : QWidget(parent) {
  const auto box = [this](const QString& name, const QString& help, bool checked) {
    auto* made = new QCheckBox(name, this);
    made->setToolTip(help);
    made->setChecked(checked);
    connect(made, &QCheckBox::toggled, this, &HeadProbeForm::update_offer);
    return made;
  };
  copy_ = box(tr("Copy"), tr("Random tokens, repeated once: only copying predicts the second half"), true);
  needle_ = box(tr("Needles"), tr("Key and value pairs in a haystack; the key at the end asks for its value"), true);
  passage_ = box(tr("Open text"), tr("Passages of the open text, repeated at its end"), false);
  tokens_ = new QSpinBox(this);
  tokens_->setRange(least_tokens, most_tokens);
  tokens_->setSingleStep(64);
  tokens_->setValue(usual_tokens);
  tokens_->setSuffix(tr(" tokens"));
  tokens_->setAccessibleName(tr("Length of a probe"));
  tokens_->setToolTip(tr("Length of each probe, which is one segment under full attention"));
  connect(tokens_, &QSpinBox::valueChanged, this, &HeadProbeForm::update_offer);
  start_ = new QPushButton(tr("Profile"), this);
  start_->setIcon(themed_icon(QStringLiteral("run")));
  connect(start_, &QPushButton::clicked, this, &HeadProbeForm::profile);
  cancel_ = new QPushButton(tr("Cancel"), this);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    progress_->setFormat(tr("Cancelling…"));
    cancel_->setEnabled(false);
    Q_EMIT cancel_wanted();
  });
  progress_ = new QProgressBar(this);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the profile"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* each : std::initializer_list<QWidget*>{copy_, needle_, passage_, tokens_, start_}) row->addWidget(each);
  row->addWidget(progress_, 1);
  row->addWidget(cancel_);
  row->addStretch(0);
  update_offer();
  new FormHistory(*this);
}

void HeadProbeForm::set_model(const ModelConfig* model) {
  has_model_ = model != nullptr;
  if (model) {
    tokens_->setMaximum(static_cast<int>(std::clamp(model->context, least_tokens, most_tokens)));
    tokens_->setValue(static_cast<int>(std::min(model->context, usual_tokens)));
  }
  update_offer();
}

void HeadProbeForm::set_text_tokens(std::int64_t tokens) {
  text_tokens_ = tokens;
  update_offer();
}

void HeadProbeForm::set_engine_busy(const QString& why) {
  busy_ = why;
  update_offer();
}

HeadProfileRequest HeadProbeForm::request() const {
  HeadProfileRequest request;
  request.kinds.clear();
  if (copy_->isChecked()) request.kinds.push_back(ProbeKind::Copy);
  if (needle_->isChecked()) request.kinds.push_back(ProbeKind::Needle);
  if (passage_->isChecked()) request.kinds.push_back(ProbeKind::Passage);
  request.tokens = tokens_->value();
  request.needle = std::min(usual_needle, request.tokens / 4);
  return request;
}

QString HeadProbeForm::why_not() const {
  const HeadProfileRequest wanted = request();
  if (!has_model_) return tr("No model is open");
  if (running_) return tr("A profile is running");
  if (!busy_.isEmpty()) return tr("Not now: %1").arg(busy_);
  if (wanted.kinds.empty()) return tr("Choose a kind of probe");
  if (passage_->isChecked() && text_tokens_ < wanted.tokens - wanted.needle)
    return text_tokens_ == 0 ? tr("No text is open")
                             : filled(tr("The open text has %L1 tokens: too few for probes of %L2"),
                                      static_cast<qlonglong>(text_tokens_), static_cast<qlonglong>(wanted.tokens));
  return {};
}

void HeadProbeForm::update_offer() {
  const QString why = why_not();
  start_->setEnabled(why.isEmpty());
  start_->setToolTip(why.isEmpty() ? tr("Score every head by its attention on the token to be copied") : why);
  for (QWidget* each : std::initializer_list<QWidget*>{copy_, needle_, passage_, tokens_}) each->setEnabled(!running_);
  progress_->setVisible(running_);
  cancel_->setVisible(running_);
}

void HeadProbeForm::begin() {
  running_ = true;
  cancel_->setEnabled(true);
  set_progress(0, tr("waiting for the engine"));
  update_offer();
}

void HeadProbeForm::set_progress(double share, const QString& what) {
  if (!running_ || !cancel_->isEnabled()) return;
  progress_->setValue(static_cast<int>(1000 * share));
  progress_->setFormat(QStringLiteral("%p % · ") + QString(what).replace(QLatin1Char('%'), QStringLiteral("%%")));
}

void HeadProbeForm::end() {
  running_ = false;
  update_offer();
}

void HeadProbeForm::profile() {
  if (why_not().isEmpty()) Q_EMIT profile_wanted(request());
}

}  // namespace carryover
