// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/patch_row.h"

#include <QComboBox>
#include <QPushButton>
#include <QSpinBox>
#include <algorithm>

#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/what_if/patching.h"

namespace carryover {
namespace {

constexpr int carry = 0;  ///< in what_; else heads

}  // namespace

PatchRow::PatchRow(LabContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      what_(new QComboBox(this)),
      layer_(new QSpinBox(this)),
      head_(new QSpinBox(this)),
      put_(new QPushButton(tr("Patch from B"), this)) {
  what_->addItems({tr("Carry"), tr("Head output")});
  what_->setAccessibleName(tr("What to patch"));
  layer_->setPrefix(tr("layer "));
  layer_->setAccessibleName(tr("Layer to patch"));
  head_->setPrefix(tr("head "));
  head_->setSpecialValueText(tr("all heads"));
  head_->setAccessibleName(tr("Head to patch"));
  auto* bar = new WrappingBar(this);
  bar->setContentsMargins(0, 0, 0, 0);
  for (QWidget* widget : std::initializer_list<QWidget*>{what_, layer_, head_}) bar->addWidget(widget);
  bar->addStretch(1);
  bar->addWidget(put_);
  connect(what_, &QComboBox::currentIndexChanged, this, &PatchRow::show_obstacle);
  for (QSpinBox* box : {layer_, head_}) connect(box, &QSpinBox::valueChanged, this, &PatchRow::show_obstacle);
  connect(put_, &QPushButton::clicked, this, &PatchRow::put);
  connect(&context, &LabContext::pinned_run_changed, this, &PatchRow::show_obstacle);
  connect(&context, &LabContext::selection_changed, this, &PatchRow::take_selection);
  connect(&context.run(), &RunModel::reset, this, &PatchRow::take_selection);
  connect(&context.run(), &RunModel::segments_appended, this, &PatchRow::show_obstacle);
  take_selection();
}

void PatchRow::take_selection() {
  const RunModel& run = context_.run();
  if (!run.is_empty()) {
    const ModelConfig& model = run.model().config;
    layer_->setRange(0, static_cast<int>(model.layers) - 1);
    head_->setRange(-1, static_cast<int>(model.heads) - 1);
    const Selection& selected = context_.selected();
    if (selected.layer >= 0) layer_->setValue(selected.layer);
    if (selected.head >= 0) head_->setValue(selected.head);
  }
  show_obstacle();
}

SegmentEdit PatchRow::patch() const {
  SegmentEdit edit;
  edit.patch_carry = what_->currentIndex() == carry;
  if (!edit.patch_carry)
    edit.patched_heads = heads_to_patch(context_.run().model().config, layer_->value(), head_->value());
  return edit;
}

void PatchRow::show_obstacle() {
  const bool heads = what_->currentIndex() != carry;
  layer_->setVisible(heads);
  head_->setVisible(heads);
  const bool any = !context_.run().is_empty();
  const QString obstacle =
      any ? patch_obstacle(context_, shown_segment(context_), patch()) : tr("no segment has been run");
  put_->setEnabled(obstacle.isEmpty());
  setToolTip(obstacle.isEmpty()
                 ? tr("Activation patching: takes the values of the pinned run B in the same segment, token by token")
                 : tr("Not now: %1").arg(obstacle));
  put_->setToolTip(toolTip());
}

void PatchRow::put() {
  SegmentEdit draft = context_.what_ifs().draft();
  const SegmentEdit more = patch();
  draft.patch_carry = draft.patch_carry || more.patch_carry;
  draft.no_carry = draft.no_carry && !draft.patch_carry;
  for (const HeadRef& head : more.patched_heads)
    if (std::ranges::count(draft.patched_heads, head) == 0) draft.patched_heads.push_back(head);
  context_.what_ifs().set_draft(draft);
}

}  // namespace carryover
