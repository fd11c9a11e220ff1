// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_library_table.h"

#include <QDateTime>
#include <QDir>
#include <QFont>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>
#include <cmath>

#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr qsizetype most_tooltip = 2000;

/// Runs and trainings; of the others a box would compare nothing.
bool can_be_ticked(const ListedRun& run) {
  return run.kind == ListedKind::Run || run.kind == ListedKind::Training;
}

QString tokens_text(const ListedRun& run) {
  if (run.tokens == 0) return {};
  const QString tokens = count_text(run.tokens);
  if (run.tokens >= run.expected_tokens) return tokens;
  return RunLibraryTable::tr("%1 of %2").arg(tokens, count_text(run.expected_tokens));
}

QString loss_text(const ListedRun& run) {
  if (std::isnan(run.loss)) return {};
  return run.kind == ListedKind::WhatIf ? QStringLiteral("Δ ") + signed_text(run.loss, 3) : decimal_text(run.loss, 3);
}

QString standing_text(const ListedRun& run) {
  switch (run.standing) {
    case Standing::Whole:
      return {};
    case Standing::Partial:
      return RunLibraryTable::tr("Not complete");
    case Standing::UnderWay:
      return RunLibraryTable::tr("In progress");
    case Standing::Missing:
      return RunLibraryTable::tr("No longer there");
  }
  return {};
}

/// Returns plain text, because names may come from any session file.
QString tooltip_of(const ListedRun& run) {
  QStringList lines{run.name};
  if (const QString standing = standing_text(run); !standing.isEmpty()) lines += standing;
  if (has_files(run.kind)) lines += QDir::toNativeSeparators(run.place);
  if (run.kind == ListedKind::Question) lines += run.text;
  if (!run.saved_in.isEmpty()) lines += RunLibraryTable::tr("Saved in %1").arg(QDir::toNativeSeparators(run.saved_in));
  lines += run.details;
  return lines.join(u'\n').left(most_tooltip);
}

QString perplexity_text(const ListedRun& run) {
  return run.kind == ListedKind::Run && !std::isnan(run.loss) ? decimal_text(std::exp(run.loss), 3) : QString();
}

QString date_text(const ListedRun& run) {
  if (run.made_ms <= 0) return {};
  return QLocale().toString(QDateTime::fromMSecsSinceEpoch(run.made_ms), QLocale::ShortFormat);
}

}  // namespace

RunLibraryTable::RunLibraryTable(RunLibrary& library, QObject* parent) : ColumnModel(parent), library_(library) {
  set_columns(columns());
  follow(library, &RunLibrary::removed_from);
  connect(&library, &RunLibrary::about_to_reset, this, [this] { beginResetModel(); });
  connect(&library, &RunLibrary::reset, this, [this] { endResetModel(); });
}

std::vector<TableColumn<const ListedRun&>> RunLibraryTable::columns() {
  using Row = const ListedRun&;
  return {
      name_column(),
      words(tr("Kind"), [](Row run) { return kind_name(run.kind); }),
      tags_column(),
      words(tr("Policy"), &ListedRun::policy),
      words(tr("Model"), &ListedRun::model),
      figures(tr("Tokens"), tokens_text).sorted_by(&ListedRun::tokens),
      figures(tr("Loss"), loss_text).sorted_by([](Row run) {
        return run.kind == ListedKind::WhatIf ? std::nan("") : run.loss;
      }),
      figures(tr("PPL"), perplexity_text).sorted_by([](Row run) {
        return run.kind == ListedKind::Run ? run.loss : std::nan("");
      }),
      figures(tr("Size"), [](Row run) { return run.bytes > 0 ? bytes_text(run.bytes) : QString(); })
          .sorted_by(&ListedRun::bytes),
      figures(tr("Date"), date_text).sorted_by(&ListedRun::made_ms),
  };
}

TableColumn<const ListedRun&> RunLibraryTable::name_column() {
  TableColumn<const ListedRun&> name = words(tr("Name"), &ListedRun::name);
  name.ticked = [this](int index) {
    const ListedRun& run = row(index);
    return can_be_ticked(run) ? std::optional(run.ticked()) : std::nullopt;
  };
  name.tick = [this](int index, bool ticked) { library_.set_ticked(index, ticked); };
  name.edit = [this](int index, const QString& text) { return library_.rename(index, text), true; };
  return name;
}

TableColumn<const ListedRun&> RunLibraryTable::tags_column() {
  TableColumn<const ListedRun&> tags =
      words(tr("Tags"), [](const ListedRun& run) { return run.tags.join(QStringLiteral(", ")); });
  tags.edit = [this](int index, const QString& text) { return library_.set_tags(index, text.split(u',')), true; };
  return tags;
}

void RunLibraryTable::set_shown(const QString& place) {
  const QString before = std::exchange(shown_, place);
  if (before == place) return;
  for (const int row : {library_.index_of(before), library_.index_of(place)}) rows_changed(row, row);
}

QVariant RunLibraryTable::row_data(const ListedRun& run, int role) const {
  if (role == place_role) return run.place;
  if (role == Qt::ToolTipRole) return tooltip_of(run);
  if (role == Qt::ForegroundRole && run.standing == Standing::Missing)
    return QGuiApplication::palette().color(QPalette::PlaceholderText);
  if (role != Qt::FontRole || run.place != shown_) return {};
  QFont bold;
  bold.setBold(true);
  return bold;
}

}  // namespace carryover
