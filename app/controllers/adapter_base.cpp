// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/adapter_base.h"

#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"

namespace carryover {

bool is_adapter_folder(const QString& path) {
  return QFileInfo::exists(path + QStringLiteral("/adapter_config.json"));
}

QString base_of_adapter(const QString& adapter) {
  const auto config =
      find_json_file((adapter + QStringLiteral("/adapter_config.json")).toStdString(), JsonKind::Settings);
  if (!config || !config->is_object()) return {};
  const nlohmann::json base = config->value("base_model_name_or_path", nlohmann::json());
  const QString path = base.is_string() ? QString::fromStdString(base.get<std::string>()) : QString();
  return QFileInfo::exists(path) ? path : QString();
}

}  // namespace carryover
