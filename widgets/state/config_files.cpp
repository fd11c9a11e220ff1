// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/config_files.h"

#include <QFileDialog>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/records/run_folder.h"
#include "widgets/state/warning_box.h"

namespace carryover {
namespace {

void write_json(const nlohmann::json& json, const QString& path) {
  write_file_atomically(path.toStdString(), json.dump(2) + "\n");
}

void ask_and_write(LabContext& context, QWidget* parent, const QString& title, const QString& name,
                   void (*write)(const SegmentConfig&, const QString&)) {
  const QString path = QFileDialog::getSaveFileName(parent, title, name, QObject::tr("JSON (*.json)"));
  if (path.isEmpty()) return;
  showing_errors(parent, title, [&] {
    write(context.config(), path);
    context.add_written(path);
  });
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
  nlohmann::json json = read_json_file(where);
  if (!json.is_object())
    throw EngineError(Fault::BadInput, where, QObject::tr("is not a JSON object").toStdString(),
                      QObject::tr("Choose a file that this program exported.").toStdString());
  if (json.contains("config") && json["config"].is_object()) json = json["config"];
  SegmentConfig config = base;
  update_from_json(config, json, where);
  config.validate(model, where);
  return config;
}

void export_config(LabContext& context, QWidget* parent) {
  ask_and_write(context, parent, QObject::tr("Export the configuration"), QStringLiteral("config.json"), write_config);
}

void export_grouping(LabContext& context, QWidget* parent) {
  ask_and_write(context, parent, QObject::tr("Export the grouping"), QStringLiteral("grouping.json"), write_grouping);
}

void import_config(LabContext& context, QWidget* parent) {
  if (!context.model()) return;
  const QString title = QObject::tr("Import a configuration or grouping");
  const QString path = QFileDialog::getOpenFileName(parent, title, {}, QObject::tr("JSON (*.json)"));
  if (path.isEmpty()) return;
  showing_errors(parent, title, [&] {
    context.edit_config(read_config(context.config(), *context.model(), path), QObject::tr("import"));
  });
}

}  // namespace carryover
