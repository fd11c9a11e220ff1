// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/edit_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/cost/policy_table.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_history.h"
#include "widgets/look/theme.h"
#include "widgets/what_if/patch_row.h"
#include "widgets/what_if/patching.h"

namespace carryover {

EditForm::EditForm(LabContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(5);
  for (QWidget* row :
       std::initializer_list<QWidget*>{make_sources(), make_slots(), new PatchRow(context, this), make_changes()})
    column->addWidget(row);
  connect(&context.what_ifs(), &WhatIfs::draft_changed, this, &EditForm::show_draft);
  connect(&context, &LabContext::config_changed, this, &EditForm::show_settings);
  connect(&context.run(), &RunModel::reset, this, &EditForm::show_settings);
  connect(&context.run(), &RunModel::reset, this, &EditForm::show_draft);
  connect(&context, &LabContext::settings_problem_changed, this, &EditForm::check);
  for (const auto signal : {&LabContext::pinned_run_changed, &LabContext::selection_changed})
    connect(&context, signal, this, &EditForm::check);
  connect(&context.what_ifs(), &WhatIfs::draft_changed, this, &EditForm::check);
  connect(positions_, &QLineEdit::textChanged, this, &EditForm::check);
  connect(seed_, &QSpinBox::valueChanged, this, &EditForm::check);
  connect(seed_->findChild<QLineEdit*>(), &QLineEdit::textChanged, this, &EditForm::check);
  show_draft();
  show_settings();
  check();
  new FormHistory(*this);
}

void EditForm::check() {
  const QString positions = positions_->text().trimmed();
  const TokenRange range = parse_range(positions);
  QString problem;
  if (!positions.isEmpty() && range.first >= range.last) {
    problem = tr("“%1” is not a position: write 120 or 100-119").arg(positions);
  } else if (seed_->isVisibleTo(this) && !seed_->hasAcceptableInput()) {
    problem = tr("the seed is not a number");
  } else if (context_.what_ifs().draft().config) {
    problem = context_.settings_problem();
  }
  if (problem.isEmpty() && !context_.run().is_empty() && runs_in_chunks(context_.run().request().policy))
    problem = tr("what-ifs need a run under the policy segmented");
  if (problem.isEmpty()) problem = patch_obstacle(context_, shown_segment(context_), context_.what_ifs().draft());
  QPalette palette;
  if (range.first >= range.last) palette.setColor(QPalette::Text, current_theme().anchor);
  positions_->setPalette(palette);
  if (std::exchange(problem_, problem) != problem) Q_EMIT problem_changed();
}

QWidget* EditForm::make_sources() {
  auto* row = new QWidget(this);
  no_carry_ = new QCheckBox(tr("No carry"), row);
  no_carry_->setToolTip(tr("C = ∅: local heads see only their segment"));
  no_sinks_ = new QCheckBox(tr("No sinks"), row);
  no_sinks_->setToolTip(tr("No head reads the text's first tokens from the sinks"));
  prefix_ = new QComboBox(row);
  prefix_->addItems({tr("Prefix: as retrieved"), tr("Prefix: none"), tr("Prefix: random"), tr("Prefix: most recent"),
                     tr("Prefix: constant"), tr("Prefix: sinks + recent"), tr("Prefix: oracle")});
  prefix_->setAccessibleName(tr("What long-range heads read"));
  prefix_->setItemData(2, tr("R positions of the pool, drawn for each head by the seed"), Qt::ToolTipRole);
  prefix_->setItemData(3, tr("The pool's last R positions"), Qt::ToolTipRole);
  prefix_->setItemData(4, tr("The text's first R positions, the same for every segment"), Qt::ToolTipRole);
  prefix_->setItemData(5, tr("The text's first %1 positions and the most recent ones").arg(kSinkTokens),
                       Qt::ToolTipRole);
  prefix_->setItemData(6, tr("The R positions with most of the head's attention over all searched positions"),
                       Qt::ToolTipRole);
  seed_ = new QSpinBox(row);
  seed_->setRange(0, std::numeric_limits<int>::max());
  seed_->setPrefix(tr("seed "));
  seed_->setAccessibleName(tr("Seed of the random prefix"));
  auto* layout = new WrappingBar(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(no_carry_);
  layout->addWidget(no_sinks_);
  layout->addWidget(prefix_, 1);
  layout->addWidget(seed_);
  connect(no_carry_, &QCheckBox::toggled, this, &EditForm::write_sources);
  connect(no_sinks_, &QCheckBox::toggled, this, &EditForm::write_sources);
  connect(prefix_, &QComboBox::currentIndexChanged, this, &EditForm::write_sources);
  connect(seed_, &QSpinBox::valueChanged, this, &EditForm::write_sources);
  return row;
}

QWidget* EditForm::make_slots() {
  auto* row = new QWidget(this);
  positions_ = new QLineEdit(row);
  positions_->setPlaceholderText(tr("120 or 100-119; empty: the selection"));
  positions_->setClearButtonEnabled(true);
  positions_->setMinimumWidth(positions_->fontMetrics().averageCharWidth() * 20);
  positions_->setAccessibleName(tr("Positions to remove, add or exclude"));
  auto* layout = new WrappingBar(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(positions_, 1);
  const auto button = [&](const QString& text, const QString& tip, auto slot) {
    auto* made = new QPushButton(text, row);
    made->setToolTip(tip);
    layout->addWidget(made);
    connect(made, &QPushButton::clicked, this, slot);
    return made;
  };
  remove_ = button(tr("Remove from this head"), tr("Remove the positions from the selected head's prefix"),
                   [this] { take_slot(&WhatIfs::drop); });
  button(tr("Add"),
         tr("Add the positions to the selected head's prefix. They replace padding first, then the hits with the "
            "lowest scores"),
         [this] { take_slot(&WhatIfs::add); });
  button(tr("Exclude from all heads"), tr("Exclude these positions from retrieval in all heads, and search again"),
         [this] { take_ban(); });
  return row;
}

QWidget* EditForm::make_changes() {
  auto* box = new QWidget(this);
  changes_ = new QListWidget(box);
  changes_->setAccessibleName(tr("Slots and patches"));
  changes_->setToolTip(tr("Delete removes a line"));
  changes_->setFixedHeight(changes_->fontMetrics().height() * 2 + 12);
  changes_->setAlternatingRowColors(true);
  settings_ = new QCheckBox(tr("With the edited settings"), box);
  settings_->setToolTip(tr("k, A, L_q, M, R, summaries, expansion and grouping as set in Settings and in the grid"));
  settings_text_ = new QLabel(box);
  settings_text_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  settings_text_->setForegroundRole(QPalette::PlaceholderText);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(settings_);
  bottom->addWidget(settings_text_, 1);
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(changes_);
  layout->addLayout(bottom);
  connect(settings_, &QCheckBox::toggled, this, &EditForm::write_sources);
  auto* remove = new QShortcut(QKeySequence::Delete, changes_);
  remove->setContext(Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, &EditForm::remove_change);
  return box;
}

TokenRange EditForm::parse_range(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^\\s*(\\d{1,15})\\s*(?:[-–]\\s*(\\d{1,15})\\s*)?$"));
  const auto match = form.match(text);
  if (!match.hasMatch()) return {};
  const std::int64_t first = match.captured(1).toLongLong();
  const std::int64_t last = match.captured(2).isEmpty() ? first : match.captured(2).toLongLong();
  return {std::min(first, last), std::max(first, last) + 1};
}

TokenRange EditForm::named_positions() const {
  if (!positions_->text().trimmed().isEmpty()) return parse_range(positions_->text());
  const std::int64_t token = context_.selected().token;
  return token < 0 ? TokenRange{} : TokenRange{token, token + 1};
}

void EditForm::take_slot(void (WhatIfs::*put)(const SlotRef&)) {
  constexpr std::int64_t most = 4096;  // more is a ban or a prefix source, not slots
  const Selection& selected = context_.selected();
  const TokenRange range = named_positions();
  if (selected.layer < 0 || selected.head < 0 || range.last - range.first > most) return;
  for (std::int64_t position = range.first; position < range.last; ++position)
    (context_.what_ifs().*put)(slot_read_by(context_.run(), {selected.layer, selected.head}, position));
  if (range.first < range.last) positions_->clear();
}

void EditForm::take_ban() {
  const TokenRange range = named_positions();
  context_.what_ifs().ban(range);
  if (range.first < range.last) positions_->clear();
}

void EditForm::remove_change() {
  auto row = static_cast<std::size_t>(std::max(0, changes_->currentRow()));
  SegmentEdit draft = context_.what_ifs().draft();
  const auto take_out = [&row](auto& list) {
    if (row < list.size()) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(row));
      return true;
    }
    row -= list.size();
    return false;
  };
  const auto take_carry = [&] {
    if (!draft.patch_carry || row-- > 0) return false;
    draft.patch_carry = false;
    return true;
  };
  if (take_out(draft.dropped) || take_out(draft.added) || take_out(draft.banned) || take_carry() ||
      take_out(draft.patched_heads) || take_out(draft.zeroed_heads) || take_out(draft.unread))
    context_.what_ifs().set_draft(draft);
}

SegmentConfig EditForm::wanted_config() const {
  SegmentConfig config = context_.config();
  const SegmentConfig& run = context_.run().request().config;
  config.segment_length = run.segment_length;  // S and positions stay: what came before is kept
  config.rope = run.rope;
  config.bos = run.bos;
  config.truncation_depth = run.truncation_depth;
  return config;
}

void EditForm::write_sources() {
  if (showing_) return;
  SegmentEdit draft = context_.what_ifs().draft();
  draft.no_carry = no_carry_->isChecked();
  draft.no_sinks = no_sinks_->isChecked();
  draft.prefix = static_cast<PrefixSource>(prefix_->currentIndex());
  draft.seed = static_cast<std::uint64_t>(seed_->value());
  draft.config.reset();
  if (settings_->isChecked()) draft.config = wanted_config();
  context_.what_ifs().set_draft(draft);
}

/// A shared search finds one list for all readers, which lose a removed position together.
QString EditForm::remove_text() const {
  const bool shared = context_.run().request().config.search == SearchBy::Shared;
  return shared ? tr("Remove from all readers") : tr("Remove from this head");
}

void EditForm::show_draft() {
  showing_ = true;
  remove_->setText(remove_text());
  const SegmentEdit& draft = context_.what_ifs().draft();
  no_carry_->setChecked(draft.no_carry);
  no_sinks_->setChecked(draft.no_sinks);
  prefix_->setCurrentIndex(static_cast<int>(draft.prefix));
  seed_->setValue(static_cast<int>(draft.seed));
  seed_->setVisible(draft.prefix == PrefixSource::Random);
  settings_->setChecked(draft.config.has_value());
  changes_->clear();
  const auto add = [this](const QString& what, const SlotRef& slot) {
    changes_->addItem(filled(tr("%1 layer %2, head %3: %4  %5"), what, slot.layer, slot.head, slot.position,
                             context_.run().token_text(slot.position).simplified()));
  };
  for (const SlotRef& slot : draft.dropped) add(remove_text(), slot);
  for (const SlotRef& slot : draft.added) add(tr("Add"), slot);
  for (const TokenRange& range : draft.banned)
    changes_->addItem(filled(tr("Exclude %1 to %2 from all heads"), range.first, range.last - 1));
  if (draft.patch_carry) changes_->addItem(tr("Patch the carry from B"));
  for (const HeadRef& head : draft.patched_heads)
    changes_->addItem(filled(tr("Patch the output of layer %1, head %2 from B"), head.layer, head.head));
  for (const HeadRef& head : draft.zeroed_heads)
    changes_->addItem(filled(tr("Zero the output of layer %1, head %2"), head.layer, head.head));
  for (const HeadPart& unread : draft.unread) changes_->addItem(unread_text(unread));
  changes_->setVisible(changes_->count() > 0);
  showing_ = false;
}

void EditForm::show_settings() {
  const bool any = !context_.run().is_empty();
  const QStringList changes = any ? config_changes(context_.run().request().config, wanted_config()) : QStringList();
  settings_->setEnabled(!changes.isEmpty() || settings_->isChecked());
  settings_text_->setText(changes.isEmpty() ? tr("as in the run") : changes.join(QStringLiteral(", ")));
  settings_text_->setToolTip(changes.isEmpty() ? tr("Edit them in Settings or the grid")
                                               : changes.join(QLatin1Char('\n')));
  if (settings_->isChecked()) write_sources();
}

}  // namespace carryover
