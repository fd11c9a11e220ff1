// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/adapter_base.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <map>

#include "engine/formats/json_file.h"
#include "engine/models/model_folder.h"

namespace carryover {
namespace {

struct Sides {
  std::int64_t in, out;
};

std::map<QString, Sides> module_sides(const ModelConfig& model) {
  const std::int64_t queries = model.heads * model.head_dim, keys = model.kv_heads * model.head_dim;
  return {{QStringLiteral("q_proj"), {model.hidden, queries}},
          {QStringLiteral("k_proj"), {model.hidden, keys}},
          {QStringLiteral("v_proj"), {model.hidden, keys}},
          {QStringLiteral("o_proj"), {queries, model.hidden}},
          {QStringLiteral("gate_proj"), {model.hidden, model.intermediate}},
          {QStringLiteral("up_proj"), {model.hidden, model.intermediate}},
          {QStringLiteral("down_proj"), {model.intermediate, model.hidden}}};
}

}  // namespace

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

QString why_not_merged(const QString& adapter, const ModelConfig& model) {
  static const QRegularExpression place(QStringLiteral("layers\\.(\\d{1,9})\\..*\\.(\\w+)\\.lora_([AB])\\.weight$"));
  const auto sides = module_sides(model);
  const StoredAdapter stored = read_adapter_folder(adapter.toStdString());
  for (const SafetensorsTensor& tensor : stored.tensors.tensors()) {
    const auto match = place.match(QString::fromStdString(tensor.name));
    const auto module = sides.find(match.captured(2));
    if (!match.hasMatch() || module == sides.end() || tensor.shape.size() != 2) continue;  // the engine says what it is
    const bool fits = match.captured(3) == QStringLiteral("A") ? tensor.shape[1] == module->second.in
                                                               : tensor.shape[0] == module->second.out;
    if (fits && match.captured(1).toLongLong() < model.layers) continue;
    const QString base = QString::fromStdString(stored.base_model);
    return QCoreApplication::translate("ModelDialog", "is for a model of another shape%1")
        .arg(base.isEmpty() ? QString() : QStringLiteral(": ") + base);
  }
  return {};
}

}  // namespace carryover
