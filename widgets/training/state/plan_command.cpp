// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/plan_command.h"

#include <QStringList>
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/config/segment_fields.h"
#include "engine/runs/records/run_command.h"

namespace carryover {
namespace {

using nlohmann::json;

/// Fields beside SegmentConfig's whose flag is their name with dashes and takes their value, lists with commas
/// (train_options.cpp, config_options.cpp). A test holds them to it.
constexpr const char* flags[] = {
    "text_field",
    "policy",
    "dtype",
    "device",
    "threads",
    "seed",
    "max_steps",
    "learning_rate",
    "lr_scheduler_type",
    "warmup_steps",
    "micro_batch_size",
    "gradient_accumulation_steps",
    "train_segments",
    "weight_decay",
    "max_grad_norm",
    "distillation",
    "recall_samples",
    "recall_segments",
    "recall_weight",
    "lora_rank",
    "lora_alpha",
    "lora_dropout",
    "lora_target_modules",
    "validation_fraction",
    "eval_steps",
    "eval_lengths",
    "save_steps",
    "save_total_limit",
    "on_alert",
};

bool has_flag(const std::string& key) {
  const SegmentField* field = find_segment_field(key);
  if (field) return !field->is<std::optional<RopeConfig>>();
  return std::find(std::begin(flags), std::end(flags), key) != std::end(flags);
}

bool is_plain(const json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= std::uint64_t{1} << 62;
  return value.is_string() || value.is_number();
}

QString plain_text(const json& value) {
  return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QString flag_with(const QString& flag, const QString& value) {
  const QString word = shell_word(value);
  return flag + (value.startsWith(QLatin1Char('-')) ? QLatin1Char('=') : QLatin1Char(' ')) + word;
}

QString word_of(const std::string& key, const json& value) {
  QString flag = QStringLiteral("--") + QString::fromStdString(key).replace(QLatin1Char('_'), QLatin1Char('-'));
  if (has_flag(key) && is_plain(value)) return flag_with(flag, plain_text(value));
  if (has_flag(key) && value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
    QStringList items;
    for (const json& item : value) items << plain_text(item);
    return flag_with(flag, items.join(QLatin1Char(',')));
  }
  const bool is_switch = key == "gradient_checkpointing" || has_flag(key);
  if (is_switch && value.is_boolean()) return value.get<bool>() ? flag : QStringLiteral("--no-") + flag.mid(2);
  return flag_with(QStringLiteral("--set"), QString::fromStdString(key + "=" + value.dump()));
}

/// Returns the plan that the command line starts from: defaults and the preset, without any other flag.
TrainingPlan base_plan(const std::string& path, const ModelConfig& model, const std::string& preset) {
  TrainingPlan base;
  base.model = path;
  base.config = SegmentConfig::defaults_for(model);
  for (const TrainingPreset& each : training_presets())
    if (each.name == preset) each.apply(base);
  return base;
}

}  // namespace

QString shell_word(const QString& word) {
  return QString::fromStdString(shell_word(word.toStdString()));
}

QString plan_command(const TrainingPlan& plan, const ModelConfig& model, const std::string& preset) {
  QStringList words{QStringLiteral("carryover train")};
  words << flag_with(QStringLiteral("--model"), QString::fromStdString(plan.model));
  for (const std::string& path : plan.data) words << flag_with(QStringLiteral("--data"), QString::fromStdString(path));
  words << flag_with(QStringLiteral("--output"), QString::fromStdString(plan.output_dir));
  if (!preset.empty()) words << QStringLiteral("--preset ") + QString::fromStdString(preset);
  const json base = plan_json(base_plan(plan.model, model, preset));
  const json wanted = plan_json(plan);
  for (const auto& [key, value] : wanted.items())
    if (key != "model" && key != "data" && key != "output_dir" && value != base[key]) words << word_of(key, value);
  return words.join(QLatin1Char(' '));
}

}  // namespace carryover
