// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/config_files.h"

#include <QFileDialog>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/heads/choice/head_pattern_file.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/runs/records/run_folder.h"
#include "widgets/controls/warning_box.h"

namespace carryover {
namespace {

void write_json(const nlohmann::json& json, const QString& path) {
  write_file_atomically(path.toStdString(), json.dump(2) + "\n");
}

void ask_and_write(LabContext& context, QWidget* parent, const QString& title, const QString& name,
                   const std::function<void(const SegmentConfig&, const QString&)>& write) {
  const QString path = QFileDialog::getSaveFileName(parent, title, name, QObject::tr("JSON (*.json)"));
  if (path.isEmpty()) return;
  showing_errors(parent, title, [&] {
    write(context.config(), path);
    context.add_written(path);
  });
}

void ask_and_read(LabContext& context, QWidget* parent, const QString& title, const QString& edit,
                  SegmentConfig (*read)(const SegmentConfig&, const ModelConfig&, const QString&)) {
  if (!context.model()) return;
  const QString path = QFileDialog::getOpenFileName(parent, title, {}, QObject::tr("JSON (*.json)"));
  if (path.isEmpty()) return;
  showing_errors(parent, title, [&] { context.edit_config(read(context.config(), *context.model(), path), edit); });
}

}  // namespace

void write_config(const SegmentConfig& config, const QString& path) {
  write_json(config, path);
}
void write_grouping(const SegmentConfig& config, const QString& path) {
  nlohmann::json grouping = config.grouping;
  if (config.search == SearchBy::Shared) grouping.update({{"search", "shared"}, {"search_heads", config.search_heads}});
  write_json(grouping, path);
}

SegmentConfig read_config(const SegmentConfig& base, const ModelConfig& model, const QString& path) {
  const std::string where = path.toStdString();
  nlohmann::json json = read_json_file(where, JsonKind::Settings);
  if (!json.is_object())
    throw EngineError(Fault::BadInput, where, QObject::tr("is not a JSON object").toStdString(),
                      QObject::tr("Choose a file that this program exported.").toStdString());
  if (json.contains("config") && json["config"].is_object()) json = json["config"];
  SegmentConfig config = base;
  update_from_json(config, json, where);
  config.validate(model, where);
  return config;
}

void write_patterns(const SegmentConfig& config, const ModelConfig& model, const QString& path) {
  HeadPatterns patterns = config.of<MinferenceSettings>().head_patterns;
  patterns.layers.resize(std::max(patterns.layers.size(), static_cast<std::size_t>(model.layers)));
  write_head_patterns(patterns, path.toStdString());
}

SegmentConfig read_patterns(const SegmentConfig& base, const ModelConfig& model, const QString& path) {
  const std::string where = path.toStdString();
  SegmentConfig config = base;
  config.of<MinferenceSettings>().head_patterns = read_head_patterns(where);
  config.of<MinferenceSettings>().head_patterns.validate(model, where, {});
  return config;
}

void export_config(LabContext& context, QWidget* parent) {
  ask_and_write(context, parent, QObject::tr("Export the configuration"), QStringLiteral("config.json"), write_config);
}

void export_grouping(LabContext& context, QWidget* parent) {
  ask_and_write(context, parent, QObject::tr("Export the grouping"), QStringLiteral("grouping.json"), write_grouping);
}

void export_patterns(LabContext& context, QWidget* parent) {
  if (!context.model()) return;
  ask_and_write(
      context, parent, QObject::tr("Export the head patterns"), QStringLiteral("head_patterns.json"),
      [&context](const SegmentConfig& config, const QString& path) { write_patterns(config, *context.model(), path); });
}

void import_config(LabContext& context, QWidget* parent) {
  ask_and_read(context, parent, QObject::tr("Import a configuration or grouping"), QObject::tr("import"), read_config);
}

void import_patterns(LabContext& context, QWidget* parent) {
  ask_and_read(context, parent, QObject::tr("Import head patterns"), QObject::tr("head patterns"), read_patterns);
}

}  // namespace carryover
