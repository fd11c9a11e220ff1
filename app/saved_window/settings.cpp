// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>

#include "app/saved_window/versioned_json.h"
#include "engine/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {
namespace {

using nlohmann::json;

/// Version 1 knew models without their adapters.
void add_adapters(json& fields) {
  json models = json::array();
  for (const json& path : fields.value("recent_models", json::array()))
    models.push_back({{"path", path}, {"adapter", ""}});
  fields["recent_models"] = std::move(models);
}

const VersionedFormat& settings_format() {
  static const VersionedFormat format{"carryover settings", {add_adapters}};
  return format;
}

QStringList read_list(const json& fields, const char* key) {
  QStringList list;
  for (const json& path : fields.value(key, json::array())) list += QString::fromStdString(path.get<std::string>());
  return list;
}

json list_json(const QStringList& list) {
  json array = json::array();
  for (const QString& path : list) array.push_back(path.toStdString());
  return array;
}

QList<RecentModel> read_models(const json& list) {
  QList<RecentModel> models;
  for (const json& model : list)
    models += {QString::fromStdString(model.at("path").get<std::string>()),
               QString::fromStdString(model.at("adapter").get<std::string>())};
  return models;
}

json models_json(const QList<RecentModel>& models) {
  json array = json::array();
  for (const RecentModel& model : models)
    array.push_back({{"path", model.path.toStdString()}, {"adapter", model.adapter.toStdString()}});
  return array;
}

Settings settings_of(const json& fields) {
  Settings settings;
  settings.theme = fields.value("theme", "light") == "dark" ? ThemeKind::Dark : ThemeKind::Light;
  settings.language = QString::fromStdString(fields.value("language", "system"));
  settings.start_panel = fields.value("start_panel", true);
  settings.run_limit = std::max<std::int64_t>(0, fields.value("run_limit", RunLibrary::default_limit));
  settings.models = read_models(fields.value("recent_models", json::array()));
  settings.texts = read_list(fields, "recent_texts");
  settings.sessions = read_list(fields, "recent_sessions");
  settings.experiments = read_list(fields, "recent_experiments");
  const json layouts = fields.value("layouts", json::object());
  for (const auto& [name, state] : layouts.items())
    settings.layouts[QString::fromStdString(name)] =
        QByteArray::fromBase64(QByteArray::fromStdString(state.get<std::string>()));
  for (const json& engine : fields.value("engines", json::array()))
    settings.engines[engine.at("command").get<EngineCommand>()] = engine.at("start").get<bool>();
  return settings;
}

json settings_json(const Settings& settings) {
  json layouts = json::object();
  for (const auto& [name, state] : settings.layouts) layouts[name.toStdString()] = state.toBase64().toStdString();
  json engines = json::array();
  for (const auto& [command, start] : settings.engines) engines.push_back({{"command", command}, {"start", start}});
  return {{"theme", settings.theme == ThemeKind::Dark ? "dark" : "light"},
          {"language", settings.language.toStdString()},
          {"start_panel", settings.start_panel},
          {"run_limit", settings.run_limit},
          {"recent_models", models_json(settings.models)},
          {"recent_texts", list_json(settings.texts)},
          {"recent_sessions", list_json(settings.sessions)},
          {"recent_experiments", list_json(settings.experiments)},
          {"layouts", layouts},
          {"engines", engines}};
}

}  // namespace

QString RecentModel::text() const {
  return adapter.isEmpty() ? path : QStringLiteral("%1 + %2").arg(path, adapter);
}

bool RecentModel::is_there() const {
  return QFileInfo::exists(path) && (adapter.isEmpty() || QFileInfo::exists(adapter));
}

QString SettingsFile::of_user() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
         QStringLiteral("/carryover/settings.json");
}

SettingsFile::SettingsFile(const QString& path) : path_(path) {
  if (!QFile::exists(path)) return;
  try {
    values = settings_of(read_versioned(path, settings_format()));
  } catch (const EngineError& error) {
    problem_ = QString::fromStdString(error.problem());
  } catch (const json::exception& error) {
    problem_ = QString::fromUtf8(error.what());
  }
  saved_ = values;
  if (problem_.isEmpty()) return;
  const QString aside = path + QStringLiteral(".aside");
  QFile::remove(aside);
  QFile::rename(path, aside);
  problem_ = QCoreApplication::translate("SettingsFile", "The settings can't be read (%1); they are kept as %2")
                 .arg(problem_, aside);
}

void SettingsFile::save() {
  if (values == saved_) return;
  QDir().mkpath(QFileInfo(path_).path());
  write_file_atomically(path_.toStdString(), versioned_text(settings_format(), settings_json(values)));
  saved_ = values;
}

}  // namespace carryover
