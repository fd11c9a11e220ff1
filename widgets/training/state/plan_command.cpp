// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/plan_command.h"

#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/config/segment_fields.h"
#include "engine/config/training_fields.h"
#include "engine/runs/records/run_command.h"

namespace carryover {
namespace {

using nlohmann::json;

/// Returns true if the field's flag is its name with dashes and takes its value, lists with commas (train_options.cpp,
/// config_options.cpp), or is a switch with --no-.
bool has_flag(const std::string& key) {
  if (const SegmentField* field = find_segment_field(key)) return !field->is<std::optional<RopeConfig>>();
  if (const TrainingField* field = find_training_field(key); field != nullptr && field->has_flag())
    return field->as<bool>() == nullptr || field->can_be_turned_off();
  for (const char* other : {"text_field", "policy", "dtype", "device", "threads", "seed"})
    if (key == other) return true;
  return false;
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
  const QString flag = QString::fromStdString(flag_of_field(key));
  const bool flagged = has_flag(key);
  if (flagged && is_plain(value)) return flag_with(flag, plain_text(value));
  if (flagged && value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
    QStringList items;
    for (const json& item : value) items << plain_text(item);
    return flag_with(flag, items.join(QLatin1Char(',')));
  }
  if (flagged && value.is_boolean()) return value.get<bool>() ? flag : QStringLiteral("--no-") + flag.mid(2);
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
