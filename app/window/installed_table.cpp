// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/installed_table.h"

#include <cmath>

#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

namespace carryover {

namespace {

double if_known(std::int64_t number) {
  return number > 0 ? static_cast<double>(number) : std::nan("");
}

/// "134.5 M", "8.03 B".
QString parameters_cell(double count) {
  return count < 1e9 ? decimal_text(count / 1e6, 1) + QStringLiteral(" M")
                     : decimal_text(count / 1e9, 2) + QStringLiteral(" B");
}

}  // namespace

InstalledTable::InstalledTable(QObject* parent) : ColumnTable(parent) {
  using Row = const InstalledModel&;
  const auto family = [](Row row) {
    return QString::fromStdString(row.facts.family.empty() ? row.facts.architecture : row.facts.family);
  };
  set_columns({
      words(tr("Model"), [](Row row) { return QString::fromStdString(row.name); }),
      words(tr("Family"), tr("Models of the same architecture"), family),
      numbers(tr("Parameters"), tr("In millions (M) or billions (B)"), parameters_cell,
              [](Row row) { return if_known(row.facts.parameters); }),
      words(tr("Stored as"), tr("Format of the weights"),
            [](Row row) { return QString::fromStdString(row.facts.storage); }),
      numbers(tr("Context"), tr("Tokens that the model was trained for"), whole_count_text,
              [](Row row) { return if_known(row.facts.context); }),
      numbers(
          tr("Size"), tr("Of its files"), [](double bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); },
          [](Row row) { return if_known(row.bytes); }),
      numbers(
          tr("Memory"),
          tr("Forecast for a text of the length above, on the CPU, with the settings that the model opens with"),
          [](double bytes) { return bytes_text(static_cast<std::int64_t>(bytes)); },
          [this](Row row) { return if_known(row.facts.memory_for(tokens_)); }),
      words(tr("Kept by"), tr("The program whose folder it lies in"),
            [](Row row) { return QString::fromStdString(row.program); }),
  });
}

void InstalledTable::set_tokens(std::int64_t tokens) {
  tokens_ = tokens;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, Memory), index(rowCount() - 1, Memory));
}

QVariant InstalledTable::row_data(const InstalledModel& model, int role) const {
  const ModelFacts& facts = model.facts;
  if (role == Qt::ForegroundRole && !facts.opens()) return current_theme().muted;
  if (role != Qt::ToolTipRole) return {};
  const QString path = QString::fromStdString(model.path);
  if (facts.opens()) return path;
  return tr("%1\nDoes not open: %2. %3")
      .arg(path, QString::fromStdString(facts.problem), QString::fromStdString(facts.advice));
}

}  // namespace carryover
