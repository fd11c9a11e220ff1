// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/head_grid_panel.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "engine/config/head_reads.h"
#include "engine/cost/policy_table.h"
#include "widgets/controls/page_parts.h"
#include "widgets/heads/head_grid.h"
#include "widgets/lab/config_files.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/markup.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

/// The legend repeats the grid's glyphs in words and colour.
QString legend_html(bool with_searchers, bool with_windows) {
  const Theme& theme = current_theme();
  QString legend = QStringLiteral(
                       "<span style='color:%1'>●</span>&nbsp;%2 &nbsp; <span style='color:%3'>□</span>&nbsp;%4 "
                       "&nbsp; <span style='color:%5'>◆</span>&nbsp;%6")
                       .arg(theme.local.name(), HeadGridPanel::tr("local"), theme.long_range.name(),
                            HeadGridPanel::tr("long"), theme.retrieving.name(), HeadGridPanel::tr("retrieving"));
  if (with_windows)
    legend += QStringLiteral(" &nbsp; <span style='color:%1'>―</span>&nbsp;%2")
                  .arg(theme.local.name(), HeadGridPanel::tr("window"));
  if (with_searchers)
    legend += QStringLiteral(" &nbsp; <span style='color:%1'>◥</span>&nbsp;%2")
                  .arg(theme.anchor.name(), HeadGridPanel::tr("searches"));
  return legend;
}

/// Returns the share of all heads that read this part of a prefix.
double share_that_reads(PrefixPart part, const ModelConfig& model, const SegmentConfig& config) {
  std::int64_t readers = 0;
  for (int layer = 0; layer < model.layers; ++layer)
    for (const HeadReads& kind : head_reads(config, model, layer))
      if (kind.read(part)) readers += std::ssize(kind.heads);
  return static_cast<double>(readers) / static_cast<double>(model.layers * model.heads);
}

/// The sum behind CostModel::visible_positions. A part has the paper's factor where that is the share of the heads that
/// read it, else the share itself.
QString visible_formula(const ModelConfig& model, const SegmentConfig& config) {
  constexpr double same = 1e-9;
  const double local = config.grouping.local_share(model), long_layers = config.grouping.long_layer_share(model);
  QStringList terms;
  const auto add = [&](PrefixPart part, const QString& factor, double usual, const QString& symbol) {
    const double share = share_that_reads(part, model, config);
    if (std::abs(share - usual) < same) {
      terms += factor + symbol;
    } else if (share > same) {
      terms += (share > 1 - same ? QString() : decimal_text(share, 3)) + symbol;
    }
  };
  add(PrefixPart::Sinks, {}, 1, QStringLiteral("n"));
  terms += QStringLiteral("S");
  add(PrefixPart::Carry, QStringLiteral("α"), local, QStringLiteral("M"));
  add(PrefixPart::Retrieved, QStringLiteral("β(1−α)"), long_layers * (1 - local), QStringLiteral("R"));
  return terms.join(QLatin1Char('+'));
}

QString figures_html(LabContext& context) {
  const ModelConfig& model = *context.model();
  const SegmentConfig& config = context.config();
  RunModel& run = context.run();
  const bool dtype_known = context.model_dtype() != DType::Auto || run.is_empty();
  const int value_bytes = dtype_known ? bytes_per_value(context.model_dtype()) : run.cost().bytes_per_value;
  const std::int64_t tokens = run.is_empty() ? model.context : run.token_count();
  const CostModel cost{model, config, value_bytes};
  if (const PolicyRow* row = find_policy(context.run_options().policy); row != nullptr && row->runs_in_chunks) {
    const MemoryBytes memory = row->memory(cost, tokens, {});
    // The pool has 0 bytes if attention sees all of the cache.
    const std::int64_t cache = memory.pool > 0 ? memory.pool : memory.attention_kv;
    return filled(HeadGridPanel::tr("Policy %1<br>attention-visible KV <b>%2</b> (full: %3)<br>cache %4 at %L5 tokens"),
                  QLatin1String(row->name), bytes_text(memory.attention_kv),
                  bytes_text(cost.full_attention_bytes(tokens)), bytes_text(cache), tokens);
  }
  return filled(HeadGridPanel::tr("α = %1 local · β = %2 long layers<br>"
                                  "%8 = <b>%3</b> tokens seen<br>"
                                  "attention-visible KV <b>%4</b> (full: %5)<br>pool %6 at %L7 tokens"),
                decimal_text(config.grouping.local_share(model), 3),
                decimal_text(config.grouping.long_layer_share(model), 3), decimal_text(cost.visible_positions(), 1),
                bytes_text(cost.segmented_attention_bytes()), bytes_text(cost.full_attention_bytes(tokens)),
                bytes_text(cost.pool_bytes(tokens)), tokens, visible_formula(model, config));
}

}  // namespace

HeadGridPanel::HeadGridPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Heads × layers"), parent), grid_(new HeadGrid(lab)) {
  QScrollArea* scroll = scrolled(grid_, tr("Grid of heads"), this);
  badge_ = new QLabel(this);
  badge_->setWordWrap(true);
  badge_->setAccessibleName(tr("Differs from training"));
  badge_->setToolTip(tr("The weights were trained with other settings, which are shown in brackets"));
  connect(badge_, &QLabel::linkActivated, this, &HeadGridPanel::restore_training);
  figures_ = new QLabel(this);
  figures_->setWordWrap(true);
  figures_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 4, 6, 6);
  layout->setSpacing(6);
  layout->addWidget(build_bar());
  layout->addWidget(scroll, 1);
  layout->addWidget(badge_);
  layout->addWidget(figures_);

  connect(&lab, &LabContext::model_changed, this, &HeadGridPanel::fill_presets);
  connect(&lab, &LabContext::model_dtype_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::config_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::run_options_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::alignment_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &Panel::request_refresh);
  fill_presets();
}

QWidget* HeadGridPanel::build_bar() {
  auto* bar = new QWidget(this);
  presets_ = new QComboBox(bar);
  presets_->setToolTip(tr("Groupings that fit this model"));
  presets_->setAccessibleName(tr("Grouping preset"));
  presets_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  edit_ = new QToolButton(bar);
  edit_->setIcon(themed_icon(QStringLiteral("edit")));
  edit_->setCheckable(true);
  edit_->setToolTip(
      tr("Edit: click or drag over heads, click a layer's number, Shift-click: search for all readers (undo: Ctrl+Z). "
         "Off: a click selects a head."));
  edit_->setAccessibleName(tr("Edit the grouping"));
  const auto file_menu = [bar](const QString& icon, const QString& what) {
    auto* button = new QToolButton(bar);
    button->setIcon(themed_icon(icon));
    button->setToolTip(what);
    button->setAccessibleName(what);
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    return button;
  };
  QToolButton* from_file = file_menu(QStringLiteral("import"), tr("Import a grouping or head patterns"));
  from_file->menu()->addAction(tr("Import a grouping (JSON)…"), this, [this] { import_config(context(), this); });
  from_file->menu()->addAction(tr("Import head patterns (MInference's JSON)…"), this,
                               [this] { import_patterns(context(), this); });
  QToolButton* to_file = file_menu(QStringLiteral("export"), tr("Export the grouping or the head patterns"));
  to_file->menu()->addAction(tr("Export the grouping (JSON)…"), this, [this] { export_grouping(context(), this); });
  to_file->menu()->addAction(tr("Export the head patterns (MInference's JSON)…"), this,
                             [this] { export_patterns(context(), this); });
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(presets_, 1);
  layout->addWidget(edit_);
  layout->addWidget(from_file);
  layout->addWidget(to_file);
  connect(edit_, &QToolButton::toggled, grid_, &HeadGrid::set_editing);
  connect(presets_, &QComboBox::activated, this, &HeadGridPanel::choose_preset);
  return bar;
}

void HeadGridPanel::fill_presets() {
  presets_->clear();
  presets_->setEnabled(context().model().has_value());
  if (!context().model()) return;
  for (const GroupingPreset& preset : grouping_presets(*context().model())) {
    presets_->addItem(QString::fromStdString(preset.name));
    presets_->setItemData(presets_->count() - 1, QString::fromStdString(preset.description), Qt::ToolTipRole);
  }
  presets_->addItem(tr("Custom"));
  request_refresh();
}

void HeadGridPanel::choose_preset(int index) {
  const auto presets = grouping_presets(*context().model());
  if (index < 0 || index >= static_cast<int>(presets.size())) return request_refresh();
  const auto& preset = presets[static_cast<std::size_t>(index)];
  SegmentConfig config = context().config();
  config.grouping = preset.grouping;
  context().edit_config(config, tr("grouping “%1”").arg(QString::fromStdString(preset.name)));
}

void HeadGridPanel::restore_training() {
  const auto trained = context().trained_under();
  if (trained) context().edit_settings(trained->config, trained->policy, tr("as trained"));
}

void HeadGridPanel::show_alignment() {
  const auto& trained = context().trained_under();
  QStringList found;
  if (trained) found = misalignments(*trained, context().config(), context().run_options().policy);
  badge_->setVisible(!found.isEmpty());
  set_markup(*badge_, QStringLiteral("<b style='color:%1'>⚠ %2</b> %3<br><a style='color:%4' href='trained'>%5</a>")
                          .arg(current_theme().anchor.name(), tr("Differs from training:"),
                               found.join(QStringLiteral(", ")).toHtmlEscaped(), current_theme().accent.name(),
                               tr("Restore training settings")));
}

void HeadGridPanel::refresh() {
  show_alignment();
  if (!context().model()) {
    set_markup(*figures_, legend_html(false, false));
    return;
  }
  set_markup(*figures_, legend_html(context().config().search == SearchBy::Shared, context().model()->window > 0) +
                            QStringLiteral("<br>") + figures_html(context()));
  const auto presets = grouping_presets(*context().model());
  const auto same = std::find_if(presets.begin(), presets.end(), [this](const GroupingPreset& preset) {
    return preset.grouping == context().config().grouping;
  });
  presets_->setCurrentIndex(static_cast<int>(same - presets.begin()));
}

}  // namespace carryover
