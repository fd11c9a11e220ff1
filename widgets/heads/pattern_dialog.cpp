// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/pattern_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "widgets/heads/state/pattern_text.h"
#include "widgets/look/form_history.h"

namespace carryover {
namespace {

QSpinBox* size_box(QWidget* parent) {
  auto* box = new QSpinBox(parent);
  box->setRange(1, std::numeric_limits<int>::max());
  return box;
}

int shown_size(std::int64_t size) {
  return static_cast<int>(std::clamp<std::int64_t>(size, 1, std::numeric_limits<int>::max()));
}

}  // namespace

PatternDialog::PatternDialog(const HeadPattern& pattern, const QString& title, QWidget* parent)
    : QDialog(parent),
      start_(pattern),
      form_(new QFormLayout(this)),
      kind_(new QComboBox(this)),
      vertical_(size_box(this)),
      slash_(size_box(this)),
      vertical_name_(new QLabel(this)),
      slash_name_(new QLabel(this)) {
  setWindowTitle(title);
  for (std::size_t kind = 0; kind < kPatternKindNames.size(); ++kind)
    kind_->addItem(pattern_kind_text(static_cast<PatternKind>(kind)));
  kind_->setAccessibleName(tr("Kind of pattern"));
  vertical_name_->setBuddy(vertical_);
  slash_name_->setBuddy(slash_);
  form_->addRow(tr("Kind"), kind_);
  form_->addRow(vertical_name_, vertical_);
  form_->addRow(slash_name_, slash_);
  auto* buttons =
      new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this);
  form_->addRow(buttons);
  connect(kind_, &QComboBox::currentIndexChanged, this, [this] { name_sizes(); });
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
          [this] { show_pattern(HeadPattern()); });
  show_pattern(pattern);
  new FormHistory(*this);
}

void PatternDialog::show_pattern(const HeadPattern& pattern) {
  kind_->setCurrentIndex(static_cast<int>(pattern.kind));
  vertical_->setValue(shown_size(pattern.vertical));
  slash_->setValue(shown_size(pattern.slash));
  name_sizes();
}

/// Names the two sizes, whose meaning depends on the kind.
void PatternDialog::name_sizes() {
  const auto kind = static_cast<PatternKind>(kind_->currentIndex());
  switch (kind) {
    case PatternKind::VerticalSlash:
      vertical_name_->setText(tr("Columns"));
      slash_name_->setText(tr("Diagonals"));
      break;
    case PatternKind::AShape:
      vertical_name_->setText(tr("Sinks, tokens"));
      slash_name_->setText(tr("Window, tokens"));
      break;
    case PatternKind::BlockSparse:
      vertical_name_->setText(tr("Blocks of keys for a block of queries"));
      break;
  }
  vertical_->setAccessibleName(vertical_name_->text());
  slash_->setAccessibleName(slash_name_->text());
  form_->setRowVisible(slash_, kind != PatternKind::BlockSparse);
}

HeadPattern PatternDialog::pattern() const {
  HeadPattern pattern = start_;
  pattern.kind = static_cast<PatternKind>(kind_->currentIndex());
  pattern.vertical = vertical_->value();
  pattern.slash = slash_->value();
  if (!(pattern == start_)) pattern.score = HeadPattern().score;
  return pattern;
}

}  // namespace carryover
