// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/config_panel.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <limits>

#include "engine/base/error.h"
#include "engine/config/segment_fields.h"
#include "engine/config/settings_presets.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/minference/minference_settings.h"
#include "widgets/controls/page_parts.h"
#include "widgets/heads/state/pattern_text.h"
#include "widgets/lab/config_files.h"
#include "widgets/look/theme.h"
#include "widgets/look/undo_keys.h"
#include "widgets/training/state/plan_values.h"

namespace carryover {
namespace {

constexpr int commit_delay_ms = 400;
constexpr int widest = std::numeric_limits<int>::max();

QSpinBox* spin_box(QWidget* parent, const QString& unit, const QString& help) {
  auto* box = new QSpinBox(parent);
  box->setRange(-1, widest);  // what is out of bounds is said in words, not swallowed
  box->setGroupSeparatorShown(true);
  box->setMinimumWidth(90);  // not that of the largest number
  box->setSuffix(unit);
  box->setToolTip(help);
  box->setAccessibleDescription(help);
  return box;
}

int boxed(std::int64_t number) {
  return static_cast<int>(std::min<std::int64_t>(number, widest));
}

QString said_of(const EngineError& error) {
  return QString::fromStdString(error.problem()) + QStringLiteral(". ") + QString::fromStdString(error.advice());
}

QComboBox* choice(QWidget* parent, const QStringList& names, const QString& help) {
  auto* box = new QComboBox(parent);
  box->addItems(names);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(8);  // the panel may be narrower than the longest name
  box->setToolTip(help);
  return box;
}

}  // namespace

ConfigPanel::ConfigPanel(LabContext& lab, QWidget* parent) : Panel(lab, tr("Settings"), parent) {
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  form->setContentsMargins(8, 8, 8, 8);
  form->setVerticalSpacing(4);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  add_presets(form);
  add_options(form);
  add_fields(form);
  QScrollArea* scroll = scrolled(page, tr("Settings"), this);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  problem_ = new QLabel(this);
  problem_->setWordWrap(true);
  problem_->setContentsMargins(8, 6, 8, 6);
  problem_->setAccessibleName(tr("Problem with the settings"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(scroll, 1);
  layout->addWidget(problem_);

  commit_timer_.setSingleShot(true);
  commit_timer_.setInterval(commit_delay_ms);
  connect(&commit_timer_, &QTimer::timeout, this, &ConfigPanel::commit);
  connect(&lab, &LabContext::settings_wanted, this, &ConfigPanel::settle);
  connect(&lab, &LabContext::config_changed, this, [this] {
    commit_timer_.stop();  // what is typed has been overtaken
    request_refresh();
  });
  connect(&lab, &LabContext::model_changed, this, &Panel::request_refresh);
  connect(&lab, &LabContext::run_options_changed, this, &Panel::request_refresh);
  setEnabled(lab.model().has_value());
  add_undo_keys();
}

/// Text that was typed and refused is no setting yet: undo brings the current setting back.
void ConfigPanel::add_undo_keys() {
  const auto refused = [this](bool redo) { return !redo && !problem_->text().isEmpty(); };
  QUndoStack& stack = context().undo_stack();
  new UndoKeys(*this, {[this, refused, &stack](bool redo) {
                         settle();
                         return refused(redo) || (redo ? stack.canRedo() : stack.canUndo());
                       },
                       [this, refused, &stack](bool redo) {
                         if (refused(redo)) return refresh();
                         redo ? stack.redo() : stack.undo();
                       }});
}

void ConfigPanel::add_presets(QFormLayout* form) {
  preset_ = choice(this, {}, tr("Sets all settings below and the grouping (undo: Ctrl+Z)"));
  preset_->setAccessibleName(tr("Preset"));
  form->addRow(preset_->accessibleName(), preset_);
  connect(preset_, &QComboBox::activated, this, &ConfigPanel::choose_preset);
}

void ConfigPanel::choose_preset(int index) {
  const auto presets = settings_presets(*context().model(), context().config().search_heads);
  if (index < 0 || index >= static_cast<int>(presets.size())) return show_preset();
  const SettingsPreset& preset = presets[static_cast<std::size_t>(index)];
  try {
    preset.config.validate(*context().model(), "settings");
    context().edit_settings(preset.config, kMethodPolicy, tr("preset “%1”").arg(QString::fromStdString(preset.name)));
    refresh();  // also what is typed beside the settings that it already is
  } catch (const EngineError& error) {
    problem_->setText(said_of(error));
    problem_->setVisible(true);
    show_preset();
  }
}

/// The preset that the settings are, else "Custom".
void ConfigPanel::show_preset() {
  preset_->clear();
  int shown = -1;
  for (const SettingsPreset& preset : settings_presets(*context().model(), context().config().search_heads)) {
    SegmentConfig config = preset.config;
    if (config.search == SearchBy::PerHead) config.search_heads = context().config().search_heads;  // nobody asks them
    if (config == context().config()) shown = preset_->count();
    preset_->addItem(QString::fromStdString(preset.name));
    preset_->setItemData(preset_->count() - 1, field_text(preset.description), Qt::ToolTipRole);
  }
  preset_->addItem(tr("Custom"));
  preset_->setCurrentIndex(shown >= 0 ? shown : preset_->count() - 1);
}

void ConfigPanel::add_options(QFormLayout* form) {
  QStringList names, tips;
  for (const PolicyRow& policy : policies()) {
    names += QString::fromLatin1(policy.name);
    tips += QStringLiteral("%1: %2").arg(names.back(), field_text(policy.help));
  }
  policy_ = choice(this, names, tips.join(QStringLiteral("; ")));
  dtype_ = choice(this,
                  {QStringLiteral("auto"), QStringLiteral("fp32"), QStringLiteral("bf16"), QStringLiteral("fp64"),
                   QStringLiteral("q8")},
                  tr("dtype of weights and activations; auto: the faster one on this machine; q8: 8-bit weights, for "
                     "less memory and faster generation. Reloads the model."));
  device_ = choice(this, {QStringLiteral("auto"), QStringLiteral("cpu"), QStringLiteral("cuda")},
                   tr("Device that computes; auto: the GPU if there is one. Reloads the model."));
  token_limit_ = spin_box(this, tr(" tokens"), tr("Number of tokens to run; 0: the whole text"));
  token_limit_->setMinimum(0);
  token_limit_->setSpecialValueText(tr("whole text"));
  token_limit_->setKeyboardTracking(false);
  add_option(form, policy_, tr("Policy"), tr("policy"),
             [](RunOptions& options, const std::string& name) { options.policy = name; });
  add_option(form, dtype_, tr("Precision (dtype)"), tr("dtype"),
             [](RunOptions& options, const std::string& name) { options.dtype = parse_dtype(name); });
  add_option(form, device_, tr("Device"), tr("device"),
             [](RunOptions& options, const std::string& name) { options.device = parse_device(name); });
  form->addRow(tr("Tokens to run"), token_limit_);
  watch_text(token_limit_);
  connect(token_limit_, &QSpinBox::valueChanged, this, [this] {
    if (!updating_) commit_timer_.start();  // by an arrow, perhaps to be pressed again
  });
  connect(token_limit_, &QSpinBox::editingFinished, this, &ConfigPanel::write_tokens);
}

template <typename Take>
void ConfigPanel::add_option(QFormLayout* form, QComboBox* box, const QString& label, const QString& what, Take take) {
  form->addRow(label, box);
  connect(box, &QComboBox::activated, this, [this, box, what, take] {
    RunOptions options = context().run_options();
    take(options, box->currentText().toStdString());
    context().edit_run_options(options, what);
  });
}

/// A field that loses the focus because it goes ends its editing, after what it is read with has gone.
ConfigPanel::~ConfigPanel() {
  for (QWidget* field : findChildren<QWidget*>()) field->disconnect(this);
}

void ConfigPanel::write_tokens() {
  if (updating_ || token_limit_->value() == shown_tokens_) return;
  shown_tokens_ = token_limit_->value();
  RunOptions options = context().run_options();
  options.token_limit = shown_tokens_;
  options.tokens_chosen = true;
  context().edit_run_options(options, tr("tokens to run"));
}

void ConfigPanel::add_fields(QFormLayout* form) {
  form_ = form;
  for (const SegmentField& field : segment_fields()) {
    if (field.is_count()) add_number(form, field);
    if (field.is<bool>()) add_switch(form, field);
    if (field.choice() != nullptr) add_choice(form, field);
    if (field.is<std::vector<HeadRef>>()) add_heads(form, field);
    if (field.is<HeadPatterns>()) add_patterns(form, field);
    if (field.is<std::optional<RopeConfig>>()) add_rope(form, field);
  }
}

void ConfigPanel::add_number(QFormLayout* form, const SegmentField& field) {
  auto* box = spin_box(this, field_text(field.unit), field_text(field.help));
  if (field.is<std::optional<std::int64_t>>()) {
    box->setMinimum(0);
    box->setSpecialValueText(tr("by R"));
  }
  auto* name = new QLabel(field_label(field.label, field.symbol), this);
  name->setBuddy(box);
  form->addRow(name, box);
  rows_.emplace_back(field.key, box);
  numbers_.push_back({field, name, box, box->toolTip()});
  connect(box, &QSpinBox::valueChanged, this, [this] { validate(); });
  watch_text(box);
  connect(box, &QSpinBox::editingFinished, this, &ConfigPanel::commit);
}

std::int64_t ConfigPanel::NumberField::read(const SegmentConfig& config) const {
  if (const auto* count = field.as<std::int64_t>()) return count->get(config);
  return field.as<std::optional<std::int64_t>>()->get(config).value_or(0);
}

void ConfigPanel::NumberField::write(SegmentConfig& config) const {
  const std::int64_t value = box->value();
  if (const auto* count = field.as<std::int64_t>())
    count->in(config) = value;
  else
    field.as<std::optional<std::int64_t>>()->in(config) = value == 0 ? std::nullopt : std::optional(value);
}

void ConfigPanel::add_switch(QFormLayout* form, const SegmentField& field) {
  auto* box = new QCheckBox(field_label(field.label, field.symbol), this);
  box->setToolTip(field_text(field.help));
  form->addRow(box);
  rows_.emplace_back(field.key, box);
  switches_.push_back({box, *field.as<bool>()});
  connect(box, &QCheckBox::toggled, this, [this] { commit(); });
}

void ConfigPanel::add_choice(QFormLayout* form, const SegmentField& field) {
  QStringList names;
  for (const std::string_view name : field.choice()->names) names << QString::fromUtf8(name.data());
  QComboBox* box = choice(this, names, field_text(field.help));
  form->addRow(field_label(field.label, field.symbol), box);
  rows_.emplace_back(field.key, box);
  choices_.push_back({box, *field.choice()});
  connect(box, &QComboBox::activated, this, [this] { commit(); });
}

void ConfigPanel::add_heads(QFormLayout* form, const SegmentField& field) {
  search_heads_ = new QLineEdit(this);
  search_heads_->setToolTip(field_text(field.help));
  search_heads_->setPlaceholderText(tr("such as 18.6, 15.6"));
  auto* name = new QLabel(field_label(field.label, field.symbol), this);
  name->setBuddy(search_heads_);
  form->addRow(name, search_heads_);
  rows_.emplace_back(field.key, search_heads_);
  connect(search_heads_, &QLineEdit::textEdited, this, [this] { validate(); });
  connect(search_heads_, &QLineEdit::editingFinished, this, [this] {
    commit();
    if (const auto heads = parse_heads(search_heads_->text().toStdString()))
      search_heads_->setText(QString::fromStdString(text_of_heads(*heads)));
  });
}

/// Patterns come from files, and one by one from the menu of the grid of heads.
void ConfigPanel::add_patterns(QFormLayout* form, const SegmentField& field) {
  auto* row = new QWidget(this);
  row->setToolTip(field_text(field.help));
  const auto button = [row](const QString& text, const QString& name) {
    auto* made = new QToolButton(row);
    made->setText(text);
    made->setToolTip(name);
    made->setAccessibleName(name);
    return made;
  };
  head_patterns_ = new QLabel(row);
  // Not wrapped: Qt 6.4's form layout writes beyond its rows where one has a height for its width and others are
  // hidden.
  head_patterns_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  head_patterns_->setAccessibleName(field_text(field.label));
  QToolButton* open = button(tr("Import…"), tr("Import head patterns: MInference's JSON"));
  clear_patterns_ =
      button(tr("Clear"), tr("No head patterns: heads that are not listed have 1000 columns and 6096 diagonals"));
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(head_patterns_, 1);
  layout->addWidget(open);
  layout->addWidget(clear_patterns_);
  form->addRow(field_label(field.label, field.symbol), row);
  rows_.emplace_back(field.key, row);
  connect(open, &QToolButton::clicked, this, [this] {
    settle();
    import_patterns(context(), this);
  });
  connect(clear_patterns_, &QToolButton::clicked, this, [this] {
    settle();
    SegmentConfig config = context().config();
    config.of<MinferenceSettings>().head_patterns = {};
    context().edit_config(config, tr("no head patterns"));
  });
}

void ConfigPanel::add_rope(QFormLayout* form, const SegmentField& field) {
  QStringList kinds{tr("the model's")};
  for (int kind = 0; kind < static_cast<int>(RopeConfig::Kind::Longrope); ++kind)  // whose factors a model brings
    kinds.append(QLatin1String(rope_kind_name(static_cast<RopeConfig::Kind>(kind))));
  rope_ = choice(this, kinds, field_text(field.help));
  rope_factor_ = new QDoubleSpinBox(this);
  rope_factor_->setRange(0, 1000);
  rope_factor_->setMinimumWidth(90);
  rope_factor_->setDecimals(3);
  rope_factor_->setPrefix(QStringLiteral("× "));
  rope_factor_->setToolTip(tr("Factor of the overriding scaling, at least 1"));
  form->addRow(field_label(field.label, field.symbol), rope_);
  form->addRow(tr("RoPE factor"), rope_factor_);
  connect(rope_, &QComboBox::activated, this, [this] { commit(); });
  connect(rope_factor_, &QDoubleSpinBox::valueChanged, this, [this] { validate(); });
  watch_text(rope_factor_);
  connect(rope_factor_, &QDoubleSpinBox::editingFinished, this, &ConfigPanel::commit);
}

std::optional<RopeConfig> ConfigPanel::typed_rope() {
  const int index = rope_->currentIndex();
  if (index < 0) return context().config().rope;  // a kind that is not offered
  if (index == 0) return std::nullopt;
  RopeConfig rope = context().config().rope.value_or(context().model()->rope);
  const auto kind = static_cast<RopeConfig::Kind>(index - 1);
  if (rope.kind != kind || rope.factor != rope_factor_->value()) rope.attention_factor = 0;  // which belongs to them
  rope.kind = kind;
  rope.factor = rope_factor_->value();
  return rope;
}

SegmentConfig ConfigPanel::typed_config() {
  SegmentConfig config = context().config();
  for (const NumberField& number : numbers_) number.write(config);
  for (const SwitchField& item : switches_) item.value.in(config) = item.box->isChecked();
  for (const ChoiceField& item : choices_) item.choice.set(config, static_cast<std::size_t>(item.box->currentIndex()));
  config.search_heads = parse_heads(search_heads_->text().toStdString()).value_or(std::vector<HeadRef>());
  config.rope = typed_rope();
  return config;
}

/// A field that is empty, or holds half a number, has no value: what it had before is not what is typed. A value that
/// is set by the program or by an arrow changes the text without this signal.
void ConfigPanel::watch_text(QAbstractSpinBox* box) {
  connect(box->findChild<QLineEdit*>(), &QLineEdit::textChanged, this, [this] { validate(); });
}

ConfigPanel::Problem ConfigPanel::find_problem() {
  for (const NumberField& number : numbers_)
    if (!number.box->hasAcceptableInput())
      return {QLatin1String(number.field.key), tr("%1 is not a number").arg(number.label->text())};
  if (!parse_heads(search_heads_->text().toStdString()))
    return {{}, tr("Search heads are not a list of layers and heads such as 18.6, 15.6")};
  if (!rope_factor_->hasAcceptableInput()) return {{}, tr("RoPE factor is not a number")};
  if (!token_limit_->hasAcceptableInput()) return {{}, tr("Tokens to run is not a number")};
  try {
    typed_config().validate(*context().model(), "settings");
  } catch (const EngineError& error) {
    static const QRegularExpression end(QStringLiteral("[^a-z_]"));
    return {QString::fromStdString(error.problem()).section(end, 0, 0), said_of(error)};
  }
  return {};
}

void ConfigPanel::validate() {
  if (updating_ || !context().model()) return;
  const Problem problem = find_problem();
  if (problem.text.isEmpty()) {
    commit_timer_.start();
  } else {
    commit_timer_.stop();
  }
  for (const NumberField& number : numbers_) {
    const bool wrong = !problem.key.isEmpty() && problem.key == QLatin1String(number.field.key);
    number.box->setToolTip(wrong ? problem.text : number.help);
    const QString colour = wrong ? QStringLiteral("color: %1").arg(current_theme().anchor.name()) : QString();
    if (number.label->styleSheet() != colour) number.label->setStyleSheet(colour);
  }
  problem_->setText(problem.text);
  problem_->setVisible(!problem.text.isEmpty());
  context().set_settings_problem(problem.text);
}

void ConfigPanel::commit() {
  if (updating_ || !context().model()) return;
  write_tokens();
  validate();
  commit_timer_.stop();
  if (problem_->text().isEmpty()) context().edit_config(typed_config(), tr("settings"));
}

/// Makes typed values the configuration if a key comes before the pause after typing.
void ConfigPanel::settle() {
  if (token_limit_->hasAcceptableInput()) token_limit_->interpretText();
  if (commit_timer_.isActive()) commit();
}

void ConfigPanel::refresh() {
  setEnabled(context().model().has_value());
  updating_ = true;
  const SegmentConfig& config = context().config();
  for (const NumberField& number : numbers_) number.box->setValue(boxed(number.read(config)));
  for (const SwitchField& item : switches_) item.box->setChecked(item.value.get(config));
  for (const ChoiceField& item : choices_) item.box->setCurrentIndex(static_cast<int>(item.choice.get(config)));
  if (parse_heads(search_heads_->text().toStdString()) != config.search_heads)
    search_heads_->setText(QString::fromStdString(text_of_heads(config.search_heads)));
  head_patterns_->setText(patterns_text(config.of<MinferenceSettings>().head_patterns));
  clear_patterns_->setEnabled(!config.of<MinferenceSettings>().head_patterns.layers.empty());
  rope_->setCurrentIndex(config.rope ? static_cast<int>(config.rope->kind) + 1 : 0);
  rope_factor_->setValue(config.rope ? config.rope->factor : 1.0);
  rope_factor_->setEnabled(config.rope.has_value());
  const RunOptions& options = context().run_options();
  policy_->setCurrentText(QString::fromStdString(options.policy));
  for (const auto& [key, box] : rows_) form_->setRowVisible(box, policy_reads(options.policy, key));
  dtype_->setCurrentText(QString::fromUtf8(dtype_name(options.dtype).data()));
  device_->setCurrentText(QString::fromUtf8(device_name(options.device).data()));
  shown_tokens_ = boxed(options.token_limit);
  token_limit_->setValue(shown_tokens_);
  if (context().model()) show_preset();
  updating_ = false;
  problem_->setStyleSheet(QStringLiteral("color: %1").arg(current_theme().anchor.name()));
  validate();
  commit_timer_.stop();
}

}  // namespace carryover
